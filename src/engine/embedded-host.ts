import type { HostPort } from '../commands/engine-port.js';
import { CommandError } from '../commands/errors.js';

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
