import { readdirSync, unlinkSync } from 'node:fs';
import { resolve } from 'node:path';

/** How many names this process has given out. */
let issued = 0;

/**
 * A name in the folder that nobody else uses: one that was given up may still be at work on its file. It begins and ends
 * as Redis's names do: `temp-1234-1.rdb`.
 */
export function temporaryPath(folder: string, kind: string, suffix: 'rdb' | 'aof'): string {
  return resolve(folder, `temp-${kind}${process.pid}-${++issued}.${suffix}`);
}

/** Removes what saves and rewrites of processes that have ended left in this folder; Redis's, too. */
export function removeStaleFiles(folder: string): void {
  for (const name of namesIn(folder)) {
    const [, pid, serial] = TEMPORARY.exec(name) ?? [];
    if (pid !== undefined && isStale(Number(pid), Number(serial ?? 0))) removeIfThere(resolve(folder, name));
  }
}

/** A folder that cannot be read is the affair of those who need what is in it. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const TEMPORARY = /^temp-(?:rewriteaof-(?:bg-)?)?(\d+)(?:-(\d+))?\.(?:rdb|aof)$/;

/** In a container, the process before often had the same number as this one: a name not given out yet is not ours. */
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
    // It may never have come to be.
  }
}
