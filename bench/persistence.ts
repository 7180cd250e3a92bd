/**
 * Saving and loading, ours against redis-server: how long BGSAVE takes while clients write steadily, how long those
 * clients wait meanwhile, and how long a start with the file takes. Then the same with one large sorted set.
 * Options: --keys=2000000 --members=1000000 --rate=20000 (writes a second).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Loader, type Words } from './support/load.js';
import { option, printTable, progress, thousands } from './support/measure.js';

const keys = option('keys', 2_000_000);
const members = option('members', 1_000_000);
const rate = option('rate', 20_000);
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

const PROGRAMS: Record<string, string[]> = {
  'redis-server': ['redis-server'],
  sorrel: [process.execPath, '--max-semi-space-size=16', main, 'server'],
};

/** A server in a folder of its own, which can be started again and then finds its file. */
class Subject {
  readonly folder = mkdtempSync(join(tmpdir(), 'sorrel-bench-'));
  readonly port = 20_000 + Math.floor(Math.random() * 5_000);
  readonly #program: readonly string[];
  #process: ChildProcess | undefined;

  constructor(program: readonly string[]) {
    this.#program = program;
    process.once('exit', () => this.remove());
  }

  /** Starts it and returns how many ms it took until it had its data. */
  async start(): Promise<number> {
    const [program, ...parameters] = this.#program;
    const settings = ['--port', String(this.port), '--save', '', '--dir', this.folder];
    const begin = performance.now();
    this.#process = spawn(program as string, [...parameters, ...settings], { stdio: 'ignore' });
    for (;;) {
      try {
        const client = await Loader.connect(this.port);
        const answer = await client.ask('DBSIZE');
        client.close();
        if (answer.startsWith(':')) return performance.now() - begin;
      } catch {
        // Not listening yet.
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async kill(): Promise<void> {
    const child = this.#process as ChildProcess;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  get fileBytes(): number {
    return statSync(join(this.folder, 'dump.rdb')).size;
  }

  remove(): void {
    this.#process?.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Writes at a steady rate, a few commands each millisecond, and notes how long each few took to be answered. */
class SteadyWriter {
  readonly #socket: Socket;
  readonly #sent: number[] = [];
  #waits: number[] = [];
  #pending = 0;
  readonly #timer: NodeJS.Timeout;

  constructor(socket: Socket, command: () => Words) {
    this.#socket = socket;
    const perTick = Math.max(1, Math.round((rate * TICK_MS) / 1000));
    socket.on('data', (chunk: Buffer) => {
      for (const byte of chunk) {
        if (byte !== 10 || ++this.#pending < perTick) continue;
        this.#pending = 0;
        this.#waits.push(performance.now() - (this.#sent.shift() as number));
      }
    });
    this.#timer = setInterval(() => {
      let text = '';
      for (let i = 0; i < perTick; i++) {
        const words = command();
        text += `*${words.length}\r\n`;
        for (const word of words) text += `$${String(word).length}\r\n${word}\r\n`;
      }
      this.#sent.push(performance.now());
      socket.write(text, 'latin1');
    }, TICK_MS);
  }

  static async connect(port: number, command: () => Words): Promise<SteadyWriter> {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    await once(socket, 'connect');
    return new SteadyWriter(socket, command);
  }

  /** The waits since the last call, longest first. */
  take(): number[] {
    const waits = this.#waits.sort((a, b) => b - a);
    this.#waits = [];
    return waits;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#socket.destroy();
  }
}

const TICK_MS = 2;

interface Result {
  readonly quiet: number[];
  readonly saving: number[];
  readonly saveMs: number;
  readonly loadMs: number;
  readonly fileBytes: number;
}

const random = (below: number): number => Math.floor(Math.random() * below);

async function measure(
  name: string,
  count: number,
  fill: (i: number) => Words,
  change: () => Words,
): Promise<Result> {
  const subject = new Subject(PROGRAMS[name] as string[]);
  await subject.start();
  const client = await Loader.connect(subject.port);
  await client.send(count, fill, (done) => progress(`${name}: ${thousands(done)} of ${thousands(count)}`));
  const writer = await SteadyWriter.connect(subject.port, change);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  writer.take();
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const quiet = writer.take();
  const begin = performance.now();
  await client.ask('BGSAVE');
  while (!(await client.ask('INFO', 'persistence')).includes('rdb_bgsave_in_progress:0')) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const saveMs = performance.now() - begin;
  const saving = writer.take();
  writer.stop();
  client.close();
  const { fileBytes } = subject;
  await subject.kill();
  const loadMs = await subject.start();
  await subject.kill();
  subject.remove();
  progress('');
  return { quiet, saving, saveMs, loadMs, fileBytes };
}

/** The wait that one in a thousand exceeds. */
function p999(waits: readonly number[]): string {
  return (waits[Math.floor(waits.length / 1000)] ?? 0).toFixed(1);
}

async function compare(
  title: string,
  count: number,
  fill: (i: number) => Words,
  change: () => Words,
): Promise<void> {
  const rows: string[][] = [];
  for (const name of Object.keys(PROGRAMS)) {
    const { quiet, saving, saveMs, loadMs, fileBytes } = await measure(name, count, fill, change);
    rows.push([
      name,
      `${p999(quiet)} / ${(quiet[0] ?? 0).toFixed(1)}`,
      `${p999(saving)} / ${(saving[0] ?? 0).toFixed(1)}`,
      (saveMs / 1000).toFixed(2),
      (loadMs / 1000).toFixed(2),
      (fileBytes / 1e6).toFixed(1),
    ]);
  }
  console.log(`\n${title}, ${thousands(rate)} writes a second`);
  printTable(['', 'quiet p99.9 / longest, ms', 'saving', 'save, s', 'start, s', 'file, MB'], rows);
}

if (keys > 0) {
  await compare(
    `${thousands(keys)} keys`,
    keys,
    (i) => ['SET', `key:${i}`, `value:${i}`],
    () => ['SET', `key:${random(keys)}`, `changed:${random(keys)}`],
  );
}
if (members > 0) {
  await compare(
    `a sorted set of ${thousands(members)}`,
    members,
    (i) => ['ZADD', 'zset', random(1_000_000), `member:${i}`],
    () => ['ZADD', 'zset', random(1_000_000), `member:${random(members)}`],
  );
}
process.exit();
