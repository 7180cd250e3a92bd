import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SettingError } from '../../commands/config/kinds.js';
import { FolderLock, FolderLocked } from '../../persistence/folder-lock.js';
import { Persistence } from '../../persistence/persistence.js';
import { systemReason } from '../../persistence/system-error.js';
import type { EmbeddedOptions } from '../options.js';
import { StoreError } from '../store-error.js';
import { EmbeddedEngine, notStored } from './embedded-engine.js';

/** Default settings of a store in a folder: an append-only file, which is rewritten automatically. */
const DEFAULTS = { appendonly: 'yes', save: '' };

/** Opens an engine whose data is in a folder. The folder is created if it does not exist, and locked. */
export async function openFolder(folder: string, options: EmbeddedOptions): Promise<EmbeddedEngine> {
  if (options.settings?.dir !== undefined) {
    throw new StoreError('OPTION', "the folder is part of the address: do not give the setting 'dir'");
  }
  const path = resolve(folder);
  const lock = lockFolder(path);
  const settings = { ...DEFAULTS, ...options.settings, dir: path };
  let embedded: EmbeddedEngine;
  try {
    embedded = new EmbeddedEngine({ ...options, settings }, 'kept');
  } catch (error) {
    lock.release();
    throw error;
  }
  embedded.onClose(() => lock.release());
  const { engine } = embedded;
  engine.settings.onChange('dir', (changed) => {
    if (changed !== path) throw new SettingError('the folder of a store stays the same while it is open');
  });
  const persistence = new Persistence(engine);
  embedded.files = persistence;
  embedded.onClose(async () => {
    await persistence.close();
    if (persistence.lost !== undefined) throw changesLost(path, persistence.lost);
  });
  embedded.syncNow = () => {
    if (engine.settings.text('appendfsync') !== 'always') return;
    persistence.aof.flushTurn();
    const { failure } = persistence.aof.output;
    if (failure !== undefined) throw notStored(failure);
  };
  embedded.syncFiles = () => persistence.aof.sync();
  try {
    await persistence.load();
  } catch (error) {
    await embedded.close();
    throw unreadable(path, error);
  }
  embedded.onClose(() => {
    persistence.beforeExit({ save: undefined, force: true });
  });
  return embedded;
}

function lockFolder(path: string): FolderLock {
  try {
    mkdirSync(path, { recursive: true });
    return FolderLock.acquire(path);
  } catch (error) {
    if (error instanceof FolderLocked) throw new StoreError('LOCKED', error.message, { cause: error });
    throw new StoreError('FILES', `the folder ${path} cannot be used: ${reasonOf(error, path)}`, {
      cause: error,
    });
  }
}

function reasonOf(error: unknown, path: string): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST') return 'it is a file';
  // With `recursive`, Node says so also if a folder above cannot be written.
  return code === 'ENOENT' ? `it cannot be created in ${dirname(path)}` : systemReason(error);
}

function changesLost(path: string, reason: string): StoreError {
  return new StoreError(
    'FILES',
    `the last changes could not be written to the files in ${path}: ${reason}. They are lost; the store is closed`,
  );
}

function unreadable(path: string, error: unknown): StoreError {
  if (error instanceof FolderLocked) return new StoreError('LOCKED', error.message, { cause: error });
  return new StoreError(
    'FILES',
    `the files in ${path} cannot be loaded: ${(error as Error).message}. ` +
      '`sorrel check-aof` and `sorrel check-rdb` show details, and can repair an append-only file.',
    { cause: error },
  );
}
