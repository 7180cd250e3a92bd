import type { Bytes } from '../bytes/bytes.js';
import { keySlot } from '../bytes/crc16.js';
import { CommandError, RedirectionError } from '../commands/errors.js';
import { FLAG } from '../commands/flag.js';
import { type KeyVisitor, visitKeys } from '../commands/key-positions.js';
import { type QueuedCommand, type Session, SessionGate } from '../commands/session.js';
import type { Command } from '../commands/table.js';
import type { Engine } from '../engine/engine.js';
import type { AdmissionChecks, ScriptContext } from '../engine/running/admission.js';
import { EngineGate } from '../engine/running/gates.js';
import type { Database } from '../keyspace/database.js';
import type { ClusterSettings } from './cluster-settings.js';
import type { ClusterNode } from './node.js';
import type { Topology } from './topology.js';

/** What a command with keys gets: it runs here, it is sent to another node, or it fails. */
type Verdict = 'here' | 'moved' | 'ask' | 'cross slot' | 'try again' | 'unbound' | 'down' | 'down for writes';

/**
 * Decides for every command of a client whether its keys belong to this node, and names the node that has them otherwise.
 * Keys that are ours cost one CRC16 each, and no allocation.
 */
export class Redirection {
  readonly #engine: Engine;
  readonly #topology: Topology;
  readonly #settings: ClusterSettings;
  readonly #keys: SlotVisitor;
  /** The slot of the command that runs now, or of the keys that its script used; -1 if it has used none. */
  #runningSlot = -1;

  constructor(engine: Engine, topology: Topology, settings: ClusterSettings) {
    this.#engine = engine;
    this.#topology = topology;
    this.#settings = settings;
    this.#keys = new SlotVisitor(engine, topology);
    topology.onRelease = (slot, owner) => this.#released(slot, owner);
  }

  /** To be attached to the engine. */
  readonly checks: AdmissionChecks = {
    slot: (session, command, args, argc, context) =>
      context.origin === 'script'
        ? this.#scriptRefusal(session, command, args, argc, context)
        : this.#clientRefusal(session, command, args, argc),
  };

