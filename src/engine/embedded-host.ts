import type { HostPort, MachineFigures, PersistencePort } from '../commands/engine-port.js';
import { CommandError } from '../commands/errors.js';

const NO_FILES = new CommandError('ERR This engine keeps its data in memory only');

/** An engine that nobody has told where to keep its data. */
export function memoryOnly(startedAt: number): PersistencePort {
  const refuse = (): never => {
    throw NO_FILES;
  };
  return {
    lastSave: Math.floor(startedAt / 1000),
    save: refuse,
    saveInBackground: refuse,
    reload: refuse,
    flushed() {},
    rewriteInBackground: refuse,
    reloadAppendOnly: refuse,
  };
}

/** The program is not ours to describe. */
const UNKNOWN: MachineFigures = {
  system: 'embedded',
  processId: 0,
  executable: '',
  systemBytes: 0,
  residentBytes: 0,
  allocatedBytes: 0,
  activeBytes: 0,
  systemMicros: 0,
  userMicros: 0,
};

/** Around an engine that some program embeds: nothing here may end the program or write its files. */
export const embeddedHost: HostPort = {
  log() {},
  clientMemory: 0,
  machine: () => UNKNOWN,
  shutdown: () => false,
  abortShutdown: () => false,
  crash(reason) {
    throw new Error(reason);
  },
  rewriteSettings() {
    throw new CommandError('ERR The server is running without a config file');
  },
};
