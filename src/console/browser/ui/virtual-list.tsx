import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface VirtualListProps<Row> {
  readonly rows: readonly Row[];
  readonly rowHeight: number;
  render(row: Row, index: number): ComponentChildren;
  /** Called with the rows that are visible, when they change. */
  onVisible?(rows: readonly Row[]): void;
  /** Keeps this row in view. */
  readonly focused?: number;
  readonly role?: 'tree' | 'list' | 'listbox';
  readonly label: string;
  onKeyDown?(event: KeyboardEvent): void;
  readonly activeId?: string | undefined;
}

const MARGIN = 8;

/** A list that renders only the rows in view, however many there are. It has the focus as a whole, and names its active row. */
export function VirtualList<Row>(props: VirtualListProps<Row>) {
  const { rows, rowHeight, render, onVisible, focused, role, label, onKeyDown, activeId } = props;
  const frame = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  useEffect(() => {
    const element = frame.current as HTMLDivElement;
    const measure = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    element.addEventListener('scroll', measure, { passive: true });
    return () => observer.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - MARGIN);
  const last = Math.min(rows.length, Math.ceil((view.top + view.height) / rowHeight) + MARGIN);
  const visible = rows.slice(first, last);
  useEffect(() => onVisible?.(visible), [rows, first, last]);
  useEffect(() => {
    if (focused === undefined || focused < 0) return;
    const element = frame.current as HTMLDivElement;
    const top = focused * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + rowHeight - element.clientHeight;
    }
  }, [focused]);
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role is given by the user of the list, and supports it
    // biome-ignore lint/a11y/noStaticElementInteractions: the same
    <div
      ref={frame}
      class="virtual"
      role={role ?? 'list'}
      aria-label={label}
      aria-activedescendant={activeId}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" style={{ height: `${rows.length * rowHeight}px`, position: 'relative' }}>
        <div role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {visible.map((row, index) => render(row, first + index))}
        </div>
      </div>
    </div>
  );
}
