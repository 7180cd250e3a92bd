import type { Call } from '../commands/call.js';
import { OutputLimits } from '../commands/config/output-limits.js';
import type { FollowSetting } from '../commands/config/settings.js';
import { CommandError } from '../commands/errors.js';
import type { ReplicaDeclaration, SyncRequest } from '../commands/replication-port.js';
import { type Session, SessionGate } from '../commands/session.js';
import type { Engine } from '../engine/engine.js';
import { Type } from '../keyspace/kinds.js';
import type { Persistence } from '../persistence/persistence.js';
import { type FullSyncHost, FullSyncs } from './full-syncs.js';
import { Replica, ReplicaTraits } from './replica.js';
import type { ReplicationStream } from './stream.js';
import type { World } from './world.js';

const NEEDS_LENGTH = new CommandError('ERR Filtered replica requires EOF capability');
const PENDING_OUTPUT = new CommandError('ERR SYNC and PSYNC are invalid with pending output');

/** A client in WAIT. */
interface Waiter {
  readonly session: Session;
  readonly replicas: number;
  readonly offset: number;
}

/** Counters that INFO stats shows. */
interface SyncCounts {
  full: number;
  partial: number;
  refused: number;
}

/** The replicas of a server: brings them up to date, sends them the stream, and counts what they have acknowledged. */
export class Replicas implements FullSyncHost {
  readonly engine: Engine;
  readonly world: World;
  readonly stream: ReplicationStream;
  readonly counts: SyncCounts = { full: 0, partial: 0, refused: 0 };
  files: Persistence | undefined;
  /** Fields of snapshots. */
  fields: () => readonly (readonly [string, string])[] = () => [];
  /** Called when a replica has acknowledged an offset. */
  onAcknowledged: () => void = () => {};
  readonly syncs: FullSyncs;
  readonly #all = new Map<Session, Replica>();
  readonly #traits = new WeakMap<Session, ReplicaTraits>();
  readonly #limits: OutputLimits;
  #backlogSize = 0;
  #waiters: Waiter[] = [];
  #asksForAcknowledgement = false;
  /** Counts ticks: the first PING is due after a whole period. */
  #seconds = 1;
  /** The time since which no replica is connected, in Unix ms. */
  #aloneSince: number;

