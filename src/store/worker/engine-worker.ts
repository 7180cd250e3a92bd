import { once } from 'node:events';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { startThread } from '../../engine/start-thread.js';
import { parseAddress } from '../address.js';
import { checkOptions } from '../check-options.js';
import { EngineClosed } from '../connector/engine-closed.js';
import type { ConnectorClass } from '../connector/ioredis-connector.js';
import type { ManualClock } from '../embedded/manual-clock.js';
import { openClient } from '../open.js';
import type { EmbeddedOptions } from '../options.js';
import type { RemoteHome } from '../remote/remote-transport.js';
import type { Store } from '../store.js';
import { StoreError } from '../store-error.js';
import { systemTime, timeOf } from '../time.js';
import { PortExchange } from './port-exchange.js';
import type { FromThread, ThreadStart, ToThread } from './port-messages.js';
import { ThreadClock } from './thread-clock.js';

/**
 * Options of an engine in its own thread. A manual clock stays in this thread and moves the engine's clock too: when
 * `advance` returns, the engine has the same time. For stores that other threads open by a port, keys expire by that clock,
 * but `store.time` is the system's.
 */
export type WorkerOptions = Pick<EmbeddedOptions, 'settings' | 'seed' | 'clock' | 'scriptTimeout'>;

/** Options of a store on such an engine. */
export interface PortOptions {
  /** The number of the database. Default 0. */
  readonly database?: number;
  /** The time limit of a call in ms, as for stores on a server. Default 5,000. */
  readonly commandTimeout?: number;
}

/** An engine in its own thread. It keeps the process alive until it is closed. */
export interface EngineWorker extends AsyncDisposable {
  /** Opens a store on the engine, for this thread. */
  open(options?: PortOptions): Promise<Store>;
  /** A port to the engine for another thread: transfer it there and pass it to `openPort`. */
  port(): MessagePort;
  /** A class for ioredis's option `Connector`, for clients of this thread. */
  connector(): Promise<ConnectorClass>;
  /**
   * Closes the engine's stores, writes its data to disk if it has files, and ends the thread. A thread that does not end
   * within ten seconds is terminated.
   */
  close(): Promise<void>;
}

/** Implements `openWorker`. */
export async function startEngine(
  address: 'memory:' | `file:${string}`,
  options: WorkerOptions,
): Promise<EngineWorker> {
  checkStart(address, options);
  const { settings = {}, seed, scriptTimeout } = options;
  const clock = options.clock === undefined ? undefined : new ThreadClock(options.clock);
  const start: ThreadStart = { address, settings, seed, scriptTimeout, clock: clock?.start };
  const worker = startThread({ workerData: start, execArgv: [] });
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const [answer] = (await once(worker, 'message')) as [FromThread];
  // If the thread dies, its ports close and its stores end with `CLOSED`. The program must not crash.
  worker.on('error', () => {});
  if (answer !== 'ready') {
    await exited;
    throw new StoreError(answer.code, answer.message);
  }
  clock?.lead(worker);
  void exited.then(() => clock?.end());
  return new RunningWorker(worker, exited, options.clock);
}

/** Implements `openPort`. */
export async function openOnPort(port: MessagePort, options: PortOptions): Promise<Store> {
  const exchange = new PortExchange(port);
  return openOn(exchange, { users: exchange.users }, options);
}

/** The state that the stores of one engine thread share. */
type ThreadHome = Pick<RemoteHome, 'users' | 'time'>;

class RunningWorker implements EngineWorker {
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  readonly #exchange: PortExchange;
  readonly #home: ThreadHome;

  constructor(worker: Worker, exited: Promise<void>, clock: ManualClock | undefined) {
    this.#worker = worker;
    this.#exited = exited;
    this.#exchange = new PortExchange(this.port());
    const { users } = this.#exchange;
    this.#home = clock === undefined ? { users } : { users, time: timeOf(clock) };
  }

  open(options: PortOptions = {}): Promise<Store> {
    return openOn(this.#exchange, this.#home, options);
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
    const cancel = systemTime.after(CLOSE_MS, () => {
      this.#exchange.close();
      void this.#worker.terminate();
    });
    await this.#exited;
    cancel();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Checks the address and options in this thread, before another one is started. */
function checkStart(address: string, options: WorkerOptions): void {
  const { kind } = parseAddress(address);
  if (kind !== 'memory' && kind !== 'file') {
    throw new StoreError(
      'ADDRESS',
      `an engine in a thread needs the address memory: or file:./folder, not one of kind ${kind}`,
    );
  }
  checkOptions(kind, options);
  for (const name of ['database', 'signal']) {
    if (!Object.hasOwn(options, name)) continue;
    throw new StoreError(
      'OPTION',
      `option '${name}' is not for threads: available options are settings, seed, clock, scriptTimeout`,
    );
  }
}

/** Loaded on demand, since it loads `node:net`. */
async function connectorFor(exchange: PortExchange): Promise<ConnectorClass> {
  const { connectorTo } = await import('../connector/ioredis-connector.js');
  return connectorTo(exchange);
}

async function openOn(
  exchange: PortExchange,
  home: ThreadHome,
  { database = 0, commandTimeout, ...others }: PortOptions,
): Promise<Store> {
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new StoreError(
      'OPTION',
      `option '${unknown}' is unknown: available options are database, commandTimeout`,
    );
  }
  if (exchange.isClosed) throw new EngineClosed();
  const { Redis } = await import('ioredis');
  const Connector = await connectorFor(exchange);
  // This client never connects: the store creates clients with its options. The path is the server's name in error texts.
  const model = new Redis({ Connector, db: database, path: 'the port of a thread', lazyConnect: true });
  return openClient(model, commandTimeout === undefined ? {} : { commandTimeout }, home);
}

const CLOSE_MS = 10_000;
