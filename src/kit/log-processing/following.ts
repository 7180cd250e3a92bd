import { type FSWatcher, watch } from 'node:fs';
import { StoreError, type StoreTime } from '../../store/index.js';

/** Ms between two passes while lines are written: lines are stored in batches. */
const PAUSE = 100;
/** Ms after which the files are read again although no change was noticed: not every file system reports changes, and a closed store ends it. */
const HEARTBEAT = 1_000;

export interface Following {
  readonly time: StoreTime;
  readonly folder: string;
  readonly signal: AbortSignal | undefined;
  readonly onError: (error: unknown) => void;
  read(): Promise<unknown>;
}

/** Reads again whenever the folder changes, until the signal aborts. */
export async function followFiles({ time, folder, signal, onError, read }: Following): Promise<void> {
  const changes = new Changes(folder);
  try {
    while (signal?.aborted !== true) {
      changes.forget();
      try {
        await read();
      } catch (error) {
        if (isAborted(signal)) return;
        if (!isTemporary(error)) throw error;
        onError(error);
      }
      await sleep(time, PAUSE, signal);
      await changes.next(time, HEARTBEAT, signal);
    }
  } finally {
    changes.close();
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** The store cannot be reached, or the folder cannot be read just now. What a handler throws is not temporary. */
function isTemporary(error: unknown): boolean {
  if (error instanceof StoreError) return ['UNREACHABLE', 'TIMEOUT', 'FOLDER'].includes(error.code);
  return ['EACCES', 'EMFILE', 'EIO'].includes(String((error as { code?: unknown })?.code));
}

async function sleep(time: StoreTime, ms: number, signal: AbortSignal | undefined): Promise<void> {
  await time.sleep(ms, signal === undefined ? {} : { signal }).catch(() => {});
}

/** Notices changes of a folder, where the system reports them. */
class Changes {
  #watcher: FSWatcher | undefined;
  #hasChanged = false;
  #wake: () => void = () => {};

  constructor(folder: string) {
    try {
      this.#watcher = watch(folder, () => {
        this.#hasChanged = true;
        this.#wake();
      });
      this.#watcher.on('error', () => this.close());
    } catch {
      // The folder is not there yet, or the system has no watches left: the heartbeat remains.
    }
  }

  forget(): void {
    this.#hasChanged = false;
  }

  async next(time: StoreTime, ms: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#hasChanged || signal?.aborted === true) return;
    const changed = new AbortController();
    this.#wake = () => changed.abort();
    const onAbort = (): void => changed.abort();
    signal?.addEventListener('abort', onAbort, { once: true });
    await sleep(time, ms, changed.signal);
    signal?.removeEventListener('abort', onAbort);
    this.#wake = () => {};
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }
}
