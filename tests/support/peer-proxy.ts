import { connect, createServer, type Server as NetServer, type Socket } from 'node:net';

/** The address from which the member with this index connects to others, so that their proxies know it. */
export function addressOf(index: number): string {
  return `127.0.1.${index + 1}`;
}

/** The index of the member that connects; undefined for a client. */
function memberAt(address: string | undefined): number | undefined {
  const found = /127\.0\.1\.(\d+)$/.exec(address ?? '')?.[1];
  return found === undefined ? undefined : Number(found) - 1;
}

/** What happens on the way from the member with this index. */
export interface Conditions {
  /** Whether nothing arrives. */
  isCut(from: number): boolean;
  /** How many ms later it arrives. */
  delayMs?(from: number): number;
}

/** Stands before a server, and passes on what its peers send and receive, as long as they reach each other. Clients always do. */
export class PeerProxy {
  target = 0;
  port = 0;
  /** How many ms later everything arrives. */
  delayMs = 0;
  readonly #conditions: Conditions;
  readonly #listener: NetServer;
  readonly #pairs = new Set<Pair>();

  constructor(conditions: Conditions) {
    this.#conditions = conditions;
    this.#listener = createServer((client) => this.#accept(client));
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#listener.listen(0, '127.0.0.1', resolve));
    const address = this.#listener.address();
    this.port = typeof address === 'object' && address !== null ? address.port : 0;
  }

  #accept(client: Socket): void {
    const from = memberAt(client.remoteAddress);
    const server = connect(this.target, '127.0.0.1');
    const pair: Pair = { sockets: [client, server], isCutOff: false };
    this.#pairs.add(pair);
    const pass = (to: Socket) => (bytes: Buffer) => {
      // TCP would send lost bytes again: a connection that has lost some ends when the network is whole again.
      if (from !== undefined && this.#conditions.isCut(from)) pair.isCutOff = true;
      if (pair.isCutOff) return;
      const delayMs = this.delayMs + (from === undefined ? 0 : (this.#conditions.delayMs?.(from) ?? 0));
      if (delayMs === 0) to.write(bytes);
      else setTimeout(() => to.write(bytes), delayMs);
    };
    client.on('data', pass(server));
    server.on('data', pass(client));
    for (const socket of pair.sockets) {
      socket.on('error', () => {});
      socket.on('close', () => this.#end(pair));
    }
  }

  #end(pair: Pair): void {
    this.#pairs.delete(pair);
    for (const socket of pair.sockets) socket.destroy();
  }

  heal(): void {
    this.delayMs = 0;
    for (const pair of [...this.#pairs]) if (pair.isCutOff) this.#end(pair);
  }

  async close(): Promise<void> {
    for (const pair of [...this.#pairs]) this.#end(pair);
    await new Promise<void>((resolve) => this.#listener.close(() => resolve()));
  }
}

interface Pair {
  readonly sockets: readonly [client: Socket, server: Socket];
  isCutOff: boolean;
}
