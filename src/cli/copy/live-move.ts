import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, parseAddress, withoutPassword } from '../../store/address.js';
import { open, type Store } from '../../store/index.js';
import { InfoFields } from '../info-fields.js';

export interface LiveMoveOptions {
  /** The target may have data, which is removed. */
  readonly replace: boolean;
  /** How the target reaches the source: `host:port`, if it is not what the address says. */
  readonly sourceAddress?: string | undefined;
  /** For how many ms writes may wait while the roles are exchanged. */
  readonly pauseMs: number;
  /** Ends a wait. */
  readonly signal: AbortSignal;
  /** `total` is 0 if the source has not announced it. */
  onReceived(bytes: number, total: number): void;
  /** The target follows, and lacks this many bytes of the source's changes. */
  onFollowing(behind: number): void;
}

type ServerAddress = Extract<Address, { kind: 'standalone' }>;

/** One of the two servers. */
interface Side {
  readonly shown: string;
  readonly address: ServerAddress;
  readonly host: string;
  readonly port: number;
  readonly store: Store;
}

/**
 * Moves all data of a running server to another one: the target becomes a replica of the source, and at the end they exchange their roles.
 * Everything is done by the servers themselves (PSYNC, FAILOVER), so that it can be interrupted and repeated at any time.
 */
export class LiveMove {
  readonly source: Side;
  readonly target: Side;
  readonly #options: LiveMoveOptions;

  private constructor(source: Side, target: Side, options: LiveMoveOptions) {
    this.source = source;
    this.target = target;
    this.#options = options;
  }

