import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

interface Chunk {
  readonly due: number;
  readonly to: Socket;
  readonly bytes: Buffer;
}

/** Timers count whole milliseconds; the last ones are waited for by turns of the event loop. */
const COARSE_MS = 2;

/** A network that is slower: forwards connections to a port of this machine, each chunk half a round trip late in each direction. */
export class DelayProxy implements AsyncDisposable {
  readonly #delay: number;
  /** Chunks under way, the oldest first: all have the same delay. */
  readonly #underWay: Chunk[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server;
  #isPumping = false;

  private constructor(target: number, roundTrip: number) {
    this.#delay = roundTrip / 2;
    this.#server = createServer((client) => {
      const upstream = connect(target, '127.0.0.1');
      this.#forward(client, upstream);
      this.#forward(upstream, client);
    });
  }

  static async start(target: number, roundTrip: number): Promise<DelayProxy> {
    const proxy = new DelayProxy(target, roundTrip);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  #forward(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.setNoDelay(true);
    from.on('data', (bytes: Buffer) => {
      this.#underWay.push({ due: performance.now() + this.#delay, to, bytes });
      if (this.#isPumping) return;
      this.#isPumping = true;
      this.#pump();
    });
    from.on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }

  #pump(): void {
    for (;;) {
      const [next] = this.#underWay;
      if (next === undefined) {
        this.#isPumping = false;
        return;
      }
      const left = next.due - performance.now();
      if (left > 0) {
        if (left > COARSE_MS) setTimeout(() => this.#pump(), Math.floor(left - 1));
        else setImmediate(() => this.#pump());
        return;
      }
      this.#underWay.shift();
      if (!next.to.destroyed) next.to.write(next.bytes);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#underWay.length = 0;
    this.#server.close();
    await once(this.#server, 'close');
  }
}
