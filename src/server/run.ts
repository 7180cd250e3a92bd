import { chdir, cwd } from 'node:process';
import { Settings } from '../commands/config/settings.js';
import { Engine } from '../engine/engine.js';
import { ConfigurationError, configure } from './configuration.js';
import { Server } from './server.js';

/** `sorrel server`: configures, listens, and runs until a signal or SHUTDOWN ends it. */
export async function runServer(parameters: readonly string[]): Promise<void> {
  const settings = new Settings();
  configure(settings, parameters);
  enterDirectory(settings);
  const engine = new Engine({ settings, databases: settings.number('databases') });
  const server = new Server(engine);
  await listen(server);
  announce(settings);
  const stop = (signal: string): void => {
    console.log(`Received ${signal}, shutting down`);
    void server.close().then(() => process.exit(0));
  };
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGINT', () => stop('SIGINT'));
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
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') throw error;
    const port = server.engine.settings.text('port');
    throw new ConfigurationError(
      `port ${port} is taken (address already in use): stop what listens there, or choose another with --port`,
    );
  }
}

function announce(settings: Settings): void {
  const port = settings.number('port');
  const path = settings.text('unixsocket');
  const lines = ['Sorrel is ready to accept connections.'];
  if (port !== 0) lines.push(`  redis-cli -p ${port}    or    redis://127.0.0.1:${port}`);
  if (path !== '') lines.push(`  redis-cli -s ${path}`);
  lines.push('Stop it with Ctrl-C or SHUTDOWN.');
  console.log(lines.join('\n'));
}
