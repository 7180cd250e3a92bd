import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n.js';

interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
}

let nextId = 1;
let show: (notice: Notice) => void = () => {};

/** Tells the person what was done. */
export function tell(text: string): void {
  show({ id: nextId++, text, isError: false });
}

/** Shows why something could not be done. */
export function tellError(error: unknown): void {
  if (error instanceof DOMException && error.name === 'AbortError') return;
  show({ id: nextId++, text: error instanceof Error ? error.message : String(error), isError: true });
}

/** Runs an action, tells what was done, or shows its error. Resolves to whether it was done. */
export async function attempt(work: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await work();
    if (done !== undefined) tell(done);
    return true;
  } catch (error) {
    tellError(error);
    return false;
  }
}

const SHOWN_MS = 5_000;
const MAX_SHOWN = 4;

/** The corner where notices appear. Screen readers announce them. */
export function Notices() {
  const [notices, setNotices] = useState<readonly Notice[]>([]);
  const remove = (id: number): void => setNotices((all) => all.filter((notice) => notice.id !== id));
  useEffect(() => {
    show = (notice) => {
      setNotices((all) => [...all, notice].slice(-MAX_SHOWN));
      if (!notice.isError) setTimeout(remove, SHOWN_MS, notice.id);
    };
    return () => {
      show = () => {};
    };
  }, []);
  return (
    <div class="notices" aria-live="polite">
      {notices.map(({ id, text, isError }) => (
        <div key={id} class={isError ? 'notice error' : 'notice'}>
          <span>{text}</span>
          <button type="button" class="quiet" aria-label={t('Close')} onClick={() => remove(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
