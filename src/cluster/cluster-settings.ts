import type { Settings } from '../commands/config/settings.js';

/** The settings of a node, as they are at the moment. */
export class ClusterSettings {
  readonly #settings: Settings;
  /** A master that starts does not accept writes for this long, so that it can learn that it was replaced. */
  readonly writableDelayMs: number;

  constructor(settings: Settings, writableDelayMs: number) {
    this.#settings = settings;
    this.writableDelayMs = writableDelayMs;
  }

  /** In ms. */
  get nodeTimeout(): number {
    return this.#settings.number('cluster-node-timeout');
  }

  get needsAllSlots(): boolean {
    return this.#settings.isOn('cluster-require-full-coverage');
  }

  get allowsMigration(): boolean {
    return this.#settings.isOn('cluster-allow-replica-migration');
  }

  get migrationBarrier(): number {
    return this.#settings.number('cluster-migration-barrier');
  }

  get validityFactor(): number {
    return this.#settings.number('cluster-replica-validity-factor');
  }

  get neverFailsOver(): boolean {
    return this.#settings.isOn('cluster-replica-no-failover');
  }

  get replicaPingMs(): number {
    return this.#settings.number('repl-ping-replica-period') * 1000;
  }

  /** Bytes that may wait to be sent to a node; 0 is any number. */
  get linkLimit(): number {
    return this.#settings.number('cluster-link-sendbuf-limit');
  }

  /** The longest packet: a message with its channel. */
  get maxPacketBytes(): number {
    return this.#settings.number('proto-max-bulk-len') * 2 + PACKET_OVERHEAD;
  }

  /** Empty: other nodes use the address of the connection. */
  get announcedIp(): string {
    return this.#settings.text('cluster-announce-ip');
  }

  get announcedHostname(): string {
    return this.#settings.text('cluster-announce-hostname');
  }

  get endpoint(): 'ip' | 'hostname' | 'unknown-endpoint' {
    return this.#settings.text('cluster-preferred-endpoint-type') as 'ip' | 'hostname' | 'unknown-endpoint';
  }

  get usesTls(): boolean {
    return this.#settings.isOn('tls-cluster');
  }

  /** The ports that others should use: for clients (those of TLS, if nodes use TLS), plain beside TLS, and for the bus. */
  get ports(): { readonly port: number; readonly plainPort: number; readonly busPort: number } {
    const settings = this.#settings;
    const plain = settings.number('cluster-announce-port') || settings.number('port');
    const secure = settings.number('cluster-announce-tls-port') || settings.number('tls-port');
    const busPort = settings.number('cluster-announce-bus-port') || busPortOf(settings);
    return this.usesTls
      ? { port: secure, plainPort: plain, busPort }
      : { port: plain, plainPort: 0, busPort };
  }
}

/** The port on which a node listens for others. */
export function busPortOf(settings: Settings): number {
  const port = settings.isOn('tls-cluster') ? settings.number('tls-port') : settings.number('port');
  return settings.number('cluster-port') || port + BUS_PORT_DISTANCE;
}

/** The port of the bus, if it is not set, is that of clients plus this. */
export const BUS_PORT_DISTANCE = 10000;
const PACKET_OVERHEAD = 1 << 16;
