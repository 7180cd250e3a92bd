import { closeSync, fsyncSync, openSync, readFileSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rewrittenConfiguration } from '../commands/config/rewrite.js';
import type { Settings } from '../commands/config/settings.js';
import { CommandError } from '../commands/errors.js';

/** CONFIG REWRITE: replaces the configuration file, with the changed settings, atomically. */
export function rewriteConfigurationFile(settings: Settings): void {
  const { file } = settings;
  if (file === undefined) throw new CommandError('ERR The server is running without a config file');
  try {
    replaceFile(file, rewrittenConfiguration(readIfThere(file), settings));
  } catch (error) {
    throw new CommandError(`ERR Rewriting config file: ${describe(error as NodeJS.ErrnoException)}`);
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Writes a file so that there is always a complete one. */
export function replaceFile(path: string, text: string): void {
  const temporary = join(dirname(path), `.${process.pid}-${Date.now()}.conf.tmp`);
  try {
    const fd = openSync(temporary, 'w', 0o644);
    try {
      writeSync(fd, Buffer.from(text, 'latin1'));
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } catch (error) {
    try {
      unlinkSync(temporary);
    } catch {
      // It may not exist.
    }
    throw error;
  }
}

/** The error text of the C library. */
function describe({ code, message }: NodeJS.ErrnoException): string {
  const texts: Readonly<Record<string, string>> = {
    EACCES: 'Permission denied',
    EROFS: 'Read-only file system',
    ENOSPC: 'No space left on device',
    ENOENT: 'No such file or directory',
  };
  return texts[code ?? ''] ?? message;
}