  static async open(from: string, to: string, options: LiveMoveOptions): Promise<LiveMove> {
    const source = await openSide(from);
    try {
      return new LiveMove(source, await openSide(to), options);
    } catch (error) {
      await source.store.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.source.store.close(), this.target.store.close()]);
  }

  // ---- following ----

  /** Makes the target a replica of the source, unless it is one. Returns when it has all data. */
  async follow(): Promise<void> {
    const isFollowing = await this.#check();
    if (!isFollowing) {
      await this.#giveAccess(this.target, this.source);
      const { host, port } = this.#sourceForTarget();
      await this.target.store.send('REPLICAOF', host, port);
    }
    await this.#untilReceived(isFollowing);
    await this.#untilClose();
  }

  /** Refuses what could not be moved. Returns whether the target follows the source already. */
  async #check(): Promise<boolean> {
    const { source, target } = this;
    const [from, to] = await Promise.all([infoOf(source), infoOf(target)]);
    for (const [side, info] of [
      [source, from],
      [target, to],
    ] as const) {
      if (info.text('redis_mode') === 'cluster') {
        throw new Error(`${side.shown} is a node of a Cluster: copy to or from the Cluster without --live`);
      }
    }
    if (from.text('role') !== 'master') {
      if (to.text('role') === 'master' && to.text('master_replid') === from.text('master_replid')) {
        throw new Error(`${source.shown} follows ${target.shown} already: the roles are exchanged`);
      }
      throw new Error(`${source.shown} is a replica of ${masterOf(from)}: move from there`);
    }
    if (isOlder(to.text('redis_version'), from.text('redis_version'))) {
      throw new Error(
        `${target.shown} is older (${to.text('redis_version')}) than ${source.shown} (${from.text('redis_version')})`,
      );
    }
    await this.#checkSettings(from);
    if (to.text('role') === 'master') {
      if (to.databases().length > 0 && !this.#options.replace) {
        throw new Error(`${target.shown} is not empty: --replace removes all its data`);
      }
      return false;
    }
    const { host, port } = this.#sourceForTarget();
    const isSource =
      to.text('master_replid') === from.text('master_replid') || masterOf(to) === `${host}:${port}`;
    if (isSource) return true;
    throw new Error(`${target.shown} is a replica of ${masterOf(to)}: REPLICAOF NO ONE makes it free`);
  }

  async #checkSettings(from: InfoFields): Promise<void> {
    const { source, target } = this;
    const databases = Number(await settingOf(target, 'databases'));
    const last = Math.max(0, ...from.databases());
    if (last >= databases) {
      throw new Error(`${source.shown} has keys in database ${last}, and ${target.shown} has ${databases}`);
    }
    for (const [side, other] of [
      [target, source],
      [source, target],
    ] as const) {
      const isSecure = (await settingOf(side, 'tls-replication')) === 'yes';
      if (isSecure === other.address.tls) continue;
      const value = other.address.tls ? 'yes' : 'no';
      throw new Error(`${side.shown} has to reach ${other.shown}: set 'tls-replication ${value}' there`);
    }
  }

  /** Where the target finds the source. */
  #sourceForTarget(): { readonly host: string; readonly port: number } {
    const { source, target } = this;
    const { sourceAddress } = this.#options;
    if (sourceAddress !== undefined) {
      const [, host, port] = /^\[?([^\]]+?)\]?:(\d+)$/.exec(sourceAddress) ?? [];
      if (host === undefined) throw new Error(`--source-address must be HOST:PORT, not ${sourceAddress}`);
      return { host, port: Number(port) };
    }
    if (isLoopback(source.host) && !isLoopback(target.host)) {
      throw new Error(
        `${target.shown} would look for ${source.shown} on its own machine: give --source-address HOST:PORT`,
      );
    }
    return source;
  }

  /** Gives a server the password with which it can become a replica of the other. */
  async #giveAccess(replica: Side, master: Side): Promise<void> {
    const { username = '', password = '' } = master.address;
    for (const [name, value] of [
      ['masteruser', username],
      ['masterauth', password],
    ] as const) {
      if ((await settingOf(replica, name)) !== value) {
        await replica.store.send('CONFIG', 'SET', name, value);
      }
    }
  }

  /** The target is set free again if it does not reach the source. */
  async #untilReceived(wasFollowing: boolean): Promise<void> {
    let progress = '';
    let changedAt = performance.now();
    for (;;) {
      const info = await infoOf(this.target);
      if (info.text('role') === 'master') throw new Error(`${this.target.shown} has stopped following`);
      if (info.text('master_link_status') === 'up') return;
      if (info.text('master_sync_in_progress') === '1') {
        const [read, total] = [info.number('master_sync_read_bytes'), info.number('master_sync_total_bytes')];
        this.#options.onReceived(read, total);
      }
      const now = `${info.text('master_sync_in_progress')} ${info.text('master_sync_read_bytes')} ${info.text('loading_loaded_bytes')}`;
      if (now !== progress) changedAt = performance.now();
      progress = now;
      if (performance.now() - changedAt > STALLED_MS) {
        if (!wasFollowing && info.text('master_sync_in_progress') === '0') {
          await this.target.store.send('REPLICAOF', 'NO', 'ONE');
        }
        throw new Error(
          `${this.target.shown} receives nothing from ${masterOf(info)} (see its log): can it be reached there?`,
        );
      }
      await this.#pause(POLL_MS);
    }
  }

  /** Waits until the target is so close behind that the rest takes a small part of the pause. */
  async #untilClose(): Promise<void> {
    for (;;) {
      const startedAt = performance.now();
      const wanted = (await infoOf(this.source)).number('master_repl_offset');
      for (;;) {
        const info = await infoOf(this.target);
        if (info.text('master_link_status') !== 'up') return this.follow();
        const behind = wanted - info.number('slave_repl_offset');
        this.#options.onFollowing(Math.max(0, behind));
        if (behind <= 0) break;
        await this.#pause(ROLE_POLL_MS);
      }
      if (performance.now() - startedAt < this.#options.pauseMs / 4) return;
    }
  }

  // ---- switching ----

  /**
   * Exchanges the roles. Writes at the source wait meanwhile, and are refused afterwards (READONLY), so that none is lost. Returns for how
   * many ms there was no master.
   */
  async switchOver(): Promise<number> {
    const { source, target } = this;
    const { pauseMs } = this.#options;
    const { ip, port } = await this.#targetAsReplica();
    await this.#giveAccess(source, target);
    const startedAt = performance.now();
    await source.store.send('FAILOVER', 'TO', ip, port, 'TIMEOUT', pauseMs);
    for (;;) {
      if ((await infoOf(target)).text('role') === 'master') break;
      const info = await infoOf(source);
      const isOver = info.text('master_failover_state') === 'no-failover';
      if (isOver && info.text('role') === 'master') {
        throw new Error(
          `${target.shown} did not take over within ${pauseMs} ms, and ${source.shown} continues as master: ` +
            'repeat the command, or allow more with --pause MS',
        );
      }
      await this.#pause(ROLE_POLL_MS);
    }
    const readOnlyMs = performance.now() - startedAt;
    await this.#untilReversed();
    return readOnlyMs;
  }

  /** The target as the source sees it among its replicas. */
  async #targetAsReplica(): Promise<{ readonly ip: string; readonly port: string }> {
    const { source, target } = this;
    const announced = Number(await settingOf(target, 'replica-announce-port'));
    const listening = Number(await settingOf(target, target.address.tls ? 'tls-port' : 'port'));
    const info = await infoOf(source);
    const found = info.replicas().filter(({ port }) => Number(port) === (announced || listening));
    const replica = found.length === 1 ? found[0] : found.find(({ ip }) => ip === target.host);
    if (replica !== undefined) return replica;
    throw new Error(`${source.shown} does not know ${target.shown} as its replica (INFO replication)`);
  }

  /** The source follows the target: what it was told before the exchange is there. */
  async #untilReversed(): Promise<void> {
    const giveUpAt = performance.now() + STALLED_MS;
    while (performance.now() < giveUpAt) {
      const info = await infoOf(this.source);
      if (info.text('role') === 'slave' && info.text('master_link_status') === 'up') return;
      await this.#pause(POLL_MS);
    }
    throw new Error(
      `${this.target.shown} is the master, but ${this.source.shown} does not reach it (see its log)`,
    );
  }

  async #pause(ms: number): Promise<void> {
    this.#options.signal.throwIfAborted();
    await sleep(ms);
  }
}

async function openSide(text: string): Promise<Side> {
  const address = parseAddress(text);
  const shown = withoutPassword(text);
  if (address.kind !== 'standalone' || 'path' in address.at) {
    throw new Error(`--live moves between two servers with addresses like redis://host:6379, not ${shown}`);
  }
  if (address.database !== undefined) {
    throw new Error(`--live moves all databases: name none in ${shown}`);
  }
  return { shown, address, ...address.at, store: await open(text) };
}

async function infoOf({ store }: Side): Promise<InfoFields> {
  return new InfoFields(await store.send<string>('INFO'));
}

async function settingOf({ store }: Side, name: string): Promise<string> {
  const [, value = ''] = await store.send<readonly string[]>('CONFIG', 'GET', name);
  return value;
}

function masterOf(info: InfoFields): string {
  return `${info.text('master_host')}:${info.text('master_port')}`;
}

/** Whether a server of this version cannot read snapshots of the other. */
function isOlder(version: string, other: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split('.').map(Number);
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

const POLL_MS = 100;
/** While writes wait. */
const ROLE_POLL_MS = 5;
const STALLED_MS = 60_000;
