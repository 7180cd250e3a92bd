import { closeSync, fsyncSync, openSync, readFileSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rewrittenConfiguration } from '../../commands/config/rewrite.js';
import type { Settings } from '../../commands/config/settings.js';
import { CommandError } from '../../commands/errors.js';
import { systemReason } from '../../persistence/system-error.js';

/** CONFIG REWRITE: replaces the configuration file, with the changed settings, atomically. */
export function rewriteConfigurationFile(settings: Settings, users: readonly string[]): void {
  const { file } = settings;
  if (file === undefined) throw new CommandError('ERR The server is running without a config file');
  try {
    replaceFile(file, rewrittenConfiguration(readIfThere(file), settings, users));
  } catch (error) {
    throw new CommandError(`ERR Rewriting config file: ${(error as Error).message}`);
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new Error(systemReason(error));
  }
}

/** The latin1 text of the file. Throws an Error with the system's reason. */
export function readFile(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    throw new Error(systemReason(error));
  }
}

/** Replaces the file atomically by this latin1 text; `synced`: it is on disk then. Throws an Error with the system's reason. */
export function replaceFile(path: string, text: string, synced = true): void {
  const temporary = join(dirname(path), `.${process.pid}-${Date.now()}.conf.tmp`);
  try {
    const fd = openSync(temporary, 'w', 0o644);
    try {
      writeSync(fd, Buffer.from(text, 'latin1'));
      if (synced) fsyncSync(fd);
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
    throw new Error(systemReason(error));
  }
}
