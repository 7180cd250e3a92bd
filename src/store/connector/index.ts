import type { EmbeddedEngine } from '../embedded/embedded-engine.js';
import { type ConnectorClass, connectorTo } from './ioredis-connector.js';
import { LocalConnections } from './local-connections.js';

export type { ConnectorClass } from './ioredis-connector.js';

/**
 * A class for ioredis's option `Connector`: clients made with it use the engine directly, with no socket between. They
 * end when the engine does.
 */
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
