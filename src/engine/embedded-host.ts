import type { PersistencePort } from '../commands/engine-port.js';
import { CommandError } from '../commands/errors.js';
import type { MachineFigures } from '../commands/host-port.js';
import type { PartHost } from './engine-parts.js';

const NO_FILES = new CommandError('ERR This engine keeps its data in memory only');

/** The persistence of an engine without files. */
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
    settle() {},
  };
}

/** An embedded engine reports nothing about the program around it. */
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

/** The host of an embedded engine. It never ends the program or writes its files. */
export const embeddedHost: PartHost = {
  log() {},
  machine: () => UNKNOWN,
  readsOthersFirst: () => false,
  shutdown: () => false,
  abortShutdown: () => false,
  crash(reason) {
    throw new Error(reason);
  },
  readText: noFiles,
  replaceText: noFiles,
  rewriteSettings() {
    throw new CommandError('ERR The server is running without a config file');
  },
};

function noFiles(): never {
  throw new Error('files are not used here');
}
