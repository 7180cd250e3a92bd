import { connect, createServer, type Server, type Socket } from 'node:net';

/** The behaviour of a gateway. */
export type GatewayState =
  /** Forwards everything. */
  | 'open'
  /** Accepts connections and input, but forwards nothing. */
  | 'silent'
  /** Does not listen. */
  | 'refusing';

/** A TCP proxy in front of a server, to simulate network failures without touching the server. */
export class Gateway {
  /** The port to which new connections are forwarded. Open connections keep theirs. */
  target: number;
  readonly #pairs = new Set<Pair>();
  #server: Server | undefined;
  #state: GatewayState = 'open';
  port = 0;

  private constructor(target: number) {
    this.target = target;
  }

  static async before(target: number): Promise<Gateway> {
    const gateway = new Gateway(target);
    await gateway.#listen();
    return gateway;
  }

  async set(state: GatewayState): Promise<void> {
    this.#state = state;
    if (state === 'refusing') await this.#close();
    else if (this.#server === undefined) await this.#listen();
    // Connections that were cut off do not recover: TCP would have closed them, or bytes are lost.
    if (state === 'open') for (const pair of [...this.#pairs]) if (pair.isCutOff) pair.destroy();
  }

  /** Forwards the first `bytes` bytes of the next reply, then cuts that connection. */
  cutAfter(bytes: number): void {
    for (const pair of this.#pairs) pair.cutAfter(bytes);
  }

  /** Cuts all connections. */
  cut(): void {
    for (const pair of [...this.#pairs]) pair.destroy();
  }

  async close(): Promise<void> {
    await this.#close();
  }

  async #listen(): Promise<void> {
    const server = createServer((socket) => this.#accept(socket));
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.port, '127.0.0.1', resolve);
    });
    const address = server.address();
    this.port = typeof address === 'object' && address !== null ? address.port : 0;
  }

  async #close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.cut();
    await new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
  }

  #accept(client: Socket): void {
    const pair = new Pair(client, this.target, () => this.#state === 'silent');
    this.#pairs.add(pair);
    pair.onEnd = () => this.#pairs.delete(pair);
  }
}

/** A client's connection and its connection to the server. */
class Pair {
  onEnd: () => void = () => {};
  isCutOff = false;
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #isSilent: () => boolean;
  #left = Number.POSITIVE_INFINITY;

  constructor(client: Socket, target: number, isSilent: () => boolean) {
    this.#client = client;
    this.#isSilent = isSilent;
    this.#server = connect(target, '127.0.0.1');
    client.on('data', (bytes) => this.#pass(this.#server, bytes));
    this.#server.on('data', (bytes) => this.#reply(bytes));
    for (const socket of [client, this.#server]) {
      socket.on('error', () => {});
      socket.on('close', () => this.destroy());
    }
  }

  cutAfter(bytes: number): void {
    this.#left = bytes;
  }

  #pass(to: Socket, bytes: Buffer): void {
    if (this.#isSilent()) this.isCutOff = true;
    if (!this.isCutOff) to.write(bytes);
  }

  #reply(bytes: Buffer): void {
    if (bytes.length < this.#left) {
      this.#pass(this.#client, bytes);
      return;
    }
    this.#client.write(bytes.subarray(0, this.#left), () => this.destroy());
  }

  destroy(): void {
    this.#client.destroy();
    this.#server.destroy();
    this.onEnd();
  }
}
