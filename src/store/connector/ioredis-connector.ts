import type { Socket } from 'node:net';
import type { RedisOptions } from 'ioredis';
import type { EmbeddedEngine } from '../embedded/embedded-engine.js';
import { EmbeddedSocket } from './embedded-socket.js';
import { EngineClosed } from './engine-closed.js';
import type { Exchange } from './line.js';
import { LocalConnections } from './local-connections.js';

/** The type of ioredis's option `Connector`. */
export type ConnectorClass = NonNullable<RedisOptions['Connector']>;

/** The class that connects ioredis to this engine. Its connections end when the engine does. */
export function connectorOf(embedded: EmbeddedEngine): ConnectorClass {
  let connector = connectors.get(embedded);
  if (connector === undefined) {
    const connections = new LocalConnections(embedded.engine);
    embedded.onClose(() => connections.close());
    connector = connectorTo(connections);
    connectors.set(embedded, connector);
  }
  return connector;
}

const connectors = new WeakMap<EmbeddedEngine, ConnectorClass>();

/**
 * A class for ioredis's option `Connector` that connects to an engine in the same process. When the engine is closed, clients
 * end and do not reconnect.
 */
export function connectorTo(exchange: Exchange): ConnectorClass {
  /** Does the same as ioredis's `AbstractConnector`, without loading ioredis. */
  class EmbeddedConnector {
    firstError?: Error;
    readonly options?: RedisOptions;
    socket?: EmbeddedSocket;
    isWanted?: boolean;

    /** The engine is closed: there will be no more connections. */
    static get isClosed(): boolean {
      return exchange.isClosed;
    }

    constructor(options: unknown) {
      this.options = options as RedisOptions;
    }

    check(_info: unknown): boolean {
      return true;
    }

    connect(_emit: unknown): Promise<Socket> {
      this.isWanted = true;
      return new Promise((resolve, reject) => {
        // ioredis expects that nothing happens before its own code has returned.
        process.nextTick(() => {
          if (!this.isWanted) return reject(new Error('Connection is closed.'));
          if (exchange.isClosed) return reject(new EngineClosed());
          this.socket = new EmbeddedSocket(exchange, () => {
            if (this.options !== undefined) delete this.options.retryStrategy;
          });
          resolve(this.socket);
        });
      });
    }

    disconnect(): void {
      this.isWanted = false;
      this.socket?.end();
    }
  }
  // The original class has private members, so only its subclasses are assignable to its type.
  return EmbeddedConnector as unknown as ConnectorClass;
}
