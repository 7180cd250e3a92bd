/**
 * The console on a redis-server with 10 M keys and 1 M tasks of a queue, in Chromium: how long its pages take to answer a key press, what an open page costs
 * the server, and how much it raises the latency of another client. That client and its server have a processor of their own, where there are two and
 * `taskset`. It is compared with itself while no page is open, and while the same pages show a second server with the same data, so that what Chromium and
 * the console take from the machine is not counted as a cost of the server.
 * `--keys=10000000`, `--tasks=1000000`, `--parts=answers,costs,others`, `--rounds=7` of the last part: these are the defaults.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Console, console as serveConsole } from '../src/console/index.js';
import { defineTask, queue } from '../src/kit/queue/index.js';
import { open, type Store } from '../src/store/index.js';
import { TestBrowser, type Visit } from '../tests/console/support/browser.js';
import { type Server, startRedis, stopAllServers } from '../tests/support/fleet/index.js';
import { median, option, printTable, textOption } from './support/measure.js';

const KEYS = option('keys', 10_000_000);
const TASKS = option('tasks', 1_000_000);
const ROUNDS = option('rounds', 7);
const PARTS = textOption('parts', 'answers,costs,others').split(',');
/** Pages are used for this long, so that they are read again meanwhile, several times. */
const USE_MS = 6_000;
const COST_MS = 4_000;
const ROUND_MS = 2_500;
/** A search is fast for its first second, which is not what other clients meet most of the time. */
const FIRST_SECOND_MS = 1_200;

const BOARD = 'kit/queue?prefix=queue&name=mail&table=waiting';
const SEARCH = 'keys?match=nothing*';

interface Site {
  readonly server: Server;
  readonly store: Store;
  readonly served: Console;
}

async function startSite(options: readonly string[] = []): Promise<Site> {
  const server = await startRedis(options);
  const store = await open(`redis://127.0.0.1:${server.port}`, { commandTimeout: 120_000 });
  return { server, store, served: await serveConsole(store, { title: `${KEYS} keys` }) };
}

async function fill({ store }: Site): Promise<void> {
  await store.with({ timeout: 300_000 }).send('DEBUG', 'POPULATE', KEYS, 'user', 32);
  const mail = queue(store, 'mail');
  await mail.addAll(defineTask('email'), tasks());
  assert.equal((await mail.counts()).waiting, TASKS);
}

function* tasks(): Generator<[{ to: number }]> {
  for (let to = 0; to < TASKS; to++) yield [{ to }];
}

/** Pages of a console that are open at the same time. */
class Tabs {
  readonly #browser: TestBrowser;
  readonly #address: string;
  readonly #visits: Visit[] = [];

  constructor(browser: TestBrowser, { served }: Site) {
    this.#browser = browser;
    this.#address = served.address;
  }

