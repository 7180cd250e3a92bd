import { readFileSync } from 'node:fs';
import { SettingError } from '../../commands/config/kinds.js';
import type { Settings } from '../../commands/config/settings.js';
import { ConfigurationError } from '../configuration/configuration.js';

/** Descriptors of the process that are not clients: files, other servers, what Node needs. As many as in Redis. */
const RESERVED = 32;

/**
 * Keeps `maxclients` below the limit of open files (`ulimit -n`), so that files can be opened however many clients there are, and
 * a client that comes too late gets an error. Node has raised the limit as far as it may. Returns what Redis logs about it.
 */
export function fitClients(settings: Settings, limit: number = openFileLimit()): readonly string[] {
  const wanted = settings.number('maxclients');
  const log: string[] = [];
  if (wanted + RESERVED > limit) {
    if (limit <= RESERVED) {
      throw new ConfigurationError(
        `Your current 'ulimit -n' of ${limit} is not enough for the server to start. Please increase your open file limit to at ` +
          `least ${wanted + RESERVED}.`,
      );
    }
    settings.configure('maxclients', String(limit - RESERVED));
    log.push(
      `You requested maxclients of ${wanted} requiring at least ${wanted + RESERVED} max file descriptors.`,
      `Current maximum open files is ${limit}. maxclients has been reduced to ${limit - RESERVED} to compensate for low ulimit. ` +
        "If you need higher maxclients increase 'ulimit -n'.",
    );
  }
  settings.onChange('maxclients', (text) => {
    if (Number(text) + RESERVED <= limit) return;
    throw new SettingError(
      `The operating system is not able to handle the specified number of clients, try with ${limit - RESERVED}`,
    );
  });
  return log;
}

/** `Infinity` if it is unknown. */
function openFileLimit(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
