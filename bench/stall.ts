/**
 * The longest stall of the server's event loop while millions of keys are inserted, overwritten at random, expire all at
 * once, and are flushed. Options: --keys=5000000 --expiring=1000000.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Loader, type Words } from './support/load.js';
import { option, printTable, progress, thousands } from './support/measure.js';

const keys = option('keys', 5_000_000);
const expiring = option('expiring', 1_000_000);
const port = 20_000 + Math.floor(Math.random() * 5_000);
const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

const server = fork(path('../dist/cli/main.js'), ['server', '--port', String(port), '--save', ''], {
  execArgv: ['--import', path('support/stall-probe.mjs'), '--max-semi-space-size=16'],
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
});
process.once('exit', () => server.kill('SIGKILL'));

async function connected(): Promise<Loader> {
  for (;;) {
    try {
      return await Loader.connect(port);
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

interface Delays {
  readonly longest: number;
  readonly p999: number;
}

async function delays(): Promise<Delays> {
  server.send('read');
  const [message] = (await once(server, 'message')) as [Delays];
  return message;
}

const client = await connected();
const rows: string[][] = [];

async function phase(name: string, work: () => Promise<unknown>): Promise<void> {
  await delays();
  await work();
  // The work that is left after the last command.
  await new Promise((resolve) => setTimeout(resolve, 200));
  const { longest, p999 } = await delays();
  rows.push([name, longest.toFixed(1), p999.toFixed(1)]);
}

function send(count: number, command: (i: number) => Words): Promise<void> {
  return client.send(count, command, (done) => progress(`${thousands(done)} of ${thousands(count)}`));
}

const random = (below: number): number => Math.floor(Math.random() * below);

await phase(`insert ${thousands(keys)} keys`, () => send(keys, (i) => ['SET', `key:${i}`, `value:${i}`]));
await phase(`overwrite ${thousands(keys)} at random`, () =>
  send(keys, () => ['SET', `key:${random(keys)}`, 'x'.repeat(random(64))]),
);
await phase(`${thousands(expiring)} keys expire at once`, async () => {
  const at = Date.now() + 15_000;
  await send(expiring, (i) => ['PEXPIREAT', `key:${i}`, at]);
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, at - Date.now()) + 1000));
  while (!(await client.ask('DBSIZE')).startsWith(`:${keys - expiring}\r`)) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});
await phase('FLUSHALL', () => client.ask('FLUSHALL'));
progress('');
printTable(['phase', 'longest stall, ms', 'p99.9, ms'], rows);
client.close();
server.kill('SIGKILL');
process.exit(0);
