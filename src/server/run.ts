import { chdir, cwd } from 'node:process';
import { Settings } from '../commands/config/settings.js';
import { REDIS_VERSION, SORREL_VERSION } from '../commands/version.js';
import { Engine } from '../engine/engine.js';
import { ConfigurationError, configure } from './configuration.js';
import { ListenError } from './listening.js';
import { Server } from './server.js';

/** `sorrel server`: configures, listens, and runs until a signal or SHUTDOWN ends it. */
export async function runServer(parameters: readonly string[]): Promise<void> {
  const settings = new Settings();
  configure(settings, parameters);
  enterDirectory(settings);
  const engine = new Engine({ settings, databases: settings.number('databases') });
  const server = new Server(engine);
  server.onShutdown = () => process.exit(0);
  // What is thrown out of a command never gets here. Anything else may have left anything half done.
  process.on('uncaughtException', (error) => {
    server.log('warning', `Crashed by an uncaught exception: ${error.stack ?? error}`);
    process.exit(1);
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      server.log('warning', `Received ${signal} scheduling shutdown...`);
      server.shutdown({ save: undefined, now: false, force: false });
    });
  }
  server.log(
    'warning',
    `Sorrel ${SORREL_VERSION} (Redis ${REDIS_VERSION}), pid=${process.pid}, just started`,
  );
  await listen(server);
  announce(server);
}

function enterDirectory(settings: Settings): void {
  const directory = settings.text('dir');
  try {
    if (directory !== '') chdir(directory);
  } catch (error) {
    throw new ConfigurationError(`option 'dir ${directory}': ${(error as Error).message}`);
  }
  settings.configure('dir', cwd());
}

async function listen(server: Server): Promise<void> {
  try {
    await server.listen();
  } catch (error) {
    if (!(error instanceof ListenError) || error.code !== 'EADDRINUSE') throw error;
    const port = server.engine.settings.text('port');
    throw new ConfigurationError(
      `port ${port} is taken (address already in use): stop what listens there, or choose another with --port`,
    );
  }
}

function announce(server: Server): void {
  const { settings } = server.engine;
  const port = settings.number('port');
  const path = settings.text('unixsocket');
  if (port !== 0) server.log('notice', `Listening: redis-cli -p ${port}, or redis://127.0.0.1:${port}`);
  if (path !== '') server.log('notice', `Listening: redis-cli -s ${path}`);
  server.log('notice', 'Ready to accept connections. Stop it with Ctrl-C or SHUTDOWN.');
}
