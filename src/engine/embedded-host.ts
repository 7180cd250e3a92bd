import type { HostPort, PersistencePort } from '../commands/engine-port.js';
import { CommandError } from '../commands/errors.js';

const NO_FILES = new CommandError('ERR This engine keeps its data in memory only');

/** An engine that nobody has told where to keep its data. */
export function memoryOnly(startedAt: number): PersistencePort {
  const refuse = (): never => {
    throw NO_FILES;
  };
  return { lastSave: Math.floor(startedAt / 1000), save: refuse, saveInBackground: refuse, reload: refuse };
}

/** Around an engine that some program embeds: nothing here may end the program or write its files. */
export const embeddedHost: HostPort = {
  log() {},
  shutdown: () => false,
  abortShutdown: () => false,
  crash(reason) {
    throw new Error(reason);
  },
  rewriteSettings() {
    throw new CommandError('ERR The server is running without a config file');
  },
};
