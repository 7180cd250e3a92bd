import type { Call } from '../commands/call.js';
import type { FollowSetting } from '../commands/config/settings.js';
import { CommandError } from '../commands/errors.js';
import type {
  FailoverRequest,
  ReplicaDeclaration,
  ReplicationPort,
  SyncRequest,
} from '../commands/replication-port.js';
import type { Session } from '../commands/session.js';
import type { Engine } from '../engine/engine.js';
import type { EnginePart } from '../engine/engine-parts.js';
import type { AdmissionCheck } from '../engine/running/admission.js';
import type { Persistence } from '../persistence/persistence.js';
import type { Reply } from '../resp/reply.js';
import { Failover } from './failover.js';
import { replicationFacts, replicationInfo, writeRole } from './figures.js';
import type { LinkHost } from './link-host.js';
import { LocalExpiries } from './local-expiries.js';
import { MasterLink } from './master-link.js';
import { Replicas } from './replicas.js';
import { ReplicationStream } from './stream.js';
import type { Address, World } from './world.js';

const READ_ONLY = new CommandError("READONLY You can't write against a read only replica.");
const MASTER_DOWN = new CommandError(
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
);
const NO_MASTER_LINK = new CommandError("NOMASTERLINK Can't SYNC while not connected with my master");
const FAILING_OVER = new CommandError("NOMASTERLINK Can't SYNC while failing over");
const FAILOVER_TO_MASTER = new CommandError("ERR PSYNC FAILOVER can't be sent to a master.");
const OTHER_HISTORY = new CommandError('ERR PSYNC FAILOVER replid must match my replid.');
const STATE_CHANGED = new CommandError(
  'UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)',
);
const MAY_NOT_FOLLOW = new CommandError(
  'ERR This store is embedded in a program, which decides what it follows: open(address, { replicaOf })',
);

/** The state with which a server starts. */
export interface ReplicationStart {
  readonly files?: Persistence | undefined;
  /** The fields of the snapshot that was loaded. */
  readonly fields?: ReadonlyMap<string, string> | undefined;
  /** The master to follow; by default that of the settings. */
  readonly master?: Address | undefined;
}

export interface ReplicationOptions {
  /** Whether REPLICAOF may change the role. Not in a program that embeds the engine. */
  readonly mayFollow?: boolean;
}

/**
 * The replication of one server, as master and as replica. It is attached to the engine when it is created, and costs nothing
 * until a replica connects or the server becomes one.
 */
export class Replication implements ReplicationPort, LinkHost {
  readonly engine: Engine;
  readonly world: World;
  readonly stream: ReplicationStream;
  readonly replicas: Replicas;
  readonly failovers: Failover;
  readonly localExpiries: LocalExpiries;
  files: Persistence | undefined;
  link: MasterLink | undefined;
  /** Called when the role or the state of the link to the master has changed, and when the stream was applied. */
  onChange: () => void = () => {};
  readonly #mayFollow: boolean;
  readonly #detachments: (() => void)[] = [];
  #detachChecks: (() => void) | undefined;
  #cancelTick: (() => void) | undefined;
  #lastFields: readonly (readonly [string, string])[] | undefined;
  #isReadOnly = true;
  #servesStale = true;

  constructor(engine: Engine, world: World, { mayFollow = true }: ReplicationOptions = {}) {
    this.engine = engine;
    this.world = world;
    this.#mayFollow = mayFollow;
    this.stream = new ReplicationStream(engine, world);
    const follow: FollowSetting = (name, listener) => {
      this.#detachments.push(engine.settings.onChange(name, listener));
    };
    this.replicas = new Replicas(engine, world, this.stream, follow);
    this.failovers = new Failover(this);
    this.localExpiries = new LocalExpiries(engine);
    this.replicas.fields = () => this.snapshotFields();
    this.replicas.isStreamFrozen = () => this.failovers.isPaused;
    this.replicas.onAcknowledged = () => this.failovers.review();
    follow('replica-read-only', (text) => {
      this.#isReadOnly = text === 'yes';
      this.localExpiries.watch(this.isReplica && !this.#isReadOnly);
    });
    follow('replica-serve-stale-data', (text) => {
      this.#servesStale = text === 'yes';
      if (this.isReplica) this.#attachChecks();
    });
    this.stream.onBytes = () => {
      this.replicas.pump();
      this.onChange();
    };
    const part: EnginePart = {
      replication: this,
      facts: replicationFacts(this),
      resetCounters: () => this.replicas.resetCounts(),
      serveDuringScript: () => this.link?.serveDuringScript(),
      slowScriptEnded: () => this.world.timers.soon(() => this.#slowScriptEnded()),
    };
    this.#detachments.push(engine.attach(part));
  }

  /** Called when the data is loaded, with the fields of its snapshot: continues its history, and follows the master of the settings. */
  start({
    files,
    fields = files?.loadedFields,
    master = this.#configuredMaster(),
  }: ReplicationStart = {}): void {
    this.files = files;
    this.replicas.files = files;
    if (files !== undefined) {
      files.rdb.replicationFields = () => this.#lastFields ?? this.snapshotFields();
      files.rdb.isSnapshotSent = () => this.replicas.syncs.isTakingSnapshot;
      files.rdb.abortSent = () => this.replicas.syncs.abortSent();
    }
    const db = this.#restore(fields, master !== undefined);
    if (master !== undefined) this.#follow(master, db);
  }

  #configuredMaster(): Address | undefined {
    const [host, port] = this.engine.settings.text('replicaof').split(' ') as [string, string];
    return host === '' ? undefined : { host, port: Number(port) };
  }

  /** Continues the history that a loaded snapshot names. Returns the database of the stream, for a replica. */
  #restore(fields: ReadonlyMap<string, string> | undefined, isReplica: boolean): number | undefined {
    const id = fields?.get('repl-id');
    const offset = Number(fields?.get('repl-offset') ?? -1);
    const db = Number(fields?.get('repl-stream-db') ?? -1);
    if (id === undefined || offset < 0 || db < 0) return undefined;
    const { history } = this.stream;
    if (isReplica) {
      history.adopt(id, offset);
      return db;
    }
    // Replicas of the previous process can continue with this one.
    history.offset += offset;
    history.remember(id, offset);
    this.stream.open();
    this.#wake();
    // The keys that have expired meanwhile: their deletion belongs to the history.
    const { keyspace } = this.engine;
    keyspace.passTime();
    keyspace.expireDue(Number.POSITIVE_INFINITY);
    if (keyspace.effects.recording) keyspace.effects.flush(true);
    return undefined;
  }

