import { writeSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { ConnectError, connectSocket, type Endpoint, nameOf, REASONS } from '../wire/connect.js';
import { requestOf } from '../wire/request.js';
import { fetchNodes, type LoadNode } from './cluster-nodes.js';
import { LatencyHistogram } from './latency-histogram.js';
import { LoadError } from './load-error.js';
import type { LoadTest } from './named-tests.js';
import { ReplyCounter } from './reply-counter.js';
import { RequestBatch } from './request-batch.js';
import { NodeSlots } from './slot-tags.js';

/** What one thread does. */
export interface LoadPlan {
  readonly endpoint: Endpoint;
  /** In a cluster, its masters; the first client connects to the one at `firstNode`, the next to the next. */
  readonly nodes: readonly LoadNode[];
  readonly firstNode: number;
  readonly test: LoadTest;
  readonly clients: number;
  readonly requests: number;
  readonly pipeline: number;
  /** Random numbers are below this; 0: there are none. */
  readonly range: number;
  readonly keepAlive: boolean;
  /** Sent first on every connection: AUTH, SELECT, HELLO. */
  readonly greeting: readonly (readonly string[])[];
  readonly seed: number;
}

/** Sends requests on many connections and measures how long each takes to be answered. */
export class Load {
  readonly histogram = new LatencyHistogram();
  /** Requests answered so far. */
  answered = 0;
  readonly #plan: LoadPlan;
  readonly #greeting: Buffer;
  #issued = 0;
  #open = 0;
  readonly #connections = new Set<LoadConnection>();
  readonly #targets: readonly Target[];
  #refreshing: Promise<void> | undefined;
  #end: (error?: LoadError) => void = () => {};
  /** Why a connection has ended. */
  #failure: LoadError | undefined;

  constructor(plan: LoadPlan) {
    this.#plan = plan;
    this.#greeting = Buffer.concat(plan.greeting.map(requestOf));
    this.#targets =
      plan.nodes.length === 0
        ? [{ endpoint: plan.endpoint, slots: undefined }]
        : plan.nodes.map(({ endpoint, slots }) => ({ endpoint, slots: new NodeSlots(slots) }));
  }

  /** Connects all clients, so that the time measured is that of requests. */
  async connect(): Promise<void> {
    const { clients } = this.#plan;
    try {
      for (let made = 0; made < clients; made += CONNECT_TOGETHER) {
        const count = Math.min(CONNECT_TOGETHER, clients - made);
        const attempts = Array.from({ length: count }, (_, index) => this.#connectOne(made + index));
        // All must have ended, so that `stop` closes those that succeed after the first one has failed.
        await Promise.allSettled(attempts);
        await Promise.all(attempts);
      }
    } catch (error) {
      this.stop();
      if (!(error instanceof ConnectError)) throw error;
      // In redis-benchmark's words: a server with `maxclients` clients accepts a connection before it closes it.
      throw new LoadError(error.isHandshake ? `Error: ${error.reason}` : error.message);
    }
  }

  /** Resolves when all requests are answered, or after `stop`. */
  async run(): Promise<void> {
    const ended = new Promise<void>((resolve, reject) => {
      this.#end = (error) => (error === undefined ? resolve() : reject(error));
    });
    for (const connection of this.#connections) connection.next();
    try {
      await ended;
    } finally {
      this.stop();
    }
  }

  /** Sends nothing until `stop` is called. Rejects if the server closes a connection. */
  async idle(): Promise<void> {
    try {
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve, reject) => {
        this.#end = (error) => (error === undefined ? resolve() : reject(error));
      });
    } finally {
      this.stop();
    }
  }

  stop(): void {
    for (const connection of this.#connections) connection.close();
    this.#connections.clear();
    this.#end();
  }

  async #connectOne(index: number): Promise<void> {
    const { test, pipeline, range, seed, firstNode } = this.#plan;
    const target = this.#targets[(firstNode + index) % this.#targets.length] as Target;
    const batch = new RequestBatch(test.args, {
      requests: pipeline,
      range,
      inline: test.inline === true,
      seed: (seed + index * 2654435761) | 0,
      slots: target.slots,
    });
    await this.#attach(target, batch);
  }

  async #attach(target: Target, batch: RequestBatch): Promise<LoadConnection> {
    const connection = new LoadConnection(target, batch, this.#plan.greeting.length, {
      takeTurn: () => this.#takeTurn(),
      answered: (count, microseconds) => {
        this.answered += count;
        this.histogram.record(microseconds, count);
      },
      redirected: () => {
        this.#refreshing ??= this.#refresh().finally(() => {
          this.#refreshing = undefined;
        });
      },
      finished: (each) => this.#finished(each),
      failed: (message) => {
        this.#failure ??= new LoadError(message);
        this.#end(this.#failure);
      },
    });
    await connection.connect();
    this.#connections.add(connection);
    this.#open++;
    if (this.#greeting.length > 0) await connection.greet(this.#greeting);
    return connection;
  }

  /** Asks the cluster again which slots each node has. Requests go on meanwhile. */
  async #refresh(): Promise<void> {
    const { endpoint, nodes, greeting } = this.#plan;
    try {
      const now = await fetchNodes(endpoint, greeting);
      for (const [index, { id }] of nodes.entries()) {
        const node = now.find((each) => each.id === id);
        if (node === undefined) throw new LoadError(`Master ${index} of the cluster has no slots any more`);
        this.#targets[index]?.slots?.replace(node.slots);
      }
    } catch (error) {
      this.#end(new LoadError((error as Error).message));
    }
  }

  /** Whether there is another batch to send. */
  #takeTurn(): boolean {
    const { requests, pipeline } = this.#plan;
    if (this.#issued >= requests) return false;
    this.#issued += pipeline;
    return true;
  }

  /** A connection is done with a batch, and with its life if there is no more or it is not kept alive. */
  #finished(connection: LoadConnection): void {
    const { keepAlive, requests } = this.#plan;
    if (keepAlive && this.#issued < requests) {
      connection.next();
      return;
    }
    connection.close();
    this.#connections.delete(connection);
    this.#open--;
    if (this.#issued < requests) {
      this.#attach(connection.target, connection.batch).then(
        (each) => each.next(),
        (error: Error) => this.#end(new LoadError(error.message)),
      );
    } else if (this.#open === 0) this.#end();
  }
}

