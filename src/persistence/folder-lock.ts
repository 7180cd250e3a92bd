import { execFileSync } from 'node:child_process';
import { linkSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { removeIfThere } from './temporary-files.js';

/** Another process, or another part of this one, has the folder open. */
export class FolderLocked extends Error {
  /** The process that holds it. */
  readonly pid: number;

  constructor(path: string, pid: number) {
    const who = pid === process.pid ? 'this process' : `process ${pid}`;
    super(
      `${dirname(path)} is in use by ${who}: close it there first, or choose another folder (lock: ${path})`,
    );
    this.name = 'FolderLocked';
    this.pid = pid;
  }
}

const LOCK_NAME = 'sorrel.lock';

/**
 * Reserves a folder for one opener with a file that names the process. The lock of a process that has ended is
 * detected and taken over, even if its process id was reused. So is a lock that was copied together with the folder.
 * A process that exits normally removes its lock.
 */
export class FolderLock {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
    if (held.size === 0) process.on('exit', releaseAll);
    held.add(this);
  }

  /** Throws `FolderLocked` if the folder is in use, or the system's error. Locks of other names are independent. */
  static acquire(folder: string, name = LOCK_NAME): FolderLock {
    const path = join(folder, name);
    const place = placeOf(folder);
    for (;;) {
      if (create(path, place)) return new FolderLock(path);
      const holder = read(path);
      if (holder !== undefined && holder.place === place && isAlive(holder)) {
        throw new FolderLocked(path, holder.pid);
      }
      removeStale(path, holder);
    }
  }

  release(): void {
    if (!held.delete(this)) return;
    if (held.size === 0) process.off('exit', releaseAll);
    remove(this.#path);
  }
}

const held = new Set<FolderLock>();

function releaseAll(): void {
  for (const lock of [...held]) lock.release();
}

interface Holder {
  readonly pid: number;
  /** When the process started, as reported by the operating system; `-` if unknown. */
  readonly started: string;
  /** The folder that was locked. */
  readonly place: string;
}

/** Identifies a folder: a copy has another identity, the same folder under another name has the same. */
function placeOf(folder: string): string {
  const { dev, ino } = statSync(folder);
  return `${dev}:${ino}`;
}

/** The file is created together with its contents, so that no process ever sees an empty lock. */
function create(path: string, place: string): boolean {
  const own = `${path}.${process.pid}`;
  try {
    writeFileSync(own, `${process.pid} ${startOf(process.pid)} ${place}\n`);
    linkSync(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    removeIfThere(own); // On a full disk it may exist although it could not be written.
  }
}

/**
 * Removes the lock of a process that has ended. Two processes may try at once: the file that one moves away may
 * already be the other's new lock, and is then put back.
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
  if (found !== undefined && !isSame(found, holder)) linkSync(moved, path);
  remove(moved);
}

function isSame(one: Holder, other: Holder | undefined): boolean {
  return one.pid === other?.pid && one.started === other.started && one.place === other.place;
}

function read(path: string): Holder | undefined {
  try {
    const [pid, started = UNKNOWN, place = ''] = readFileSync(path, 'latin1').trim().split(' ');
    return Number(pid) > 0 ? { pid: Number(pid), started, place } : undefined;
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
    // The process exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return started === startOf(pid);
}

/**
 * When the process started: distinguishes processes that had the same id. `-` if unknown.
 */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? UNKNOWN;
  } catch {
    return process.platform === 'linux' ? UNKNOWN : startByCommand(pid);
  }
}

/** Used where there is no `/proc`. */
function startByCommand(pid: number): string {
  try {
    const options = ['-o', 'lstart=', '-p', String(pid)];
    const text = execFileSync('ps', options, { encoding: 'latin1', stdio: ['ignore', 'pipe', 'ignore'] });
    return text.trim().replaceAll(/\s+/g, '-') || UNKNOWN;
  } catch {
    return UNKNOWN;
  }
}

const UNKNOWN = '-';
