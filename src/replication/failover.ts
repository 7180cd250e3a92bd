import { CommandError } from '../commands/errors.js';
import type { FailoverRequest } from '../commands/replication-port.js';
import type { Replica } from './replica.js';
import type { Replication } from './replication.js';
import type { Address } from './world.js';

const NO_FAILOVER = new CommandError('ERR No failover in progress.');
const IN_PROGRESS = new CommandError('ERR FAILOVER already in progress.');
const IS_REPLICA = new CommandError('ERR FAILOVER is not valid when server is a replica.');
const NO_REPLICAS = new CommandError('ERR FAILOVER requires connected replicas.');
const FORCE_NEEDS_MORE = new CommandError(
  'ERR FAILOVER with force option requires both a timeout and target HOST and IP.',
);
const NO_SUCH_REPLICA = new CommandError('ERR FAILOVER target HOST and PORT is not a replica.');
const NOT_ONLINE = new CommandError('ERR FAILOVER target replica is not online.');

/**
 * FAILOVER: a master pauses writes, waits until a replica has everything, becomes its replica and asks it to take over. No
 * write is lost, unless FORCE and the timeout say so.
 */
export class Failover {
  state: 'no-failover' | 'waiting-for-sync' | 'failover-in-progress' = 'no-failover';
  readonly #replication: Replication;
  #target: Address | undefined;
  #force = false;
  #cancelTimeout: (() => void) | undefined;

  constructor(replication: Replication) {
    this.#replication = replication;
  }

  get isActive(): boolean {
    return this.state !== 'no-failover';
  }

  /** Whether writes wait, so that a replica can catch up. */
  get isPaused(): boolean {
    return this.state === 'waiting-for-sync';
  }

  begin({ target, force, timeout }: FailoverRequest): void {
    const { replicas, engine, world, isReplica } = this.#replication;
    if (this.isActive) throw IN_PROGRESS;
    if (isReplica) throw IS_REPLICA;
    if (replicas.size === 0) throw NO_REPLICAS;
    if (force && (target === undefined || timeout === 0)) throw FORCE_NEEDS_MORE;
    if (target !== undefined) {
      const replica = this.#find(target);
      if (replica === undefined) throw NO_SUCH_REPLICA;
      if (replica.state !== 'online') throw NOT_ONLINE;
    }
    this.#target = target;
    this.#force = force;
    this.state = 'waiting-for-sync';
    if (timeout > 0) this.#cancelTimeout = world.timers.after(timeout, () => this.#timedOut());
    this.#log(`FAILOVER requested to ${this.#targetName}.`);
    engine.pause.pause('write', Number.MAX_SAFE_INTEGER, 'failover');
    // Replicas are not asked: the question would be part of the stream, and its answer does not include it. They acknowledge every second.
    world.timers.soon(() => this.review());
  }

  /** Called when a replica has acknowledged an offset: fails over to the target, or to any replica that has all data. */
  review(): void {
    if (this.state !== 'waiting-for-sync') return;
    const { replicas, stream } = this.#replication;
    const candidates = this.#target === undefined ? [...replicas] : [this.#find(this.#target)];
    for (const replica of candidates) {
      if (replica?.state !== 'online' || replica.acknowledged !== stream.history.offset) continue;
      const { host, port } = replica;
      this.#handOver({ host, port }, `Failover target ${host}:${port} is synced, failing over.`);
      return;
    }
  }

  abort(): void {
    if (!this.isActive) throw NO_FAILOVER;
    this.#abort('Failover manually aborted');
  }

  close(): void {
    this.#cancelTimeout?.();
  }

  #find({ host, port }: Address): Replica | undefined {
    const wanted = host.toLowerCase();
    for (const replica of this.#replication.replicas) {
      if (replica.port === port && replica.host.toLowerCase() === wanted) return replica;
    }
    return undefined;
  }

  #timedOut(): void {
    if (this.state !== 'waiting-for-sync') return;
    if (this.#force && this.#target !== undefined) {
      this.#handOver(this.#target, `FAILOVER to ${this.#targetName} time out exceeded, failing over.`);
    } else this.#abort('Replica never caught up before timeout');
  }

  #handOver(target: Address, message: string): void {
    this.#log(message);
    this.state = 'failover-in-progress';
    const link = this.#replication.followSuccessor(target);
    link.requestsFailover = true;
    link.onFailoverReply = (isAccepted) => {
      if (isAccepted) this.#end();
      else this.#abort('Failover target rejected psync request');
    };
  }

  #abort(reason: string): void {
    this.#log(`FAILOVER to ${this.#targetName} aborted: ${reason}`);
    const isReplica = this.state === 'failover-in-progress';
    this.#end();
    if (isReplica) this.#replication.promote('MASTER MODE enabled (failover aborted)');
  }

  #end(): void {
    this.#cancelTimeout?.();
    this.#cancelTimeout = undefined;
    this.#target = undefined;
    this.#force = false;
    this.state = 'no-failover';
    this.#replication.engine.pause.unpause('failover');
  }

  get #targetName(): string {
    return this.#target === undefined ? 'any replica' : `${this.#target.host}:${this.#target.port}`;
  }

  #log(message: string): void {
    this.#replication.engine.host.log('notice', message);
  }
}
