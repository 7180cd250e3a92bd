import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SOURCE_OPTIONS, sourceProgram } from '../../scripts/transpiled.mjs';
import { open } from '../../src/store/open.js';
import type { Probe, Values } from './observing.js';

const MAIN = sourceProgram(new URL('../../src/cli/main.ts', import.meta.url));

interface Observed {
  /** Whether the process that was started has ended, and the server runs without it. */
  readonly isInBackground: boolean;
  /** The calls of systemd-notify. */
  readonly notified: readonly string[];
}

/** Runs `sorrel server` until SHUTDOWN, with a systemd-notify that only notes how it is called. */
async function runServer(values: Values): Promise<Observed> {
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-settings-daemon-'));
  const path = (name: string): string => join(folder, name);
  mkdirSync(path('bin'));
  writeFileSync(path('bin/systemd-notify'), `#!/bin/sh\necho "$@" >> ${path('notified')}\n`, { mode: 0o755 });
  const all = {
    ...{ port: '0', unixsocket: path('socket'), dir: folder, save: '', pidfile: path('pid') },
    ...{ logfile: path('log'), ...values },
  };
  const parameters = Object.entries(all).flatMap(([name, text]) => [`--${name}`, text]);
  const env = { ...process.env, PATH: `${path('bin')}:${process.env['PATH']}`, NOTIFY_SOCKET: '/nowhere' };
  const child = spawn(process.execPath, [...SOURCE_OPTIONS, MAIN, 'server', ...parameters], {
    env,
    stdio: 'ignore',
  });
  let pid = 0;
  try {
    while (!read(path('log')).includes('Ready to accept')) await wait(20);
    pid = Number(read(path('pid')));
    // The process that was started ends by itself, or it is the server.
    while (child.exitCode === null && pid !== child.pid) await wait(5);
    await using store = await open(`unix:${path('socket')}`);
    const isInBackground = child.exitCode === 0 && (await store.ping()) === 'PONG';
    await store.send('SHUTDOWN', 'NOSAVE').catch(() => {});
    while (existsSync(path('pid'))) await wait(5);
    if (child.exitCode === null) await once(child, 'exit');
    const notified = read(path('notified')).replaceAll(String(pid), 'PID').split('\n');
    return { isInBackground, notified };
  } finally {
    child.kill('SIGKILL');
    if (pid !== 0) spawnSync('kill', ['-9', String(pid)]);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

function read(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const observed = new Map<string, Promise<Observed>>();

/** The same run serves several probes: a process takes long to start. */
function observe(values: Values): Promise<Observed> {
  const key = JSON.stringify(values);
  const known = observed.get(key) ?? runServer(values);
  observed.set(key, known);
  return known;
}

/** Settings of a process that others start and watch. */
export const daemonProbes: Readonly<Record<string, Probe>> = {
  daemonize: { value: 'yes', observe: async (values) => (await observe(values)).isInBackground },
  supervised: { value: 'systemd', observe: async (values) => (await observe(values)).notified },
};
