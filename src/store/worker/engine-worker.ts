import { once } from 'node:events';
import { extname } from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { parseAddress } from '../address.js';
import { checkOptions } from '../check-options.js';
import type { ConnectorClass } from '../connector/ioredis-connector.js';
import { open } from '../open.js';
import type { EmbeddedOptions } from '../options.js';
import type { Store } from '../store.js';
import { StoreError } from '../store-error.js';
import { PortExchange } from './port-exchange.js';
import type { FromThread, ThreadStart, ToThread } from './port-messages.js';

/** Options of an engine in a thread of its own: those of an embedded one, but for the clock, which cannot leave its thread. */
export type WorkerOptions = Pick<EmbeddedOptions, 'settings' | 'seed'>;

/** Options of a store on such an engine. */
export interface PortOptions {
  /** The number of the database. Default 0. */
  readonly database?: number;
}

/** An engine in a thread of its own. The process runs until it is closed. */
export interface EngineWorker extends AsyncDisposable {
  /** A store on the engine, for this thread. */
  open(options?: PortOptions): Promise<Store>;
  /** A way to the engine for another thread: send it there (it has to be transferred) and give it to `openPort`. */
  port(): MessagePort;
  /** A class for ioredis's option `Connector`, for clients of this thread. */
  connector(): Promise<ConnectorClass>;
  /** Ends the engine's stores, keeps what is to be kept, and ends the thread. */
  close(): Promise<void>;
}

/** `openWorker`, with the threads of Node. */
export async function startEngine(
  address: 'memory:' | `file:${string}`,
  options: WorkerOptions,
): Promise<EngineWorker> {
  const worker = startThread(checkedStart(address, options));
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const [answer] = (await once(worker, 'message')) as [FromThread];
  if (answer !== 'ready') {
    await exited;
    throw new StoreError(answer.code, answer.message);
  }
  return new RunningWorker(worker, exited);
}

/** `openPort`, likewise. */
export async function openOnPort(port: MessagePort, options: PortOptions): Promise<Store> {
  return openOn(new PortExchange(port), options);
}

class RunningWorker implements EngineWorker {
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  readonly #exchange: PortExchange;

  constructor(worker: Worker, exited: Promise<void>) {
    this.#worker = worker;
    this.#exited = exited;
    this.#exchange = new PortExchange(this.port());
  }

  open(options: PortOptions = {}): Promise<Store> {
    return openOn(this.#exchange, options);
  }

  port(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    this.#worker.postMessage({ gate: port1 } satisfies ToThread, [port1]);
    return port2;
  }

  connector(): Promise<ConnectorClass> {
    return connectorFor(this.#exchange);
  }

  async close(): Promise<void> {
    this.#worker.postMessage('close' satisfies ToThread);
    await this.#exited;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** What is wrong with address and options is said in this thread, before another one is started. */
function checkedStart(address: string, options: WorkerOptions): ThreadStart {
  const { kind } = parseAddress(address);
  if (kind !== 'memory' && kind !== 'file') {
    throw new StoreError('ADDRESS', `a thread runs engines at memory: and file:./folder, not ${kind} ones`);
  }
  checkOptions(kind, options);
  for (const name of ['clock', 'database']) {
    if (!Object.hasOwn(options, name)) continue;
    throw new StoreError('OPTION', `option '${name}' is not for threads: there are settings, seed`);
  }
  const { settings = {}, seed } = options;
  return { address, settings, seed };
}

/** Loaded on demand, with the sockets of Node that it is made of. */
async function connectorFor(exchange: PortExchange): Promise<ConnectorClass> {
  const { connectorTo } = await import('../connector/ioredis-connector.js');
  return connectorTo(exchange);
}

async function openOn(exchange: PortExchange, { database = 0, ...others }: PortOptions): Promise<Store> {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new StoreError('OPTION', `option '${unknown}' is unknown: there is database`);
  }
  const { Redis } = await import('ioredis');
  const Connector = await connectorFor(exchange);
  // Never connected itself: the store makes clients like it. The path is what errors call the place.
  const model = new Redis({ Connector, db: database, path: 'the port of a thread', lazyConnect: true });
  const store = await open(model);
  void exchange.closed.then(() => store.close());
  return store;
}

/** The thread's module is compiled, or not, as this one is; uncompiled it needs somebody to compile it. */
function startThread(start: ThreadStart): Worker {
  const module = new URL(`./engine-thread${extname(import.meta.url)}`, import.meta.url);
  const options = { workerData: start, execArgv: [] };
  if (module.pathname.endsWith('.js')) return new Worker(module, options);
  const compiling = new URL('../../../scripts/source-thread.mjs', import.meta.url);
  return new Worker(compiling, { ...options, argv: [module.href] });
}
