import type { Socket } from 'node:net';
import type { RedisOptions } from 'ioredis';
import type { LocalPorts } from './local-ports.js';

/** The type of ioredis's option `Connector`. */
export type ConnectorClass = NonNullable<RedisOptions['Connector']>;

/** A class for ioredis's option `Connector` that connects to ports within the process. */
export function connectorTo(ports: LocalPorts): ConnectorClass {
  /** Does the same as ioredis's `AbstractConnector`, without loading ioredis. */
  class LocalConnector {
    firstError?: Error;
    readonly #port: number;
    #socket: Socket | undefined;
    #isWanted = false;

    /** There will be no more connections: stores do not try again. */
    static get isClosed(): boolean {
      return ports.isClosed;
    }

    constructor({ port = DEFAULT_PORT }: RedisOptions) {
      this.#port = port;
    }

    check(_info: unknown): boolean {
      return true;
    }

    connect(_emit: unknown): Promise<Socket> {
      this.#isWanted = true;
      return new Promise((resolve, reject) => {
        // ioredis expects that nothing happens before its own code has returned.
        process.nextTick(() => {
          if (!this.#isWanted) return reject(new Error('Connection is closed.'));
          if (ports.isClosed)
            return reject(new Error('the cluster that this client was connected to is closed'));
          this.#socket = ports.connect(this.#port);
          resolve(this.#socket);
        });
      });
    }

    disconnect(): void {
      this.#isWanted = false;
      this.#socket?.end();
    }
  }
  // The original class has private members, so only its subclasses are assignable to its type.
  return LocalConnector as unknown as ConnectorClass;
}

const DEFAULT_PORT = 6379;