  close(): void {
    // The data may be saved after this.
    this.#lastFields = this.snapshotFields();
    this.#cancelTick?.();
    this.#cancelTick = undefined;
    this.failovers.close();
    this.link?.close();
    this.link = undefined;
    this.replicas.syncs.abort();
    this.replicas.disconnectAll();
    this.stream.close();
    this.#detachChecks?.();
    for (const detach of this.#detachments.splice(0)) detach();
  }

  // ---- roles ----

  get isReplica(): boolean {
    return this.link !== undefined;
  }

  get isFailingOver(): boolean {
    return this.failovers.isActive;
  }

  get offset(): number {
    return this.stream.history.offset;
  }

  /** The offset of the data as other nodes of a cluster are told: 0 while a replica's data is being replaced. */
  get dataOffset(): number {
    return this.link !== undefined && this.link.resumeDb === undefined ? 0 : this.offset;
  }

  get bufferBytes(): number {
    return this.stream.backlog?.held ?? 0;
  }

  get slowReaderBytes(): number {
    return this.stream.backlog?.heldForReaders ?? 0;
  }

  get goodReplicas(): number {
    return this.replicas.good;
  }

  follow(host: string, port: number): boolean {
    if (!this.#mayFollow) throw MAY_NOT_FOLLOW;
    const { link } = this;
    if (
      link !== undefined &&
      link.address.host.toLowerCase() === host.toLowerCase() &&
      link.address.port === port
    ) {
      this.#log(
        'notice',
        'REPLICAOF would result into synchronization with the master we are already connected with.',
      );
      return false;
    }
    // The history that we have may be one that the new master can continue.
    this.followAddress({ host, port });
    this.engine.settings.configure('replicaof', `${host} ${port}`);
    this.#log('notice', `REPLICAOF ${host}:${port} enabled`);
    return true;
  }

  /** As REPLICAOF, but not as a setting: the program that embeds the engine decides. */
  followAddress(address: Address): void {
    this.#follow(address, this.link === undefined ? 0 : this.link.resumeDb);
  }

  /** Becomes a replica, or the replica of another master. */
  #follow(address: Address, resumeDb: number | undefined): MasterLink {
    const { link, engine } = this;
    link?.close();
    if (link === undefined) this.#becomeReplica();
    const follower = new MasterLink(this, address, resumeDb);
    this.link = follower;
    this.#log('notice', `Connecting to MASTER ${address.host}:${address.port}`);
    this.localExpiries.watch(!this.#isReadOnly);
    engine.reviewReplicas();
    this.#wake();
    follower.open();
    return follower;
  }

  #becomeReplica(): void {
    const { engine } = this;
    this.stream.isMaster = false;
    engine.keyspace.expiryHolders.hold(this);
    for (const session of [...engine.sessions.values()]) {
      if (engine.unblock(session, STATE_CHANGED)) session.sink.close('flushed');
    }
    this.#attachChecks();
  }