  constructor(engine: Engine, world: World, stream: ReplicationStream, follow: FollowSetting) {
    this.engine = engine;
    this.world = world;
    this.stream = stream;
    this.syncs = new FullSyncs(this);
    stream.beforeSending = () => this.#ask();
    this.#aloneSince = world.clock.now();
    this.#limits = new OutputLimits(follow);
    follow('repl-backlog-size', (text) => {
      this.#backlogSize = Number(text);
      stream.backlog?.resize(this.#backlogSize);
    });
  }

  resetCounts(): void {
    this.counts.full = this.counts.partial = this.counts.refused = 0;
  }

  // ---- requests of replicas ----

  declare(session: Session, declaration: ReplicaDeclaration): void {
    let traits = this.#traits.get(session);
    if (traits === undefined) {
      traits = new ReplicaTraits();
      this.#traits.set(session, traits);
    }
    traits.declare(declaration);
  }

  /** PSYNC and SYNC. */
  synchronize(session: Session, request: SyncRequest): void {
    if (session.kind === 'replica' || session.isMonitor) return;
    const traits = this.#traits.get(session) ?? new ReplicaTraits();
    if (session.sink.pending > 0) throw PENDING_OUTPUT;
    if (traits.parts !== undefined && !traits.readsUnknownLength) throw NEEDS_LENGTH;
    const replica = new Replica(session, traits, request.isOld, this.#now());
    this.#log('notice', `Replica ${replica.name} asks for synchronization`);
    if (!request.isOld && this.#continue(replica, request)) {
      this.counts.partial++;
      return;
    }
    if (!request.isOld && !request.id.startsWith('?')) this.counts.refused++;
    this.counts.full++;
    const isFirst = this.#all.size === 0 && this.stream.backlog === undefined;
    this.#add(replica);
    if (isFirst) {
      const { history } = this.stream;
      history.renew();
      this.stream.open();
      this.#log(
        'notice',
        `Replication backlog created, my new replication IDs are '${history.id}' and '${history.secondId}'`,
      );
    }
    this.syncs.request(replica);
  }

  /** Partial resynchronisation: false if the replica needs all data. */
  #continue(replica: Replica, { id, next }: SyncRequest): boolean {
    const { stream } = this;
    const { history } = stream;
    if (!history.continues(id, next)) {
      this.#logRefusal(replica, id, next);
      return false;
    }
    const reader = stream.backlog?.reader(next - 1);
    if (reader === undefined) {
      this.#log(
        'notice',
        `Unable to partial resync with replica ${replica.name} for lack of backlog (Replica request was: ${next}).`,
      );
      return false;
    }
    replica.state = 'online';
    replica.reader = reader;
    this.#add(replica);
    this.engine.send(
      replica.session,
      Buffer.from(replica.traits.takesNewId ? `+CONTINUE ${history.id}\r\n` : '+CONTINUE\r\n'),
    );
    this.#log(
      'notice',
      `Partial resynchronization request from ${replica.name} accepted. Sending ${history.offset - next + 1} bytes of ` +
        `backlog starting from offset ${next}.`,
    );
    this.#refreshGood();
    this.world.timers.soon(() => replica.pump());
    return true;
  }

  #logRefusal({ name }: Replica, id: string, next: number): void {
    const { history } = this.stream;
    if (id.startsWith('?')) {
      this.#log('notice', `Full resync requested by replica ${name}`);
    } else if (id.toLowerCase() === history.secondId) {
      this.#log(
        'notice',
        `Partial resynchronization not accepted: Requested offset for second ID was ${next}, but I can reply up to ` +
          `${history.secondOffset}`,
      );
    } else {
      this.#log(
        'notice',
        `Partial resynchronization not accepted: Replication ID mismatch (Replica asked for '${id}', my replication IDs ` +
          `are '${history.id}' and '${history.secondId}')`,
      );
    }
  }

  #add(replica: Replica): void {
    const { session } = replica;
    session.kind = 'replica';
    session.gates |= SessionGate.observer | SessionGate.muted;
    session.replies = 'off';
    session.sink.setDelay?.(this.engine.settings.isOn('repl-disable-tcp-nodelay'));
    this.#all.set(session, replica);
  }

  acknowledged(session: Session, offset: number): void {
    const replica = this.#all.get(session);
    if (replica === undefined) return;
    replica.acknowledged = Math.max(replica.acknowledged, offset);
    replica.acknowledgedAt = this.#now();
    if (replica.startsOnAcknowledgement && replica.state === 'online') {
      replica.startsOnAcknowledgement = false;
      replica.pump();
      this.#refreshGood();
    }
    this.#serveWaiters();
    this.onAcknowledged();
  }

  /** The connection of a replica is closed. */
  closed(session: Session): void {
    const replica = this.#all.get(session);
    if (replica === undefined) return;
    this.#all.delete(session);
    replica.close();
    this.syncs.drop(replica);
    if (this.#all.size === 0) this.#aloneSince = this.#now();
    this.#log('notice', `Connection with replica ${replica.name} lost.`);
    this.#refreshGood();
  }

  disconnect(replica: Replica): void {
    replica.session.sink.close('now');
  }

  /** Closes the connections of all replicas: they will connect again and ask what changed. */
  disconnectAll(): void {
    for (const replica of [...this.#all.values()]) this.disconnect(replica);
  }

  // ---- figures ----

  get size(): number {
    return this.#all.size;
  }

  [Symbol.iterator](): IterableIterator<Replica> {
    return this.#all.values();
  }

  /** Replicas that have acknowledged the offset. */
  countAcknowledged(offset: number): number {
    let count = 0;
    for (const { state, acknowledged } of this.#all.values()) {
      if (state === 'online' && acknowledged >= offset) count++;
    }
    return count;
  }

  /** Whether every replica has everything written so far. */
  get isCaughtUp(): boolean {
    const { offset } = this.stream.history;
    for (const { acknowledged } of this.#all.values()) if (acknowledged < offset) return false;
    return true;
  }

  /** Logs which replicas miss the last writes when the server ends. */
  logShutdown(): void {
    const { host } = this.engine;
    const { offset } = this.stream.history;
    const now = this.#now();
    const lagging = [...this.#all.values()].filter(({ acknowledged }) => acknowledged !== offset);
    for (const replica of lagging) {
      const { name, acknowledged, state, stateName } = replica;
      const lag = state === 'online' ? replica.lag(now) : 0;
      host.log(
        'warning',
        `Lagging replica ${name} reported offset ${offset - acknowledged} behind master, lag=${lag}, state=${stateName}.`,
      );
    }
    const count = this.#all.size;
    if (count > 0) {
      host.log('notice', `${count - lagging.length} of ${count} replicas are in sync when shutting down.`);
    }
  }

  /** Online replicas that have acknowledged something within `min-replicas-max-lag` seconds. */
  get good(): number {
    const maxLag = this.engine.settings.number('min-replicas-max-lag');
    const now = this.#now();
    let count = 0;
    for (const replica of this.#all.values()) {
      if (replica.state === 'online' && replica.lag(now) <= maxLag) count++;
    }
    return count;
  }

  #refreshGood(): void {
    this.engine.reviewReplicas();
  }

  // ---- WAIT ----

  wait(call: Call, replicas: number, deadline: number): void {
    const { streamOffset: offset } = call.session;
    const count = this.countAcknowledged(offset);
    if (count >= replicas || !call.mayBlock) {
      call.reply.integer(count);
      return;
    }
    const { session } = call;
    this.#waiters.push({ session, replicas, offset });
    call.block({
      keys: [],
      type: Type.string,
      deadline,
      serve: () => false,
      timedOut: (reply) => {
        this.#waiters = this.#waiters.filter((waiter) => waiter.session !== session);
        reply.integer(this.countAcknowledged(offset));
      },
    });
    this.askForAcknowledgement();
  }

  #serveWaiters(): void {
    if (this.#waiters.length === 0) return;
    for (const { session, replicas, offset } of this.#waiters) {
      if (this.countAcknowledged(offset) >= replicas) this.engine.unblock(session);
    }
    this.#waiters = this.#waiters.filter(({ session }) => this.engine.blocking.isBlocked(session));
  }

  /** Asks the replicas to acknowledge what they have applied, after the commands that are running. */
  askForAcknowledgement(): void {
    if (this.#asksForAcknowledgement || this.#all.size === 0) return;
    this.#asksForAcknowledgement = true;
    this.stream.sendSoon();
  }

  /** At the end of a turn: the question is sent together with the writes that it is about. */
  #ask(): void {
    if (!this.#asksForAcknowledgement) return;
    this.#asksForAcknowledgement = false;
    if (!this.engine.replication.isReplica) this.stream.command('REPLCONF', 'GETACK', '*');
  }

  // ---- time ----

  /** Sends what was added to the stream. */
  pump(): void {
    const end = this.stream.history.offset;
    for (const replica of this.#all.values()) {
      replica.pump();
      if (this.#exceedsLimit(replica, replica.pending(end))) {
        this.#log(
          'warning',
          `Client id=${replica.session.id} addr=${replica.session.address} scheduled to be closed ASAP for overcoming of ` +
            'output buffer limits.',
        );
        this.disconnect(replica);
      }
    }
  }

  /** `client-output-buffer-limit replica`. A limit below the size of the backlog, which is kept anyway, is raised to it. */
  #exceedsLimit(replica: Replica, pending: number): boolean {
    const { hard, soft, softMs } = this.#limits.of('replica');
    if (hard > 0 && pending >= Math.max(hard, this.#backlogSize)) return true;
    if (soft === 0 || pending < Math.max(soft, this.#backlogSize)) {
      replica.overSoftSince = 0;
      return false;
    }
    if (replica.overSoftSince === 0) replica.overSoftSince = this.#now();
    return this.#now() - replica.overSoftSince > softMs;
  }

  /** Called every second. */
  tick(): void {
    const { settings } = this.engine;
    const { isReplica } = this.engine.replication;
    const period = settings.number('repl-ping-replica-period');
    if (this.#all.size > 0 && !isReplica && this.#seconds % period === 0) this.#ping();
    this.#seconds++;
    this.#keepWaitingAlive();
    this.#dropSilent(settings.number('repl-timeout') * 1000);
    this.#freeBacklog(settings.number('repl-backlog-ttl') * 1000);
    this.syncs.review();
    this.#refreshGood();
    this.pump();
  }

  #ping(): void {
    // While a failover waits for a replica to catch up, the stream must not grow.
    if (!this.isStreamFrozen()) this.stream.command('PING');
  }

  isStreamFrozen: () => boolean = () => false;

  /** A newline tells a replica that waits for its snapshot that the master is alive. */
  #keepWaitingAlive(): void {
    for (const { state, session, hasSnapshotBegun } of this.#all.values()) {
      if (state !== 'online' && !hasSnapshotBegun) session.sink.send(NEWLINE);
    }
  }

  #dropSilent(timeoutMs: number): void {
    const now = this.#now();
    for (const replica of [...this.#all.values()]) {
      const { state, isOld, name, session } = replica;
      if (state === 'online' && !isOld && now - replica.acknowledgedAt > timeoutMs) {
        this.#log('warning', `Disconnecting timedout replica (streaming sync): ${name}`);
        this.disconnect(replica);
      } else if (state === 'receiving' && session.sink.pending > 0 && now - replica.progressAt > timeoutMs) {
        this.#log('warning', `Disconnecting timedout replica (full sync): ${name}`);
        this.disconnect(replica);
      }
    }
  }

  /** Without replicas, a master forgets its backlog after `repl-backlog-ttl` seconds. */
  #freeBacklog(ttlMs: number): void {
    const { stream } = this;
    if (this.#all.size > 0 || ttlMs === 0 || stream.backlog === undefined) return;
    if (this.engine.replication.isReplica || this.#now() - this.#aloneSince <= ttlMs) return;
    // Changes are not counted from now on: no earlier replica may continue.
    stream.history.renew();
    stream.close();
    this.#log(
      'notice',
      `Replication backlog freed after ${ttlMs / 1000} seconds without connected replicas.`,
    );
  }

  /** A replica has become master: the time without replicas begins now. */
  promoted(): void {
    this.#aloneSince = this.#now();
  }

  #now(): number {
    return this.world.clock.now();
  }

  #log(level: 'notice' | 'warning', message: string): void {
    this.engine.host.log(level, message);
  }
}

const NEWLINE = Buffer.from('\n');
