import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SOURCE_OPTIONS, sourceModule } from '../../scripts/transpiled.mjs';
import { FolderLock, FolderLocked } from './folder-lock.js';

function inFolder(work: (folder: string, lock: string) => void | Promise<void>): () => Promise<void> {
  return async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sorrel-lock-'));
    try {
      await work(folder, join(folder, 'sorrel.lock'));
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
}

/**
 * When a process started, as the lock file records it. Where that cannot be read, lock files have the same text for
 * every process.
 */
function startOf(pid: number, own: string): string {
  if (!existsSync('/proc/self/stat')) return own;
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] as string;
}

test(
  'a second opener gets an error that names the process holding the folder',
  inFolder((folder) => {
    const lock = FolderLock.acquire(folder);
    assert.throws(
      () => FolderLock.acquire(folder),
      (error) =>
        error instanceof FolderLocked &&
        error.pid === process.pid &&
        /in use by this process/.test(error.message),
    );
    lock.release();
    lock.release();
    FolderLock.acquire(folder).release();
    assert.deepEqual(readdirSync(folder), []);
  }),
);

test(
  'the lock of another running process is respected, and taken over after the process has ended',
  inFolder(async (folder, lock) => {
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    try {
      const started = FolderLock.acquire(folder);
      const [, own, place] = readFileSync(lock, 'latin1').trim().split(' ');
      started.release();
      writeFileSync(lock, `${other.pid} ${startOf(other.pid as number, own as string)} ${place}\n`);
      assert.throws(() => FolderLock.acquire(folder), new RegExp(`in use by process ${other.pid}`));
    } finally {
      const ended = new Promise((resolve) => other.once('exit', resolve));
      other.kill('SIGKILL');
      await ended;
    }
    FolderLock.acquire(folder);
    assert.equal(Number(readFileSync(lock, 'latin1').split(' ')[0]), process.pid);
  }),
);

test(
  'a lock whose process id now belongs to another process, or that is empty, is taken over',
  inFolder((folder, lock) => {
    if (existsSync('/proc/self/stat')) {
      const { dev, ino } = statSync(folder);
      writeFileSync(lock, `${process.pid} 1 ${dev}:${ino}\n`);
      FolderLock.acquire(folder).release();
    }
    writeFileSync(lock, 'rubbish');
    FolderLock.acquire(folder).release();
    assert.deepEqual(readdirSync(folder), []);
  }),
);

test(
  'a missing folder has its own error',
  inFolder((folder) => {
    assert.throws(() => FolderLock.acquire(join(folder, 'none')), /ENOENT/);
  }),
);

test(
  'a copy of a folder in use is not in use',
  inFolder((folder) => {
    const original = join(folder, 'original');
    mkdirSync(original);
    const lock = FolderLock.acquire(original);
    cpSync(original, join(folder, 'copy'), { recursive: true });
    FolderLock.acquire(join(folder, 'copy')).release();
    assert.throws(() => FolderLock.acquire(original), FolderLocked);
    lock.release();
  }),
);

test(
  'locks of different names in one folder do not exclude one another',
  inFolder((folder) => {
    const one = FolderLock.acquire(folder, 'one.lock');
    FolderLock.acquire(folder, 'other.lock').release();
    assert.throws(() => FolderLock.acquire(folder, 'one.lock'), FolderLocked);
    one.release();
  }),
);

test(
  'a process that exits normally removes its lock',
  inFolder((folder) => {
    const module = sourceModule(new URL('./folder-lock.ts', import.meta.url));
    const program = `import { FolderLock } from ${JSON.stringify(module)}; FolderLock.acquire(${JSON.stringify(folder)});`;
    const parameters = [...SOURCE_OPTIONS, '--input-type=module', '-e', program];
    const { status, stderr } = spawnSync(process.execPath, parameters, { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.deepEqual(readdirSync(folder), []);
  }),
);