  async show(...pages: readonly string[]): Promise<void> {
    for (const [index, hash] of pages.entries()) {
      this.#visits[index] ??= await this.#browser.open(this.#address);
      const { page } = this.#visits[index];
      await page.goto(new URL(`#/${hash}`, this.#address).href);
      await page.getByRole('heading', { level: 1 }).waitFor();
    }
  }

  async leave(): Promise<void> {
    for (const { page } of this.#visits) await page.goto('about:blank');
  }
}

// ---- responsiveness ----

/**
 * Presses keys and a button repeatedly; tells how long the page took to answer, up to the frame that shows it. Events that are no input of a person,
 * such as a pointer that is over another row since the table has changed, have no `interactionId`.
 */
async function use({ page }: Visit, focus: string, button: string): Promise<string> {
  await page.evaluate(`
    window.answers = [];
    new PerformanceObserver((list) => {
      for (const { interactionId, startTime, processingStart, duration } of list.getEntries())
        if (interactionId > 0) window.answers.push({ delay: processingStart - startTime, duration });
    }).observe({ type: 'event', durationThreshold: 16 });
  `);
  const end = performance.now() + USE_MS;
  while (performance.now() < end) {
    await page.locator(focus).focus();
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowDown', 'PageDown', 'End', 'Home', 'Tab'])
      await page.keyboard.press(key);
    const more = page.getByRole('button', { name: button });
    if ((await more.isVisible()) && (await more.isEnabled())) await more.click();
  }
  const answers = (await page.evaluate('window.answers')) as { delay: number; duration: number }[];
  const longest = (read: (answer: (typeof answers)[number]) => number): string =>
    Math.max(0, ...answers.map(read)).toFixed(0);
  return `input was delayed by ${longest(({ delay }) => delay)} ms at most, and shown after ${longest(({ duration }) => duration)} ms at most`;
}

async function measureAnswers(browser: TestBrowser, { served }: Site): Promise<void> {
  await using visit = await browser.open(served.address);
  const { page } = visit;
  let startedAt = performance.now();
  await visit.choose('Keys');
  await page.getByRole('treeitem').first().waitFor();
  const firstKeys = performance.now() - startedAt;
  const keys = await use(visit, '[role=tree]', 'Continue');
  console.log(`${KEYS} keys: the first after ${firstKeys.toFixed(0)} ms; ${keys}`);
  startedAt = performance.now();
  await page.evaluate(`location.hash = '#/${BOARD}'`);
  await page.getByRole('row').nth(1).waitFor();
  const firstTasks = performance.now() - startedAt;
  const board = await use(visit, '.table-frame', 'Next');
  console.log(`${TASKS} tasks: the first after ${firstTasks.toFixed(0)} ms; ${board}`);
}

// ---- cost of an open page ----

interface Costs {
  readonly commands: number;
  readonly processorMs: number;
}

async function costsSoFar(store: Store): Promise<Costs> {
  const info = await store.send<string>('INFO', 'stats', 'cpu');
  const field = (name: string): number => Number(new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1]);
  return {
    commands: field('total_commands_processed'),
    processorMs: (field('used_cpu_user') + field('used_cpu_sys')) * 1_000,
  };
}

/** What the server did in a while, per second. */
async function costsNow(store: Store): Promise<Costs> {
  const before = await costsSoFar(store);
  const startedAt = performance.now();
  await sleep(COST_MS);
  const after = await costsSoFar(store);
  const seconds = (performance.now() - startedAt) / 1_000;
  return {
    // Without INFO itself.
    commands: (after.commands - before.commands - 1) / seconds,
    processorMs: (after.processorMs - before.processorMs) / seconds,
  };
}

const OPEN_PAGES: readonly (readonly [string, readonly string[]])[] = [
  ['overview', ['']],
  ['overview in three tabs', ['', '', '']],
  ['a search through all keys', [SEARCH]],
  ['components, while they are searched for', ['kit']],
  ['board of the queue', [BOARD]],
  ['board of the queue in three tabs', [BOARD, BOARD, BOARD]],
];

async function measureCosts(tabs: Tabs, { store }: Site): Promise<void> {
  await tabs.leave();
  const idle = await costsNow(store);
  const rows: string[][] = [];
  for (const [name, pages] of OPEN_PAGES) {
    await tabs.show(...pages);
    await sleep(FIRST_SECOND_MS);
    const { commands, processorMs } = await costsNow(store);
    rows.push([name, commands.toFixed(1), (processorMs - idle.processorMs).toFixed(2)]);
    await tabs.leave();
  }
  printTable(['open page', 'commands a second', "ms of the server's processor a second"], rows);
}

// ---- other clients ----

interface Latencies {
  readonly calls: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

/** Moves a process, all its threads and those that it starts later to processors. */
function moveTo(processors: string, pid = 0): boolean {
  try {
    execFileSync('taskset', ['-a', '-c', '-p', processors, String(pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

class Client implements Disposable {
  readonly process: ChildProcess;

  private constructor(port: number) {
    const program = fileURLToPath(new URL('support/latency-probe.mjs', import.meta.url));
    this.process = fork(program, [String(port), String(KEYS)], { execArgv: [] });
  }

  static async start(port: number): Promise<Client> {
    const client = new Client(port);
    await once(client.process, 'message');
    return client;
  }

  async measure(ms: number): Promise<Latencies> {
    this.process.send(ms);
    const [latencies] = (await once(this.process, 'message')) as [Latencies];
    return latencies;
  }

  [Symbol.dispose](): void {
    this.process.disconnect();
  }
}

async function measureOthers(client: Client, here: Tabs, elsewhere: Tabs): Promise<void> {
  const pages = ['', SEARCH, BOARD];
  const phases: readonly (readonly [string, () => Promise<void>])[] = [
    ['no page is open', async () => {}],
    ['the overview, a search and the board of another server', () => elsewhere.show(...pages)],
    ['the overview, a search and the board of this server', () => here.show(...pages)],
  ];
  const found = phases.map((): Latencies[] => []);
  await client.measure(ROUND_MS);
  for (let round = 0; round < ROUNDS; round++) {
    for (let turn = 0; turn < phases.length; turn++) {
      // Each comes first, second and third equally often.
      const index = (turn + round) % phases.length;
      await phases[index]?.[1]();
      await sleep(FIRST_SECOND_MS);
      found[index]?.push(await client.measure(ROUND_MS));
      await here.leave();
      await elsewhere.leave();
    }
  }
  printTable(
    ['GET of another client, while', 'p50', 'p99', 'p99.9 in µs'],
    phases.map(([name], index) => [
      name,
      ...(['p50', 'p99', 'p999'] as const).map((part) =>
        median((found[index] ?? []).map((one) => one[part])).toFixed(1),
      ),
    ]),
  );
  const ratio = (index: number): string => {
    const ratios = found[2]?.map(({ p99 }, round) => p99 / (found[index]?.[round]?.p99 ?? Number.NaN)) ?? [];
    return `${((median(ratios) - 1) * 100).toFixed(1)} % (${ratios.map((one) => ((one - 1) * 100).toFixed(0)).join(', ')})`;
  };
  console.log(`The pages of this server raise its p99, compared with those of another one, by ${ratio(1)};`);
  console.log(`compared with no page at all, on this machine, by ${ratio(0)}: median of ${ROUNDS} rounds.`);
}

/** Gives the server and its client a processor of their own. The client waits while the server works, so that one is enough for both. */
function separate(client: Client): void {
  const processors = availableParallelism();
  const rest = `1-${processors - 1}`;
  const isDone =
    processors > 1 &&
    moveTo(rest, process.pid) &&
    moveTo(rest, elsewhere.server.process.pid) &&
    moveTo('0', here.server.process.pid) &&
    moveTo('0', client.process.pid);
  console.log(
    isDone
      ? 'From here on the server and its other client have processor 0, everything else has the rest.'
      : 'All processes share all processors: there is one only, or no `taskset`.',
  );
}

const here = await startSite();
const elsewhere = await startSite();
await Promise.all((PARTS.includes('others') ? [here, elsewhere] : [here]).map(fill));
if (PARTS.includes('answers')) {
  await using browser = await TestBrowser.start();
  await measureAnswers(browser, here);
}
{
  using client = await Client.start(here.server.port);
  separate(client);
  await using browser = await TestBrowser.start();
  const tabs = new Tabs(browser, here);
  if (PARTS.includes('costs')) await measureCosts(tabs, here);
  if (PARTS.includes('others')) await measureOthers(client, tabs, new Tabs(browser, elsewhere));
}
for (const { served, store } of [here, elsewhere]) {
  await served.close();
  await store.close();
}
await stopAllServers();