  #clientRefusal(
    session: Session,
    command: Command,
    args: readonly Bytes[],
    argc: number,
  ): CommandError | undefined {
    const isExec = command.name === 'exec';
    if ((!command.hasSlots && !isExec) || session.kind === 'master') return undefined;
    // A command that interrupts a slow script leaves the script's slot alone.
    const isInterrupting = (this.#engine.gates & EngineGate.scriptIsBusy) !== 0;
    if (command.hasPlainKeys && command.firstKey === command.lastKey && !isInterrupting) {
      const slot = this.#ownSlotOf(args[command.firstKey] as Bytes);
      if (slot >= 0) {
        this.#runningSlot = slot;
        return undefined;
      }
    }
    const keys = this.#keys;
    keys.begin(command);
    if (!isExec) visitKeys(command, args, argc, keys, true);
    else if (session.queue !== undefined) this.#visitQueued(session.queue);
    if (!isInterrupting) this.#runningSlot = keys.slot;
    if (keys.isPlain && this.#topology.isUp) return undefined;
    const verdict = this.#judge(session, session, command, args);
    return verdict === 'here' ? undefined : this.#error(verdict, session);
  }

  /** The slot of a key that is ours while nothing moves; -1 if that is not so simple. */
  #ownSlotOf({ buf, start, end }: Bytes): number {
    const topology = this.#topology;
    if (!topology.isUp || topology.migratingTo.size > 0 || topology.importingFrom.size > 0) return -1;
    const slot = keySlot(buf, start, end);
    return topology.owner(slot) === topology.myself ? slot : -1;
  }

  #visitQueued(queue: readonly QueuedCommand[]): void {
    for (const { command, args } of queue) {
      if (command.hasSlots) visitKeys(command, args, args.length, this.#keys, true);
    }
  }

  /** `session` is that of the script, `script.call.session` that of the client. */
  #scriptRefusal(
    session: Session,
    command: Command,
    args: readonly Bytes[],
    argc: number,
    script: ScriptContext,
  ): CommandError | undefined {
    const client = script.call.session;
    if (!command.hasSlots || client.kind === 'master') return undefined;
    const keys = this.#keys;
    keys.begin(command);
    visitKeys(command, args, argc, keys, true);
    if (!keys.isPlain || !this.#topology.isUp) {
      const verdict = this.#judge(session, client, command, args);
      if (verdict !== 'here') return SCRIPT_ERRORS.get(verdict) ?? NOT_LOCAL;
    }
    if (keys.slot === -1 || script.allowsCrossSlotKeys) return undefined;
    if (this.#runningSlot === -1) this.#runningSlot = keys.slot;
    return this.#runningSlot === keys.slot ? undefined : OTHER_SLOT;
  }

  /** The visited keys are not simply ours, or the cluster is down. `client` has sent ASKING or READONLY. */
  #judge(session: Session, client: Session, command: Command, args: readonly Bytes[]): Verdict {
    const keys = this.#keys;
    const topology = this.#topology;
    if (keys.failure !== undefined) return keys.failure;
    if (keys.owner === undefined) return 'here';
    const flags = this.#engine.scripting.commandFlags(command, args);
    const down = topology.isUp ? undefined : this.#downVerdict(flags);
    if (down !== undefined) return down;
    const isOpen = keys.isMigrating || keys.isImporting;
    if (isOpen && command.name === 'migrate') return 'here';
    if (keys.isMigrating && keys.missing > 0) return keys.existing > 0 ? 'try again' : 'ask';
    const isAsking = (client.gates & SessionGate.asking) !== 0 || (flags & FLAG.asking) !== 0;
    if (keys.isImporting && isAsking) return keys.areSeveral && keys.missing > 0 ? 'try again' : 'here';
    const { myself } = topology;
    const isWrite = ((flags | (command.name === 'exec' ? session.queuedFlags : 0)) & FLAG.write) !== 0;
    const mayRead = (client.readsReplicas || keys.areChannels) && !isWrite;
    if (mayRead && myself.isReplica && myself.master === keys.owner) return 'here';
    return keys.owner === myself ? 'here' : 'moved';
  }

  /** Whether a command with keys is refused while the cluster is down. */
  #downVerdict(flags: number): Verdict | undefined {
    const { allowsShardChannelsWhenDown, allowsReadsWhenDown } = this.#settings;
    if (this.#keys.areChannels) return allowsShardChannelsWhenDown ? undefined : 'down';
    if (!allowsReadsWhenDown) return 'down';
    return (flags & FLAG.write) !== 0 ? 'down for writes' : undefined;
  }

  #error(verdict: Exclude<Verdict, 'here'>, session: Session): CommandError {
    const { slot, owner } = this.#keys;
    if (verdict === 'moved') return this.#redirection('MOVED', slot, owner as ClusterNode, session);
    if (verdict === 'ask') {
      return this.#redirection('ASK', slot, this.#topology.migratingTo.get(slot) as ClusterNode, session);
    }
    return ERRORS[verdict];
  }

  #redirection(code: 'MOVED' | 'ASK', slot: number, node: ClusterNode, session: Session): RedirectionError {
    return new RedirectionError(
      `${code} ${slot} ${this.preferredEndpoint(node)}:${this.portFor(node, session)}`,
    );
  }

  /** The address by which clients are sent to the node: `cluster-preferred-endpoint-type`. Empty if it is to be unknown. */
  preferredEndpoint(node: ClusterNode): string {
    switch (this.#settings.endpoint) {
      case 'hostname':
        return node.hostname === '' ? '?' : node.hostname;
      case 'unknown-endpoint':
        return '';
      case 'ip':
        return node.ip;
    }
  }

  /** The node's port for the session's client: where nodes use TLS, the plain port for a client that does not. */
  portFor(node: ClusterNode, session: Session): number {
    const usesPlainPort = this.#settings.usesTls && !session.isTls && node.plainPort !== 0;
    return usesPlainPort ? node.plainPort : node.port;
  }

  // ---- clients that stay ----

  /**
   * Ends the waits of blocked clients whose keys are no longer served here, or not while the cluster is down, with the
   * redirection. To be called within a turn: at every tick.
   */
  reviewBlocked(): void {
    const { blocking } = this.#engine;
    if (blocking.size === 0) return;
    for (const { session, key } of blocking.waits()) {
      const error = this.#blockedRefusal(session, key);
      if (error !== undefined) this.#engine.unblock(session, error);
    }
  }

  #blockedRefusal(session: Session, key: Bytes): CommandError | undefined {
    const topology = this.#topology;
    const { myself } = topology;
    // Reads are refused, too: no write will come that ends the wait.
    if (!topology.isUp) return ERRORS.down;
    const slot = keySlot(key.buf, key.start, key.end);
    const owner = topology.owner(slot);
    if (owner === myself || topology.importingFrom.has(slot)) return undefined;
    if (owner === undefined) return ERRORS.unbound;
    const isWrite = ((session.lastCommand?.flagBits ?? 0) & FLAG.write) !== 0;
    if (session.readsReplicas && !isWrite && myself.isReplica && myself.master === owner) return undefined;
    return this.#redirection('MOVED', slot, owner, session);
  }

  /** Subscribers of the slot's shard channels are told that they are no longer subscribed. */
  #released(slot: number, owner: ClusterNode): void {
    if (owner === this.#topology.myself.shardMaster) this.#engine.pubsub.dropSlot(slot);
  }
}

