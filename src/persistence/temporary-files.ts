import { readdirSync, unlinkSync } from 'node:fs';
import { resolve } from 'node:path';

/** How many names this process has used. */
let issued = 0;

/**
 * A new name in the folder. It is never used twice: an aborted save may still be writing to its file. It begins and
 * ends like the names of Redis: `temp-1234-1.rdb`. The name for a job with its own process has only the id of that.
 */
export function temporaryPath(folder: string, kind: string, suffix: 'rdb' | 'aof', pid?: number): string {
  return resolve(folder, `temp-${kind}${pid ?? `${process.pid}-${++issued}`}.${suffix}`);
}

/** Removes temporary files that saves and rewrites of ended processes left in this folder, also those of Redis. */
export function removeStaleFiles(folder: string): void {
  for (const name of namesIn(folder)) {
    const [, pid, serial] = TEMPORARY.exec(name) ?? [];
    if (pid !== undefined && isStale(Number(pid), Number(serial ?? 0))) removeIfThere(resolve(folder, name));
  }
}

/** A folder that cannot be read counts as empty: code that needs its files reports the error. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const TEMPORARY = /^temp-(?:rewriteaof-(?:bg-)?)?(\d+)(?:-(\d+))?\.(?:rdb|aof)$/;

/**
 * In a container the previous process often had the same id: a name of this id that this process has not used yet is
 * stale.
 */
function isStale(pid: number, serial: number): boolean {
  if (pid === process.pid) return serial === 0 || serial > issued;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EPERM';
  }
}

export function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It may never have been created.
  }
}

/** Files that are being written. */
const open = new Set<string>();

/** The file is being written, until `finished` is called for it. */
export function started(path: string): void {
  open.add(path);
}

export function finished(path: string): void {
  open.delete(path);
}

/** Removes all files that are being written: the process ends. */
export function removeUnfinishedFiles(): void {
  for (const path of open) removeIfThere(path);
  open.clear();
}
