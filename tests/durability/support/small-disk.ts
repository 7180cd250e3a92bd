import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A file system of 1 MB, unmounted when the test ends; undefined if this process may not mount one. */
export function smallDisk(t: TestContext): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0;
  t.after(() => {
    if (mounted) spawnSync('umount', ['-l', folder]);
    rmdirSync(folder);
  });
  if (mounted) return folder;
  t.skip('only root can mount a small file system');
  return undefined;
}

/** Fills the file system with a file; removing the file frees the space. */
export function fillUp(folder: string): string {
  const path = join(folder, 'filler');
  for (let size = 1 << 16; size >= 512; size >>= 1) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size), { flag: 'a' });
    } catch {
      // Not enough space: try less.
    }
  }
  return path;
}
