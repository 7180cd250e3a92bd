import type { FollowSetting, Settings } from '../commands/config/settings.js';

/** The settings of a node, as they are at the moment: each is read when it changes. */
export class ClusterSettings {
  /** In ms. */
  nodeTimeout = 0;
  needsAllSlots = true;
  allowsReadsWhenDown = false;
  allowsShardChannelsWhenDown = true;
  allowsMigration = true;
  migrationBarrier = 0;
  validityFactor = 0;
  neverFailsOver = false;
  replicaPingMs = 0;
  /** Bytes that may wait to be sent to a node; 0 is any number. */
  linkLimit = 0;
  /** The longest packet: a message with its channel. */
  maxPacketBytes = 0;
  /** Empty: other nodes use the address of the connection. */
  announcedIp = '';
  announcedHostname = '';
  endpoint: 'ip' | 'hostname' | 'unknown-endpoint' = 'ip';
  usesTls = false;
  /** The ports that others should use: for clients (those of TLS, if nodes use TLS), plain beside TLS, and for the bus. */
  ports: { readonly port: number; readonly plainPort: number; readonly busPort: number } = NO_PORTS;
  /** A master that starts does not accept writes for this long, so that it can learn that it was replaced. */
  readonly writableDelayMs: number;

  constructor(settings: Settings, writableDelayMs: number, follow: FollowSetting) {
    this.writableDelayMs = writableDelayMs;
    follow('cluster-node-timeout', (text) => {
      this.nodeTimeout = Number(text);
    });
    follow('cluster-require-full-coverage', (text) => {
      this.needsAllSlots = text === 'yes';
    });
    follow('cluster-allow-reads-when-down', (text) => {
      this.allowsReadsWhenDown = text === 'yes';
    });
    follow('cluster-allow-pubsubshard-when-down', (text) => {
      this.allowsShardChannelsWhenDown = text === 'yes';
    });
    follow('cluster-allow-replica-migration', (text) => {
      this.allowsMigration = text === 'yes';
    });
    follow('cluster-migration-barrier', (text) => {
      this.migrationBarrier = Number(text);
    });
    follow('cluster-replica-validity-factor', (text) => {
      this.validityFactor = Number(text);
    });
    follow('cluster-replica-no-failover', (text) => {
      this.neverFailsOver = text === 'yes';
    });
    follow('repl-ping-replica-period', (text) => {
      this.replicaPingMs = Number(text) * 1000;
    });
    follow('cluster-link-sendbuf-limit', (text) => {
      this.linkLimit = Number(text);
    });
    follow('proto-max-bulk-len', (text) => {
      this.maxPacketBytes = Number(text) * 2 + PACKET_OVERHEAD;
    });
    follow('cluster-announce-ip', (text) => {
      this.announcedIp = text;
    });
    follow('cluster-announce-hostname', (text) => {
      this.announcedHostname = text;
    });
    follow('cluster-preferred-endpoint-type', (text) => {
      this.endpoint = text as typeof this.endpoint;
    });
    follow('tls-cluster', (text) => {
      this.usesTls = text === 'yes';
    });
    for (const name of PORT_SETTINGS) {
      follow(name, () => {
        this.ports = announcedPorts(settings);
      });
    }
  }
}

function announcedPorts(settings: Settings): ClusterSettings['ports'] {
  const plain = settings.number('cluster-announce-port') || settings.number('port');
  const secure = settings.number('cluster-announce-tls-port') || settings.number('tls-port');
  const busPort = settings.number('cluster-announce-bus-port') || busPortOf(settings);
  return settings.isOn('tls-cluster')
    ? { port: secure, plainPort: plain, busPort }
    : { port: plain, plainPort: 0, busPort };
}

/** The port on which a node listens for others. */
export function busPortOf(settings: Settings): number {
  const port = settings.isOn('tls-cluster') ? settings.number('tls-port') : settings.number('port');
  return settings.number('cluster-port') || port + BUS_PORT_DISTANCE;
}

/** The settings that `announcedPorts` reads. */
const PORT_SETTINGS = [
  'port',
  'tls-port',
  'tls-cluster',
  'cluster-port',
  'cluster-announce-port',
  'cluster-announce-tls-port',
  'cluster-announce-bus-port',
];
const NO_PORTS = { port: 0, plainPort: 0, busPort: 0 };
/** The port of the bus, if it is not set, is that of clients plus this. */
export const BUS_PORT_DISTANCE = 10000;
const PACKET_OVERHEAD = 1 << 16;
