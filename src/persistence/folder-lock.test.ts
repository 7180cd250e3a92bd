import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
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

test(
  'a second opener is told who has the folder',
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
  'the lock of another process that lives is respected, and taken over when it has ended',
  inFolder(async (folder, lock) => {
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    try {
      writeFileSync(lock, `${other.pid}\n`);
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
  'a lock whose number belongs to another process by now, or that says nothing, is taken over',
  inFolder((folder, lock) => {
    if (existsSync('/proc/self/stat')) {
      writeFileSync(lock, `${process.pid} 1\n`);
      FolderLock.acquire(folder).release();
    }
    writeFileSync(lock, 'rubbish');
    FolderLock.acquire(folder).release();
    assert.deepEqual(readdirSync(folder), []);
  }),
);

test(
  'a folder that is not there is an error of its own',
  inFolder((folder) => {
    assert.throws(() => FolderLock.acquire(join(folder, 'none')), /ENOENT/);
  }),
);
