import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SOURCE_OPTIONS, sourceProgram } from '../../scripts/transpiled.mjs';
import { serve } from '../../src/server/index.js';
import { open } from '../../src/store/open.js';
import { freePort } from '../support/fleet/server-process.js';
import type { Probe, Values } from './observing.js';

const MAIN = sourceProgram(new URL('../../src/cli/main.ts', import.meta.url));

interface Observed {
  readonly output: string;
  readonly pid: string | undefined;
  readonly savedAtEnd: boolean;
}

/** Runs `sorrel server` until a signal ends it, with one unsaved change. */
async function runServer(values: Values, signal: NodeJS.Signals = 'SIGTERM'): Promise<Observed> {
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-settings-process-'));
  const socket = join(folder, 'socket');
  const all = { port: '0', unixsocket: socket, dir: folder, save: '', ...values };
  const parameters = Object.entries(all).flatMap(([name, text]) => [`--${name}`, text]);
  const child = spawn(process.execPath, [...SOURCE_OPTIONS, MAIN, 'server', ...parameters]);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  try {
    await untilReady(child, () => output);
    await using store = await open(`unix:${socket}`);
    await store.set('key', 'value');
    const pidFile = join(folder, 'pid');
    const pid = existsSync(pidFile) ? readFileSync(pidFile, 'utf8') : undefined;
    child.kill(signal);
    await once(child, 'exit');
    const isOwnPid = pid === undefined ? undefined : pid === `${child.pid}\n` ? 'its own' : pid;
    if (existsSync(pidFile)) throw new Error('the PID file stays behind');
    const savedAtEnd = existsSync(join(folder, 'dump.rdb'));
    return { output: output.replace(/\d+/g, '0'), pid: isOwnPid, savedAtEnd };
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function untilReady(child: ChildProcess, output: () => string): Promise<void> {
  while (!output().includes('Ready to accept')) {
    if (child.exitCode !== null) throw new Error(`the server has ended: ${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The queue of connections that the system keeps for the listening socket, as the system reports it. */
async function backlog(values: Values): Promise<string | undefined> {
  const port = await freePort();
  await using _server = await serve({ port, ...values });
  const { stdout } = spawnSync('ss', ['-ltnH', `sport = :${port}`], { encoding: 'utf8' });
  return stdout.trim().split(/\s+/)[2];
}

/** The keep-alive setting of a new connection. */
async function keepAlive(values: Values): Promise<unknown> {
  const port = await freePort();
  const asked: unknown[] = [];
  const { setKeepAlive } = Socket.prototype;
  Socket.prototype.setKeepAlive = function (this: Socket, ...args) {
    asked.push(args);
    return setKeepAlive.apply(this, args);
  };
  try {
    await using _server = await serve({ port, ...values });
    const client = connect(port, '127.0.0.1');
    client.write('PING\r\n');
    await once(client, 'data');
    client.destroy();
  } finally {
    Socket.prototype.setKeepAlive = setKeepAlive;
  }
  return asked;
}

/** Settings whose effect is visible in a process or its sockets. */
export const processProbes: Readonly<Record<string, Probe>> = {
  'tcp-backlog': { value: '7', observe: backlog },
  'tcp-keepalive': { value: '7', observe: keepAlive },
  pidfile: { value: 'pid', observe: async (values) => (await runServer(values)).pid },
  'always-show-logo': {
    value: 'yes',
    observe: async (values) => (await runServer(values)).output.includes('Running in standalone mode'),
  },
  'shutdown-on-sigterm': {
    value: 'save',
    observe: async (values) => (await runServer(values, 'SIGTERM')).savedAtEnd,
  },
  'shutdown-on-sigint': {
    value: 'save',
    observe: async (values) => (await runServer(values, 'SIGINT')).savedAtEnd,
  },
};
