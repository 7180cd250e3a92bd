import { interruptible } from '../interruptible.js';
import { Exit, processSurroundings, type Surroundings } from '../shell/console.js';
import { exactParameters } from '../shell/options.js';
import { UsageError } from '../shell/server-options.js';
import { type Endpoint, nameOf } from '../wire/connect.js';
import { Link } from '../wire/link.js';
import { itemsOf, textOf } from '../wire/reply.js';
import { fetchNodes, type LoadNode, nodeSettings } from './cluster-nodes.js';
import { Load, type LoadPlan } from './load.js';
import { LoadError } from './load-error.js';
import { type Generator, generatorOf, type StartThread } from './load-threads.js';
import { type LoadTest, selectTests, TEST_NAMES, withTags } from './named-tests.js';
import { type BenchmarkOptions, parseBenchmarkOptions } from './options.js';
import {
  CSV_HEADER,
  comparisonReport,
  csvReport,
  fullReport,
  jsonReport,
  type Measurement,
  median,
  quietReport,
  rateOf,
  ratiosOf,
} from './report.js';
import { withData } from './request-batch.js';

/** The program that this is a part of. */
export interface Program {
  readonly help: string;
  readonly version: string;
  readonly startThread: StartThread;
}

/** `sorrel benchmark`. The result is the exit code. */
export async function runBenchmark(
  parameters: readonly string[],
  { help, version, startThread }: Program,
  surroundings: Surroundings = processSurroundings,
): Promise<number> {
  const print = (fd: 1 | 2, text: string): void => surroundings.write(fd, Buffer.from(text));
  try {
    const options = parseBenchmarkOptions(exactParameters(parameters));
    if (options.asks !== undefined) {
      print(1, `${options.asks === 'help' ? help : version}\n`);
      return 0;
    }
    for (const warning of options.warnings) print(2, `${warning}\n`);
    return await new Benchmark(options, surroundings, startThread).run();
  } catch (error) {
    if (error instanceof Exit) return error.code;
    if (!(error instanceof UsageError || error instanceof LoadError)) throw error;
    print(2, `${error.message}\n`);
    return 1;
  }
}

type Embedded = Awaited<ReturnType<typeof import('./embedded-load.js').EmbeddedLoad.opener>>;

class Benchmark {
  readonly #options: BenchmarkOptions;
  readonly #surroundings: Surroundings;
  readonly #startThread: StartThread;
  readonly #results: unknown[] = [];
  #embedded: Embedded | undefined;
  /** The masters of the cluster that is measured; empty if it is a server. */
  #nodes: readonly LoadNode[] = [];
  #current: Generator | undefined;
  #isInterrupted = false;

  constructor(options: BenchmarkOptions, surroundings: Surroundings, startThread: StartThread) {
    this.#options = options;
    this.#surroundings = surroundings;
    this.#startThread = startThread;
  }

