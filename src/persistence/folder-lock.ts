import { linkSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Somebody else has the folder open. */
export class FolderLocked extends Error {
  /** The process that holds it. */
  readonly pid: number;

  constructor(folder: string, pid: number) {
    const who = pid === process.pid ? 'this process' : `process ${pid}`;
    super(`${folder} is in use by ${who}: close it there first (${LOCK_NAME} tells who has it)`);
    this.name = 'FolderLocked';
    this.pid = pid;
  }
}

const LOCK_NAME = 'sorrel.lock';

/**
 * Keeps a folder for one opener: a file that names the process. A lock whose process has ended is recognised as such,
 * also if its number has been given to another process since, and is taken over.
 */
export class FolderLock {
  readonly #path: string;
  #isHeld = true;

  private constructor(path: string) {
    this.#path = path;
  }

  /** Throws `FolderLocked` if the folder is in use, or the system's error. */
  static acquire(folder: string): FolderLock {
    const path = join(folder, LOCK_NAME);
    for (;;) {
      if (create(path)) return new FolderLock(path);
      const holder = read(path);
      if (holder !== undefined && isAlive(holder)) throw new FolderLocked(folder, holder.pid);
      removeStale(path, holder);
    }
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    remove(this.#path);
  }
}

interface Holder {
  readonly pid: number;
  /** When the process started, as the system tells it; empty where it does not. */
  readonly started: string;
}

/** The file appears with its contents: nobody ever sees a lock without a name in it. */
function create(path: string): boolean {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, `${process.pid} ${startOf(process.pid)}\n`);
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    unlinkSync(own);
  }
}

/**
 * Takes away the lock of a process that has ended. Two may try at once: what one moves away may be the other's new lock
 * by now, which is then put back.
 */
function removeStale(path: string, holder: Holder | undefined): void {
  const moved = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, moved);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const found = read(moved);
  if (found !== undefined && (found.pid !== holder?.pid || found.started !== holder.started)) {
    linkSync(moved, path);
  }
  remove(moved);
}

function read(path: string): Holder | undefined {
  try {
    const [pid, started = ''] = readFileSync(path, 'latin1').trim().split(' ');
    return Number(pid) > 0 ? { pid: Number(pid), started } : undefined;
  } catch {
    return undefined;
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function isAlive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // It exists, but is another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return started === '' || started === startOf(pid);
}

/** On Linux, when the process started (in ticks since the system did): tells processes of the same number apart. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
