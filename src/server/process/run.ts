import { closeSync, openSync } from 'node:fs';
import { SettingError } from '../../commands/config/kinds.js';
import { Settings } from '../../commands/config/settings.js';
import type { ShutdownOptions } from '../../commands/engine-port.js';
import type { CommandRenaming, CommandTable } from '../../commands/table.js';
import { REDIS_VERSION, SORREL_VERSION } from '../../commands/version.js';
import { Engine } from '../../engine/engine.js';
import { commandTable } from '../../engine/running/command-table.js';
import { FolderLocked } from '../../persistence/folder-lock.js';
import { Persistence } from '../../persistence/persistence.js';
import { systemReason } from '../../persistence/system-error.js';
import { removeUnfinishedFiles } from '../../persistence/temporary-files.js';
import { DamagedFile } from '../../rdb/rdb-loader.js';
import { ClusterService } from '../cluster/cluster-service.js';
import { ConfigurationError, configure, listensSomewhere } from '../configuration/configuration.js';
import { loadUsers } from '../configuration/users-at-start.js';
import { Server } from '../server.js';
import { continuesInBackground, pidFileOf } from './daemon.js';
import { enterDirectory } from './directory.js';
import { startJobProcess } from './job-process.js';
import { listenAtStart } from './listen-at-start.js';
import { OomScore } from './oom-score.js';
import { fitClients } from './open-files.js';
import { PidFile } from './pid-file.js';
import { ProcessTitle } from './process-title.js';
import { runSentinel, sentinelParameters } from './run-sentinel.js';
import { Supervision } from './supervision.js';
import { checkSyslog } from './syslog.js';

const SERVER_NAME = `Sorrel ${SORREL_VERSION} (Redis ${REDIS_VERSION})`;

/** `sorrel server`: configures, listens, and runs until a signal or SHUTDOWN ends it. */
export async function runServer(parameters: readonly string[]): Promise<void> {
  const ofSentinel = sentinelParameters(parameters);
  if (ofSentinel !== undefined) {
    await runSentinel(ofSentinel);
    return;
  }
  const settings = new Settings();
  const { renamings, users } = configure(settings, parameters);
  const table = tableWith(renamings);
  checkUsable(settings);
  const fileWarnings = fitClients(settings);
  if (continuesInBackground(settings, parameters)) process.exit(0);
  enterDirectory(settings);
  const engine = new Engine({ settings, table, databases: settings.number('databases') });
  const server = new Server(engine);
  if (settings.isOn('cluster-enabled')) {
    server.clusterService = new ClusterService(server, { folder: process.cwd(), die: () => process.exit(1) });
  }
  loadUsers(engine, users);
  const oomScore = adjustOomScore(settings);
  const persistence = new Persistence(engine, () => startJobProcess(settings, oomScore));
  server.files = persistence;
  const supervision = new Supervision(settings, (message) => server.log('warning', message));
  engine.attach({ facts: { process_supervised: () => supervision.mode } });
  new ProcessTitle(settings, settings.isOn('cluster-enabled') ? 'cluster' : 'standalone');
  persistence.aof.onFatal = () => process.exit(1);
  server.onShutdown = () => {
    supervision.stopping();
    process.exit(0);
  };
  // Errors thrown by commands are caught elsewhere. After any other error the state may be inconsistent.
  process.on('uncaughtException', (error) => {
    server.log('warning', `Crashed by an uncaught exception: ${error.stack ?? error}`);
    process.exit(1);
  });
  process.on('exit', removeUnfinishedFiles);
  process.once('SIGABRT', () => server.crash('Received SIGABRT'));
  // As in Redis, the end of the terminal is not the end of the server.
  process.on('SIGHUP', () => {});
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => endBy(signal, server));
  }
  server.log('warning', `${SERVER_NAME}, pid=${process.pid}, just started`);
  for (const warning of [...fileWarnings, ...settings.takeWarnings()]) server.log('warning', warning);
  engine.loading.hold(persistence);
  await listenAtStart(server);
  new PidFile(pidFileOf(settings), (message) => server.log('warning', message));
  if (settings.isOn('always-show-logo')) showLogo(settings);
  await load(server, persistence);
  server.ownReplication?.start({ files: persistence, master: server.clusterService?.cluster.masterAddress });
  startNode(server);
  announce(server);
  supervision.ready();
}