  async run(): Promise<number> {
    const { signal, end } = interruptible();
    signal.addEventListener('abort', () => {
      this.#isInterrupted = true;
      this.#current?.stop();
    });
    try {
      if (this.#options.embedded) {
        const { EmbeddedLoad } = await import('./embedded-load.js');
        this.#embedded = await EmbeddedLoad.opener();
      }
      if (this.#options.cluster) await this.#findNodes();
      if (this.#options.idles) await this.#idle(signal);
      else await this.#runTests(await this.#tests());
      if (this.#options.output === 'json') this.#print(`${JSON.stringify(this.#results, undefined, 2)}\n`);
      return this.#isInterrupted ? INTERRUPTED : 0;
    } finally {
      end();
      await this.#embedded?.close();
    }
  }

  async #tests(): Promise<readonly LoadTest[]> {
    const { command, tests, dataSize, lastArgumentFromInput } = this.#options;
    let found: readonly LoadTest[];
    if (command.length > 0) {
      const args = lastArgumentFromInput ? [...command, await this.#readInput()] : command;
      found = [{ title: command.join(' '), args }];
    } else {
      const selected = selectTests(tests);
      if ('unknown' in selected)
        throw new UsageError(`there is no test '${selected.unknown}': -t takes ${TEST_NAMES.join(', ')}`);
      found = this.#options.cluster ? withTags(selected) : selected;
    }
    return found.map((each) => ({ ...each, args: withData(each.args, dataSize) }));
  }

  async #readInput(): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.#surroundings.input) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).latin1Slice();
  }

  async #runTests(tests: readonly LoadTest[]): Promise<void> {
    const { loops, output, against } = this.#options;
    if (output === 'csv' && against === undefined) this.#print(CSV_HEADER);
    if (output === 'csv' && against !== undefined)
      this.#print('"test","rps","rps_against","ratio","min_ratio","max_ratio"\n');
    const settings = output === 'full' ? await this.#serverSettings() : [];
    do {
      for (const test of tests) {
        if (this.#isInterrupted) return;
        if (against === undefined)
          this.#report(await this.#measure(test, this.#options.server.endpoint), settings);
        else await this.#compare(test, against);
      }
    } while (loops && !this.#isInterrupted);
  }

  async #measure(test: LoadTest, endpoint: Endpoint): Promise<Measurement> {
    const plan = this.#planOf(test, endpoint);
    const generator = this.#embedded?.of(plan) ?? generatorOf(plan, this.#threads, this.#startThread);
    this.#current = generator;
    await generator.connect();
    const begun = performance.now();
    const progress = this.#showProgress(test.title, generator, begun);
    try {
      if (!this.#isInterrupted) await generator.run();
    } finally {
      progress();
      this.#current = undefined;
    }
    const seconds = (performance.now() - begun) / 1000;
    return { title: test.title, requests: generator.answered, seconds, histogram: generator.histogram };
  }

  /** The rounds of both servers alternate, so that what else the machine does meets both. */
  async #compare(test: LoadTest, against: Endpoint): Promise<void> {
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round < this.#options.rounds && !this.#isInterrupted; round++) {
      const first = rateOf(await this.#measure(test, this.#options.server.endpoint));
      const second = rateOf(await this.#measure(test, against));
      if (this.#isInterrupted) break;
      ours.push(first);
      theirs.push(second);
    }
    if (ours.length === 0) return;
    const comparison = { title: test.title, ours, theirs };
    const ratios = ratiosOf(comparison);
    const figures = [median(ours), median(theirs), median(ratios), Math.min(...ratios), Math.max(...ratios)];
    if (this.#options.output === 'json') {
      const [requestsPerSecond, againstPerSecond, ratio, minRatio, maxRatio] = figures;
      this.#results.push({
        test: test.title,
        requestsPerSecond,
        againstPerSecond,
        ratio,
        minRatio,
        maxRatio,
      });
    } else if (this.#options.output === 'csv') {
      this.#print(`"${test.title}",${figures.map((figure) => `"${figure.toFixed(3)}"`).join(',')}\n`);
    } else this.#print(comparisonReport(comparison));
  }

  #report(measurement: Measurement, settings: readonly string[]): void {
    const { output } = this.#options;
    if (output === 'full')
      this.#print(fullReport(measurement, { ...this.#options, threads: this.#threads }, settings));
    else if (output === 'quiet') this.#print(quietReport(measurement));
    else if (output === 'csv') this.#print(csvReport(measurement));
    else this.#results.push(jsonReport(measurement));
  }

  #planOf(test: LoadTest, endpoint: Endpoint): LoadPlan {
    const { clients, requests, pipeline, range, keepAlive } = this.#options;
    return {
      endpoint,
      nodes: this.#nodes,
      firstNode: 0,
      test,
      clients: Math.min(clients, requests),
      requests,
      pipeline,
      range,
      keepAlive,
      greeting: this.#greeting(),
      seed: (Math.random() * 2 ** 31) | 0,
    };
  }

