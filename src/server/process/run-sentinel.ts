import { accessSync, constants } from 'node:fs';
import { Settings } from '../../commands/config/settings.js';
import { REDIS_VERSION, SORREL_VERSION } from '../../commands/version.js';
import { Engine } from '../../engine/engine.js';
import {
  applyDirectives,
  processWorld,
  Sentinel,
  sentinelTable,
  serveSentinel,
} from '../../sentinel/index.js';
import { ConfigurationError, configure, type Directive } from '../configuration/configuration.js';
import { replaceFile } from '../configuration/rewrite.js';
import { loadUsers } from '../configuration/users-at-start.js';
import { Server } from '../server.js';
import { continuesInBackground, pidFileOf } from './daemon.js';
import { enterDirectory } from './directory.js';
import { listenAtStart } from './listen-at-start.js';
import { PidFile } from './pid-file.js';
import { ProcessTitle } from './process-title.js';
import { Supervision } from './supervision.js';
import { checkSyslog } from './syslog.js';

/**
 * The parameters of a Sentinel: those of redis-server with `--sentinel`. Undefined if it is not among them.
 * `--sentinel monitor …` is a directive, too.
 */
export function sentinelParameters(parameters: readonly string[]): string[] | undefined {
  if (!parameters.includes('--sentinel')) return undefined;
  return parameters.filter((parameter, i) => {
    const next = parameters[i + 1];
    return parameter !== '--sentinel' || (next !== undefined && !next.startsWith('--'));
  });
}

/** `sorrel sentinel`: reads the configuration file, listens, and runs until a signal or SHUTDOWN ends it. */
export async function runSentinel(parameters: readonly string[]): Promise<void> {
  const settings = new Settings();
  settings.configure('port', '26379');
  settings.configure('protected-mode', 'no');
  const directives: Directive[] = [];
  const { users } = configure(settings, parameters, directives);
  const file = configurationFile(settings);
  checkSyslog(settings);
  if (continuesInBackground(settings, parameters)) process.exit(0);
  enterDirectory(settings);
  const engine = new Engine({ settings, table: sentinelTable, databases: 1 });
  const server = new Server(engine);
  loadUsers(engine, users);
  engine.attach({ facts: { redis_mode: () => 'sentinel' } });
  const supervision = new Supervision(settings, (message) => server.log('warning', message));
  engine.attach({ facts: { process_supervised: () => supervision.mode } });
  new ProcessTitle(settings, 'sentinel');
  server.logRole = 'X';
  const sentinel = new Sentinel(
    engine,
    processWorld(engine, file, replaceFile, () => server.tls.masterOptions),
  );
  serveSentinel(sentinel);
  applyDirectives(
    sentinel,
    directives.map(({ values, line, where }) => ({
      words: values,
      refused: (reason) => new ConfigurationError(`${where}: '${line}': ${reason}`),
    })),
  );
  server.onShutdown = () => {
    sentinel.close();
    supervision.stopping();
    process.exit(0);
  };
  process.on('uncaughtException', (error) => {
    server.log('warning', `Crashed by an uncaught exception: ${error.stack ?? error}`);
    process.exit(1);
  });
  // As in Redis, the end of the terminal is not the end of the server.
  process.on('SIGHUP', () => {});
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      server.log('warning', `Received ${signal} scheduling shutdown...`);
      server.shutdown.request({ save: undefined, now: true, force: true });
    });
  }
  server.log(
    'warning',
    `Sorrel ${SORREL_VERSION} (Redis ${REDIS_VERSION}), pid=${process.pid}, just started`,
  );
  for (const warning of settings.takeWarnings()) server.log('warning', warning);
  await listenAtStart(server);
  new PidFile(pidFileOf(settings), (message) => server.log('warning', message));
  server.log(
    'notice',
    `Running mode=sentinel, port=${settings.number('port') || settings.number('tls-port')}.`,
  );
  sentinel.start();
  supervision.ready();
}

/** A Sentinel stores its state in the file: without one it could vote twice. */
function configurationFile({ file }: Settings): string {
  if (file === undefined) {
    throw new ConfigurationError(
      'a Sentinel needs a configuration file that it can write: sorrel sentinel FILE',
    );
  }
  try {
    accessSync(file, constants.W_OK);
  } catch (error) {
    throw new ConfigurationError(
      `the configuration file ${file} is not writable: ${(error as Error).message}`,
    );
  }
  return file;
}