/** Collects what the keys of a command, or of a transaction, say about where it runs. Reused for all commands. */
class SlotVisitor implements KeyVisitor {
  slot = -1;
  owner: ClusterNode | undefined;
  failure: 'cross slot' | 'unbound' | undefined;
  isMigrating = false;
  isImporting = false;
  /** Shard channels, not keys. */
  areChannels = false;
  /** There are at least two different keys. */
  areSeveral = false;
  /** Keys that are here, and those that are not, if keys are moving. */
  existing = 0;
  missing = 0;
  readonly #engine: Engine;
  readonly #db: Database;
  readonly #topology: Topology;
  #first: Bytes | undefined;

  constructor(engine: Engine, topology: Topology) {
    this.#engine = engine;
    this.#db = engine.database(0);
    this.#topology = topology;
  }

  begin(command: Command): void {
    this.slot = -1;
    this.owner = undefined;
    this.failure = undefined;
    this.isMigrating = false;
    this.isImporting = false;
    this.areChannels = command.hasSlots && !command.hasKeys;
    this.areSeveral = false;
    this.existing = 0;
    this.missing = 0;
    this.#first = undefined;
  }

  /** There were no keys, or all are ours and stay. */
  get isPlain(): boolean {
    if (this.failure !== undefined || this.isMigrating || this.isImporting) return false;
    return this.owner === undefined || this.owner === this.#topology.myself;
  }

  visit(key: Bytes): void {
    if (this.failure !== undefined) return;
    const slot = keySlot(key.buf, key.start, key.end);
    if (this.#first === undefined) {
      this.#visitFirst(key, slot);
    } else if (slot !== this.slot) {
      this.failure = 'cross slot';
    } else if (!this.areSeveral && !key.equals(this.#first)) {
      this.areSeveral = true;
    }
    if ((this.isMigrating || this.isImporting) && !this.areChannels) this.#count(key);
  }

  #visitFirst(key: Bytes, slot: number): void {
    const topology = this.#topology;
    this.#first = key;
    this.slot = slot;
    this.owner = topology.owner(slot);
    if (this.owner === undefined) this.failure = 'unbound';
    else if (this.owner === topology.myself && topology.migratingTo.has(slot)) this.isMigrating = true;
    else if (topology.importingFrom.has(slot)) this.isImporting = true;
  }

  #count(key: Bytes): void {
    const entry = this.#db.find(key);
    if (entry === 0 || this.#engine.keyspace.isExpired(this.#db, entry)) this.missing++;
    else this.existing++;
  }
}

const ERRORS = {
  'cross slot': new RedirectionError("CROSSSLOT Keys in request don't hash to the same slot"),
  'try again': new RedirectionError('TRYAGAIN Multiple keys request during rehashing of slot'),
  unbound: new RedirectionError('CLUSTERDOWN Hash slot not served'),
  down: new RedirectionError('CLUSTERDOWN The cluster is down'),
  'down for writes': new RedirectionError('CLUSTERDOWN The cluster is down and only accepts read commands'),
} as const;

/** Scripts get other errors; for all other verdicts `NOT_LOCAL`. */
const SCRIPT_ERRORS: ReadonlyMap<Verdict, CommandError> = new Map<Verdict, CommandError>([
  [
    'down for writes',
    new CommandError(
      'ERR Script attempted to execute a write command while the cluster is down and readonly',
    ),
  ],
  ['down', new CommandError('ERR Script attempted to execute a command while the cluster is down')],
]);
const NOT_LOCAL = new CommandError('ERR Script attempted to access a non local key in a cluster node');
const OTHER_SLOT = new CommandError('ERR Script attempted to access keys that do not hash to the same slot');