  /** As in redis-benchmark, a cluster gets its load from one thread per node if the user does not say otherwise. */
  get #threads(): number {
    return this.#options.threads || this.#nodes.length;
  }

  async #findNodes(): Promise<void> {
    const { server, output } = this.#options;
    this.#nodes = await fetchNodes(server.endpoint, this.#greeting());
    const count = this.#nodes.length;
    if (count <= 1) throw new LoadError(`Invalid cluster: ${count} node(s).`);
    if (output !== 'full' && output !== 'quiet') return;
    const lines = this.#nodes.map(({ id, endpoint }, index) => `Master ${index}: ${id} ${nameOf(endpoint)}`);
    this.#print(`Cluster has ${count} master nodes:\n\n${lines.join('\n')}\n\n`);
  }

  #greeting(): string[][] {
    const { server, protocol, tracks } = this.#options;
    const { user, password, database } = server;
    return [
      ...(password === undefined ? [] : [['AUTH', ...(user === undefined ? [] : [user]), password]]),
      ...(protocol === 3 ? [['HELLO', '3']] : []),
      ...(database === 0 ? [] : [['SELECT', String(database)]]),
      ...(tracks ? [['CLIENT', 'TRACKING', 'ON']] : []),
    ];
  }

  /** What the server's configuration says about durability, which costs speed. */
  async #serverSettings(): Promise<string[]> {
    if (this.#embedded !== undefined) return ['  embedded: yes'];
    if (this.#nodes.length > 0) return this.#nodesSettings();
    const link = await Link.connect(this.#options.server.endpoint).catch((error: Error) => {
      throw new LoadError(error.message);
    });
    try {
      const greeting = this.#greeting().filter(([name]) => name === 'AUTH');
      if (greeting.length > 0) await link.callAll(greeting);
      const lines: string[] = [];
      for (const name of ['save', 'appendonly']) {
        const reply = await link.call('CONFIG', 'GET', name);
        if (reply.kind === 'error') throw new Error(reply.text);
        lines.push(`  host configuration "${name}": ${textOf(itemsOf(reply)[1])}`);
      }
      return lines;
    } catch {
      this.#printError('WARNING: Could not fetch server CONFIG\n');
      return [];
    } finally {
      link.close();
    }
  }

  async #nodesSettings(): Promise<string[]> {
    const lines = [`  cluster mode: yes (${this.#nodes.length} masters)`];
    for (const [index, node] of this.#nodes.entries()) {
      try {
        lines.push(...(await nodeSettings(node, index, this.#greeting())));
      } catch (error) {
        if (!(error instanceof LoadError)) throw error;
        this.#printError(`WARNING: Could not fetch node CONFIG ${nameOf(node.endpoint)}\n`);
      }
    }
    return lines;
  }

  /** Keeps connections open that send nothing, until Ctrl-C. */
  async #idle(signal: AbortSignal): Promise<void> {
    const { clients, server } = this.#options;
    const plan = this.#planOf({ title: 'idle', args: ['PING'] }, server.endpoint);
    const generator = new Load({ ...plan, clients, requests: clients });
    await generator.connect();
    this.#print(`Creating ${clients} idle connections and waiting forever (Ctrl+C when done)\n`);
    if (signal.aborted) {
      generator.stop();
      return;
    }
    signal.addEventListener('abort', () => generator.stop());
    await generator.idle();
  }

  /** A line at the terminal, written over four times a second. */
  #showProgress(title: string, generator: Generator, begun: number): () => void {
    if (!this.#surroundings.isOutputTerminal) return () => {};
    let before = { answered: 0, at: begun };
    const timer = setInterval(() => {
      const now = { answered: generator.answered, at: performance.now() };
      const rate = (from: typeof now): string =>
        (((now.answered - from.answered) * 1000) / Math.max(1, now.at - from.at)).toFixed(1);
      this.#printError(
        `\r\x1b[K${title}: rps=${rate(before)} (overall: ${rate({ answered: 0, at: begun })}) ` +
          `${Math.floor((100 * now.answered) / this.#options.requests)}%`,
      );
      before = now;
    }, 250);
    return () => {
      clearInterval(timer);
      this.#printError('\r\x1b[K');
    };
  }

  #print(text: string): void {
    this.#surroundings.write(1, Buffer.from(text));
  }

  #printError(text: string): void {
    this.#surroundings.write(2, Buffer.from(text));
  }
}

const INTERRUPTED = 130;