  /** Without a check of the data's age, commands that only read are not slower than on a master. */
  #attachChecks(): void {
    this.#detachChecks?.();
    const write: AdmissionCheck = ({ kind }) =>
      this.#isReadOnly && kind !== 'master' ? READ_ONLY : undefined;
    const stale: AdmissionCheck = ({ kind }) => (this.isStale && kind !== 'master' ? MASTER_DOWN : undefined);
    this.#detachChecks = this.engine.attach({ checks: this.#servesStale ? { write } : { write, stale } });
  }

  /** Whether the data may be old and the settings forbid to serve it. */
  get isStale(): boolean {
    return !this.#servesStale && this.link?.isUp === false;
  }

  /** Follows an address because a failover made its server the master. */
  followSuccessor(address: Address): MasterLink {
    const link = this.#follow(address, 0);
    this.engine.settings.configure('replicaof', `${address.host} ${address.port}`);
    return link;
  }

  lead(): void {
    if (this.link !== undefined && !this.#mayFollow) throw MAY_NOT_FOLLOW;
    this.promote('MASTER MODE enabled (user request)');
  }

  /** Becomes a master whose history continues the one it has followed. */
  promote(message: string): void {
    const { link, engine, stream } = this;
    if (link === undefined) return;
    link.close();
    this.link = undefined;
    stream.history.fork();
    this.replicas.disconnectAll();
    stream.isMaster = true;
    this.replicas.promoted();
    engine.keyspace.expiryHolders.release(this);
    this.localExpiries.watch(false);
    this.#detachChecks?.();
    this.#detachChecks = undefined;
    engine.settings.configure('replicaof', '');
    engine.reviewReplicas();
    this.#log('notice', message);
    this.changed();
  }

  // ---- called by the link to the master ----

  /** An embedded engine announces no port: Sentinels would take another server there for it. */
  get listeningPort(): number {
    const { settings } = this.engine;
    const tlsPort = settings.isOn('tls-replication') ? settings.number('tls-port') : 0;
    return this.#mayFollow ? tlsPort || settings.number('port') : 0;
  }

  dataIsReplaced(): void {
    this.replicas.disconnectAll();
    this.stream.close();
  }

  connected(isRenamed: boolean): void {
    // Our own replicas have to learn the new id.
    if (isRenamed) this.replicas.disconnectAll();
  }

  /** A program's listeners are not called in the middle of a script. */
  changed(): void {
    if (this.engine.scripting.busyError === undefined) this.onChange();
  }

  /** The command that ran the script is over, too. */
  #slowScriptEnded(): void {
    this.link?.slowScriptEnded();
    this.onChange();
  }

  // ---- called by commands ----

  declare(session: Session, declaration: ReplicaDeclaration): void {
    this.replicas.declare(session, declaration);
  }

  acknowledged(session: Session, offset: number): void {
    this.replicas.acknowledged(session, offset);
  }

  acknowledge(session: Session): void {
    if (session.kind === 'master') this.link?.acknowledge();
  }

  synchronize(session: Session, request: SyncRequest): void {
    if (request.isFailover) this.#takeOver(request.id);
    if (this.isFailingOver) throw FAILING_OVER;
    if (this.link !== undefined && !this.link.isUp) throw NO_MASTER_LINK;
    this.replicas.synchronize(session, request);
    this.#wake();
  }

  /** Our master asks us to take its place. */
  #takeOver(id: string): void {
    this.#log('warning', `Failover request received for replid ${id}.`);
    if (this.link === undefined) throw FAILOVER_TO_MASTER;
    if (id.toLowerCase() !== this.stream.history.id) throw OTHER_HISTORY;
    this.promote('MASTER MODE enabled (failover request)');
  }

  wait(call: Call, replicas: number, deadline: number): void {
    this.replicas.wait(call, replicas, deadline);
  }

  beforeReplies(): void {
    this.stream.sendBeforeReplies();
  }

  failover(request: FailoverRequest): void {
    this.failovers.begin(request);
  }

  abortFailover(): void {
    this.failovers.abort();
  }

  changeIds(): void {
    this.stream.history.renew();
  }

  replicaClosed(session: Session): void {
    this.replicas.closed(session);
  }

  info(): readonly (readonly [string, string | number])[] {
    return replicationInfo(this);
  }

  role(reply: Reply): void {
    writeRole(this, reply);
  }

  /** How a later process, or a replica, can continue our history. Only if there is one that others know. */
  snapshotFields(): readonly (readonly [string, string])[] {
    const { history, backlog, selected } = this.stream;
    const db = this.link === undefined ? (backlog === undefined ? undefined : selected) : this.link.resumeDb;
    if (db === undefined) return [];
    return [
      ['repl-stream-db', String(db)],
      ['repl-id', history.id],
      ['repl-offset', String(history.offset)],
    ];
  }

  // ---- time ----

  /** Ticks every second while there is a master, a replica or a backlog. */
  #wake(): void {
    this.#cancelTick ??= this.world.timers.after(TICK_MS, () => {
      this.#cancelTick = undefined;
      this.engine.beginTurn();
      this.link?.tick();
      this.replicas.tick();
      this.localExpiries.expireDue();
      this.engine.endTurn();
      if (this.link !== undefined || this.replicas.size > 0 || this.stream.backlog !== undefined)
        this.#wake();
    });
  }

  #log(level: 'notice' | 'warning', message: string): void {
    this.engine.host.log(level, message);
  }
}

const TICK_MS = 1000;
