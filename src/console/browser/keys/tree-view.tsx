import { useRef, useState } from 'preact/hooks';
import type { KeyBrief } from '../../types/keys.js';
import { post, type WireBytes } from '../api.js';
import { count, duration, t } from '../i18n.js';
import { VirtualList } from '../ui/virtual-list.js';
import { type KeyTree, labelOf, type TreeRow } from './tree.js';

export type Selection =
  | { readonly kind: 'key'; readonly key: WireBytes }
  | { readonly kind: 'folder'; readonly path: string };

interface TreeViewProps {
  readonly tree: KeyTree;
  /** Changes whenever the tree has. */
  readonly version: number;
  readonly selected: string | undefined;
  select(selection: Selection): void;
}

const ROW_HEIGHT = 28;
const MAX_BRIEFS = 100;

/** The tree of keys. The arrow keys move and open, Enter selects. */
export function TreeView({ tree, selected, select }: TreeViewProps) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState(0);
  const rows = tree.rows(open);
  const briefs = useBriefs();
  const toggle = (path: string, isOpen = !open.has(path)): void => {
    const next = new Set(open);
    if (isOpen) next.add(path);
    else next.delete(path);
    setOpen(next);
  };
  const choose = (row: TreeRow, index: number): void => {
    setActive(index);
    if (row.kind === 'key') select({ kind: 'key', key: row.leaf.key });
    else if (row.kind === 'folder') {
      toggle(row.folder.path);
      select({ kind: 'folder', path: row.folder.path });
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[active];
    const moved = MOVES[event.key];
    if (moved !== undefined) setActive(Math.max(0, Math.min(rows.length - 1, moved(active, rows.length))));
    else if (row === undefined) return;
    else if (event.key === 'Enter' || event.key === ' ') choose(row, active);
    else if (event.key === 'ArrowRight' && row.kind === 'folder') toggle(row.folder.path, true);
    else if (event.key === 'ArrowLeft') {
      if (row.kind === 'folder' && open.has(row.folder.path)) toggle(row.folder.path, false);
      else
        setActive(
          Math.max(
            0,
            rows.findLastIndex(({ depth }, index) => index < active && depth < row.depth),
          ),
        );
    } else return;
    event.preventDefault();
  };
  return (
    <VirtualList
      rows={rows}
      rowHeight={ROW_HEIGHT}
      role="tree"
      label={t('Keys')}
      focused={active}
      activeId={rows[active] === undefined ? undefined : `row-${active}`}
      onKeyDown={onKeyDown}
      onVisible={(visible) => briefs.load(visible)}
      render={(row, index) => (
        <Row
          key={row.id}
          row={row}
          index={index}
          isActive={index === active}
          isSelected={row.id === selected}
          isOpen={row.kind === 'folder' && open.has(row.folder.path)}
          brief={row.kind === 'key' ? briefs.of(row.leaf.id) : undefined}
          choose={() => choose(row, index)}
        />
      )}
    />
  );
}

const MOVES: Readonly<Record<string, (active: number, rows: number) => number>> = {
  ArrowDown: (active) => active + 1,
  ArrowUp: (active) => active - 1,
  PageDown: (active) => active + 15,
  PageUp: (active) => active - 15,
  Home: () => 0,
  End: (_, rows) => rows - 1,
};

interface RowProps {
  readonly row: TreeRow;
  readonly index: number;
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly isOpen: boolean;
  readonly brief: KeyBrief | undefined;
  choose(): void;
}

function Row({ row, index, isActive, isSelected, isOpen, brief, choose }: RowProps) {
  if (row.kind === 'more') return <More row={row} index={index} isActive={isActive} />;
  const isFolder = row.kind === 'folder';
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names its active row
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys
    <div
      id={`row-${index}`}
      class={`tree-row${isActive ? ' active' : ''}${isSelected ? ' selected' : ''}`}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-selected={isSelected}
      aria-expanded={isFolder ? isOpen : undefined}
      style={{ paddingLeft: `${6 + row.depth * 16}px` }}
      onClick={choose}
    >
      {isFolder ? (
        <>
          <span class={isOpen ? 'arrow open' : 'arrow'} aria-hidden="true" />
          <span class="tree-name">{labelOf(row.folder)}</span>
          <span class="dim">{count(row.folder.keys)}</span>
        </>
      ) : (
        <>
          <span class={`type ${brief?.type ?? ''}`}>
            {TYPE_NAMES[brief?.type ?? ''] ?? brief?.type ?? ''}
          </span>
          <span class="tree-name mono">{labelOf(row.leaf)}</span>
          {brief !== undefined && brief.ttl !== null && <span class="dim">{duration(brief.ttl)}</span>}
        </>
      )}
    </div>
  );
}

/** The last row of a folder that has more keys than are listed. */
function More({
  row,
  index,
  isActive,
}: Pick<RowProps, 'index' | 'isActive'> & { readonly row: TreeRow & { kind: 'more' } }) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names its active row
    <div
      id={`row-${index}`}
      class={isActive ? 'tree-row active dim' : 'tree-row dim'}
      role="treeitem"
      aria-level={row.depth + 1}
      style={{ paddingLeft: `${6 + row.depth * 16}px` }}
    >
      {t('{count} more: narrow the pattern to see them.', { count: count(row.count) })}
    </div>
  );
}

export const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'STR',
  list: 'LIST',
  set: 'SET',
  zset: 'ZSET',
  hash: 'HASH',
  stream: 'STRM',
  none: '–',
};

/** Types and times to live of the rows in view; each is asked once. */
function useBriefs(): { of(id: string): KeyBrief | undefined; load(rows: readonly TreeRow[]): void } {
  const known = useRef(new Map<string, KeyBrief>());
  const asked = useRef(new Set<string>());
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const [, setTurn] = useState(0);
  const load = async (rows: readonly TreeRow[]): Promise<void> => {
    const missing = rows.flatMap((row) =>
      row.kind === 'key' && !asked.current.has(row.leaf.id) ? [row.leaf] : [],
    );
    const now = missing.slice(0, MAX_BRIEFS);
    if (now.length === 0) return;
    for (const { id } of now) asked.current.add(id);
    const briefs = await post<readonly KeyBrief[]>('keys/briefs', { keys: now.map(({ key }) => key) }).catch(
      () => [],
    );
    for (const [index, brief] of briefs.entries())
      known.current.set((now[index] as (typeof now)[number]).id, brief);
    setTurn((turn) => turn + 1);
  };
  return {
    of: (id) => known.current.get(id),
    load: (rows) => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => void load(rows), 60);
    },
  };
}