/** Where a connection leads. */
interface Target {
  readonly endpoint: Endpoint;
  /** In a cluster. */
  readonly slots: NodeSlots | undefined;
}

interface LoadListener {
  takeTurn(): boolean;
  answered(count: number, microseconds: number): void;
  /** Slots have moved to other nodes. */
  redirected(): void;
  finished(connection: LoadConnection): void;
  failed(message: string): void;
}

/** One client: sends its batch, counts the replies, and says so. */
class LoadConnection {
  readonly target: Target;
  readonly batch: RequestBatch;
  readonly #counter: ReplyCounter;
  readonly #listener: LoadListener;
  #socket: Socket | undefined;
  /** The descriptor to write to directly; -1 if the socket encrypts. */
  #fd = -1;
  #greetings: number;
  #greeted: (error?: LoadError) => void = () => {};
  #missing = 0;
  #sentAt = 0;
  #isClosed = false;

  constructor(target: Target, batch: RequestBatch, greetings: number, listener: LoadListener) {
    this.target = target;
    this.batch = batch;
    this.#counter = new ReplyCounter(batch.hasTags);
    this.#greetings = greetings;
    this.#listener = listener;
  }

  async connect(): Promise<void> {
    const { endpoint } = this.target;
    const socket =
      endpoint.tls === undefined ? await this.#connectPlain(endpoint) : await this.#connectTls(endpoint);
    this.#socket = socket;
    socket.on('error', (error: Error & { code?: string }) =>
      this.#fail(REASONS[error.code ?? ''] ?? error.message),
    );
    socket.on('close', () => this.#fail('Server closed the connection'));
  }

  /** All sockets of a thread share one buffer: what arrives is counted at once. */
  #connectPlain({ host, port, path }: Endpoint): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const onread = {
        buffer: INPUT,
        callback: (length: number) => {
          this.#received(INPUT, length);
          return true;
        },
      };
      const socket =
        path === undefined
          ? createConnection({ host, port, noDelay: true, onread })
          : createConnection({ path, onread });
      const failed = (error: Error & { code?: string }): void =>
        reject(new ConnectError({ host, port, path }, REASONS[error.code ?? ''] ?? error.message));
      socket.once('error', failed);
      socket.once('connect', () => {
        socket.off('error', failed);
        const handle = (socket as unknown as { readonly _handle: { readonly fd?: number } | null })._handle;
        this.#fd = handle?.fd ?? -1;
        resolve(socket);
      });
    });
  }

  async #connectTls(endpoint: Endpoint): Promise<Socket> {
    const socket = await connectSocket(endpoint);
    socket.on('data', (chunk: Buffer) => this.#received(chunk, chunk.length));
    return socket;
  }

  /** Resolves when all requests of the greeting are answered. */
  greet(bytes: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#greeted = (error) => (error === undefined ? resolve() : reject(error));
      this.write(bytes);
    });
  }

  /** Sends a batch if there is one to send. */
  next(): void {
    if (!this.#listener.takeTurn()) {
      this.#listener.finished(this);
      return;
    }
    this.batch.renew();
    this.#missing = this.batch.requests;
    this.#sentAt = performance.now();
    this.write(this.batch.bytes);
  }

  /** The kernel takes small writes at once: that is twice as fast as through the stream. */
  write(bytes: Buffer): void {
    let at = 0;
    if (this.#fd >= 0 && this.#socket?.writableLength === 0) {
      try {
        at = writeSync(this.#fd, bytes, 0, bytes.length);
      } catch (error) {
        if ((error as { code?: string }).code !== 'EAGAIN') return;
      }
    }
    if (at < bytes.length) this.#socket?.write(bytes.subarray(at));
  }

  close(): void {
    this.#isClosed = true;
    this.#fd = -1;
    this.#socket?.destroy();
  }

  #received(buffer: Buffer, length: number): void {
    const count = this.#counter.count(buffer, length);
    if (this.#counter.error !== undefined) {
      const node = this.target.slots === undefined ? '' : ` ${nameOf(this.target.endpoint)}`;
      this.#fail(`Error from server${node}: ${this.#counter.error}`);
      return;
    }
    if (this.#counter.redirections > 0) {
      this.#counter.redirections = 0;
      this.#listener.redirected();
    }
    if (this.#greetings > 0) {
      this.#greetings -= count;
      if (this.#greetings === 0) this.#greeted();
      return;
    }
    if (count === 0) return;
    this.#missing -= count;
    this.#listener.answered(count, (performance.now() - this.#sentAt) * 1000);
    if (this.#missing === 0) this.#listener.finished(this);
  }

  #fail(message: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#greeted(new LoadError(message));
    this.#listener.failed(message);
  }
}

const INPUT = Buffer.allocUnsafeSlow(256 * 1024);
const CONNECT_TOGETHER = 100;
