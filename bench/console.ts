/**
 * The console on a redis-server with 10 M keys and 1 M tasks of a queue: how long the pages of the keys and of the queue take to answer a key press, and how
 * much the console raises the latency of other clients. Parameters: the numbers of keys and of tasks, default 10,000,000 and 1,000,000.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { console as serveConsole } from '../src/console/index.js';
import { defineTask, queue } from '../src/kit/queue/index.js';
import { open } from '../src/store/index.js';
import { TestBrowser } from '../tests/console/support/browser.js';
import { startRedis, stopAllServers } from '../tests/support/fleet/index.js';

const KEYS = Number(process.argv[2] ?? 10_000_000);
const TASKS = Number(process.argv[3] ?? 1_000_000);
const ROUNDS = 5;
const CALLS = 100_000;
/** A search is fast for its first second, which is not what other clients meet most of the time. */
const FIRST_SECOND_MS = 1_200;

const server = await startRedis();
const store = await open(`redis://127.0.0.1:${server.port}`, { commandTimeout: 120_000 });
await store.with({ timeout: 300_000 }).send('DEBUG', 'POPULATE', KEYS, 'user', 32);
await using served = await serveConsole(store, { title: `${KEYS} keys` });
await using browser = await TestBrowser.start();
const visit = await browser.open(served.address);
const { page } = visit;

// ---- responsiveness ----
/** Notes how long the page takes to answer each input that takes longer than 16 ms. */
await page.evaluate(`
  window.delays = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.delays.push(entry.processingStart - entry.startTime, entry.duration);
  }).observe({ type: 'event', durationThreshold: 16 });
`);

async function longestAnswer(): Promise<string> {
  const delays = (await page.evaluate('window.delays.splice(0)')) as number[];
  return `longest answer to a key press ${Math.max(0, ...delays).toFixed(0)} ms`;
}

async function pressKeys(): Promise<void> {
  for (const key of ['ArrowDown', 'ArrowRight', 'ArrowDown', 'PageDown', 'End', 'Home'])
    await page.keyboard.press(key);
}

let startedAt = performance.now();
await visit.choose('Keys');
await page.getByRole('treeitem').first().waitFor();
const firstKeys = performance.now() - startedAt;
await page.getByRole('tree').focus();
for (let round = 0; round < 12; round++) {
  await pressKeys();
  const more = page.getByRole('button', { name: 'Continue' });
  if (await more.isVisible()) {
    await more.click();
    await page.getByRole('tree').focus();
  }
}
console.log(`${KEYS} keys: the first after ${firstKeys.toFixed(0)} ms; ${await longestAnswer()}`);

const email = defineTask('email');
const mail = queue(store, 'mail');
await mail.addAll(
  email,
  Array.from({ length: TASKS }, (_, n) => [{ to: n }]),
);
assert.equal((await mail.counts()).waiting, TASKS);
startedAt = performance.now();
await page.evaluate("location.hash = '#/kit/queue?prefix=queue&name=mail&table=waiting'");
await page.getByRole('heading', { level: 1, name: 'mail' }).waitFor();
const firstTasks = performance.now() - startedAt;
for (let round = 0; round < 12; round++) {
  await pressKeys();
  await page.keyboard.press('Tab');
  const more = page.getByRole('button', { name: 'Next' });
  if (await more.isVisible()) await more.click();
}
console.log(`${TASKS} tasks: the board after ${firstTasks.toFixed(0)} ms; ${await longestAnswer()}`);
await mail.obliterate();

await visit[Symbol.asyncDispose]();

// ---- other clients ----
/** The p99 of GET in ms, by one client of redis-benchmark: it sees what the console makes it wait for. */
async function p99(): Promise<number> {
  const words = [
    '-p',
    String(server.port),
    '-t',
    'get',
    '-c',
    '1',
    '-n',
    String(CALLS),
    '-r',
    String(KEYS),
    '--csv',
  ];
  const client: ChildProcess = spawn('redis-benchmark', words);
  let text = '';
  client.stdout?.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  await once(client, 'close');
  const [head, row] = text
    .trim()
    .split('\n')
    .slice(-2)
    .map((line) => line.split(',').map((cell) => cell.replaceAll('"', '')));
  return Number(row?.[head?.indexOf('p99_latency_ms') ?? -1]);
}

/** The overview, and a search that finds nothing and so goes through all keys. */
function useConsole(): () => Promise<void> {
  const leaving = new AbortController();
  const address = new URL(served.address);
  const headers = { authorization: `Bearer ${address.hash.replace('#token=', '')}`, 'x-sorrel-console': '1' };
  address.hash = '';
  const streams = ['api/overview/live', 'api/keys/scan?match=nothing*'].map(async (path) => {
    const response = await fetch(new URL(path, address), { headers, signal: leaving.signal });
    await response.text();
  });
  return async () => {
    leaving.abort();
    await Promise.allSettled(streams);
  };
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
const alone: number[] = [];
const together: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  alone.push(await p99());
  const stop = useConsole();
  await sleep(FIRST_SECOND_MS);
  together.push(await p99());
  await stop();
}
console.log(
  `p99 of GET: ${median(alone)} ms alone (${alone.join(', ')}), ` +
    `${median(together)} ms with the overview and, after its first second, a search (${together.join(', ')})`,
);
await store.close();
await stopAllServers();
