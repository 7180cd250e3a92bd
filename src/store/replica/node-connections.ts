import type { ClientTls } from '../../commands/config/tls-options.js';
import type { Address } from '../../replication/world.js';
import { openTransport } from '../remote/open-transport.js';
import type { CallOptions, Reply, Request, Transport } from '../transport.js';
import type { MasterAccess } from './attach-replication.js';

/** Connections to single nodes of a Cluster. They are opened when a node is first asked. */
export class NodeConnections {
  readonly #access: MasterAccess;
  readonly #certificates: ClientTls | undefined;
  readonly #open = new Map<string, Promise<Transport>>();
  #isClosed = false;

  constructor(access: MasterAccess, certificates: ClientTls | undefined) {
    this.#access = access;
    this.#certificates = certificates;
  }

  async ask(at: Address, { command, args }: Request, options?: CallOptions): Promise<Reply> {
    const node = await this.#to(at);
    return (await node.send(command, args, 0, undefined, options)) as Reply;
  }

  /** Error replies are returned as values. */
  async askAll(at: Address, requests: readonly Request[], options?: CallOptions): Promise<readonly Reply[]> {
    return (await this.#to(at)).sendMany(requests, 0, options);
  }

  #to(at: Address): Promise<Transport> {
    const name = nameOf(at);
    let connection = this.#open.get(name);
    if (connection === undefined) {
      connection = this.#connect(at);
      this.#open.set(name, connection);
      // The next question tries again.
      connection.catch(() => this.#open.delete(name));
    }
    return connection;
  }

  async #connect(at: Address): Promise<Transport> {
    const { tls, username, password } = this.#access;
    const node = await openTransport(
      {
        kind: 'standalone',
        at,
        tls,
        query: {},
        ...(username === undefined ? {} : { username }),
        ...(password === undefined ? {} : { password }),
      },
      {
        connectTimeout: ASK_TIMEOUT_MS,
        commandTimeout: ASK_TIMEOUT_MS,
        ...(this.#certificates && { tls: this.#certificates }),
      },
    );
    if (this.#isClosed) await node.close();
    return node;
  }

  /** Closes the connections to all other nodes. */
  keep(nodes: readonly Address[]): void {
    const kept = new Set(nodes.map(nameOf));
    for (const [name, connection] of this.#open) {
      if (kept.has(name)) continue;
      this.#open.delete(name);
      void connection.then(
        (node) => node.close(),
        () => {},
      );
    }
  }

  close(): void {
    this.#isClosed = true;
    this.keep([]);
  }
}

export function nameOf({ host, port }: Address): string {
  return `${host}:${port}`;
}

const ASK_TIMEOUT_MS = 2000;