/** In cluster mode. Clients may be connected by now, so that the process has to be ended. */
function startNode(server: Server): void {
  try {
    server.clusterService?.start();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    server.log('warning', `${error.message} Exiting.`);
    process.exit(1);
  }
}

/** As in Redis, a second SIGINT, or a signal while data is loaded, ends the process at once. */
function endBy(signal: 'SIGTERM' | 'SIGINT', server: Server): void {
  if (signal === 'SIGINT' && server.shutdown.isWaiting) {
    server.log('warning', 'You insist... exiting now.');
    process.exit(1);
  }
  if (server.engine.isLoading) {
    server.log('warning', 'Received shutdown signal during loading, exiting now.');
    process.exit(0);
  }
  server.shutdown.signal(signal, signalOptions(server.engine.settings, signal));
}

function tableWith(renamings: readonly CommandRenaming[]): CommandTable {
  try {
    return renamings.length === 0 ? commandTable : commandTable.renamed(renamings);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ConfigurationError(error.message);
  }
}

/** The checks of Redis before it starts. */
function checkUsable(settings: Settings): void {
  const file = settings.text('logfile');
  try {
    if (file !== '') closeSync(openSync(file, 'a'));
  } catch (error) {
    throw new ConfigurationError(`option 'logfile ${file}': Can't open the log file: ${systemReason(error)}`);
  }
  checkSyslog(settings);
  if (!listensSomewhere(settings)) {
    throw new ConfigurationError("Configured to not listen anywhere: set 'port', 'tls-port' or 'unixsocket'");
  }
}

function adjustOomScore(settings: Settings): OomScore {
  try {
    return new OomScore(settings);
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw new ConfigurationError(error.reason);
  }
}

/** `shutdown-on-sigterm` and `shutdown-on-sigint` */
function signalOptions(settings: Settings, signal: 'SIGTERM' | 'SIGINT'): ShutdownOptions {
  const words = settings.text(`shutdown-on-${signal.toLowerCase()}`).split(' ');
  const save = words.includes('save') ? true : words.includes('nosave') ? false : undefined;
  return { save, now: words.includes('now'), force: words.includes('force') };
}

/** Clients can connect during loading; most commands are refused until it is done. */
async function load(server: Server, persistence: Persistence): Promise<void> {
  try {
    await persistence.load();
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof DamagedFile) {
      const { position, reason } = error;
      // In Redis's words, which tools look for.
      server.log(
        'warning',
        `Internal error in RDB reading offset ${position} -> integrity check failed: ${reason}`,
      );
      server.log('warning', `RDB integrity check failed: ${message}. The file is unchanged.`);
      server.log('warning', 'Terminating server after rdb file reading failure.');
      process.exit(1);
    }
    const { path, syscall } = error as NodeJS.ErrnoException;
    const what = syscall === undefined ? message : `${path ?? 'the file'}: ${systemReason(error)}`;
    const reason =
      error instanceof FolderLocked ? message : `Fatal error loading the DB, check the file: ${what}`;
    server.log('warning', `${reason}. Exiting.`);
    process.exit(1);
  }
}

/** The lines that redis-server prints beside its logo: programs that start a server look for them. */
function showLogo(settings: Settings): void {
  const lines = [
    SERVER_NAME,
    `Running in ${settings.isOn('cluster-enabled') ? 'cluster' : 'standalone'} mode`,
  ];
  const port = settings.number('port') || settings.number('tls-port');
  lines.push(`Port: ${port}`, `PID: ${process.pid}`);
  console.log(lines.map((line) => `    ${line}`).join('\n'));
}

function announce(server: Server): void {
  const { settings } = server.engine;
  const port = settings.number('port');
  const tlsPort = settings.number('tls-port');
  const path = settings.text('unixsocket');
  if (port !== 0) server.log('notice', `Listening: redis-cli -p ${port}, or redis://127.0.0.1:${port}`);
  if (tlsPort !== 0) {
    server.log('notice', `Listening: redis-cli --tls -p ${tlsPort}, or rediss://127.0.0.1:${tlsPort}`);
  }
  if (path !== '') server.log('notice', `Listening: redis-cli -s ${path}`);
  server.log('notice', 'Ready to accept connections. Stop it with Ctrl-C or SHUTDOWN.');
  // In Redis's words, which programs that start a server on a socket wait for.
  if (path !== '') server.log('notice', `The server is now ready to accept connections at ${path}`);
}
