import type { Bytes } from '../../bytes/bytes.js';
import type { TrackingOptions, TrackingPort } from '../../commands/engine-port.js';
import { FLAG } from '../../commands/flag.js';
import { type KeyVisitor, visitKeys } from '../../commands/key-positions.js';
import { type Session, SessionGate } from '../../commands/session.js';
import type { Command } from '../../commands/table.js';
import type { Database } from '../../keyspace/database.js';
import type { EffectsListener } from '../../keyspace/effects.js';
import { RespWriter } from '../../resp/resp-writer.js';
import type { Engine } from '../engine.js';
import { EngineGate } from '../running/gates.js';
import { Message } from './message.js';

/** The clients that track all keys with one prefix, and the changed keys to send them at the end of the turn. */
interface Broadcast {
  readonly sessions: Set<Session>;
  /** Each key with the session that changed it last: a session with NOLOOP does not get its own changes. */
  keys: Map<string, Session | undefined>;
}

/**
 * Client-side caching. The keys that tracking clients read are remembered, and each client is notified once when such a
 * key changes. Broadcasting clients are notified of every key with one of their prefixes instead. As in Redis, keys of
 * the same name in different databases are not distinguished. Keys are kept as latin1 text.
 */
export class Tracking implements TrackingPort, KeyVisitor, EffectsListener {
  readonly #engine: Engine;
  /**
   * The ids of the sessions that have read a key; most keys have a single reader, which needs no set. Some sessions may
   * be closed by the time the key changes.
   */
  readonly #readers = new Map<string, number | Set<number>>();
  /** The length of all keys in `#readers`. */
  #keyBytes = 0;
  /**
   * Where `limitKeys` continues: at the oldest key, as it deletes every key it passes. A new iterator would first have
   * to walk over all that was deleted from the front of the map.
   */
  #oldest: Iterator<string> | undefined;
  /** The session whose keys `rememberKeys` is remembering. */
  #readerId = 0;
  readonly #broadcasts = new Map<string, Broadcast>();
  /** How many prefixes have a length: a changed key is looked up once for each length, not compared with each prefix. */
  readonly #prefixLengths = new Map<number, number>();
  /** The prefixes with changed keys, which are sent at the end of the turn. */
  #changedPrefixes: string[] = [];
  /** Keys to send to the session whose command is running, after its reply; undefined stands for all keys. */
  #pending: (string | undefined)[] = [];
  #maxKeys = 0;
  /** How often in a row `limitKeys` did not reach the limit; each time it removes more keys. */
  #futileRounds = 0;
  clientCount = 0;
  itemCount = 0;
  #unsubscribe: (() => void) | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
    engine.settings.onChange('tracking-table-max-keys', (text) => {
      this.#maxKeys = Number(text);
      this.#watchLimit();
    });
    engine.background.everyTick(() => {
      if ((engine.gates & EngineGate.trackingTableFull) !== 0) this.limitKeys();
    });
  }

  get keyCount(): number {
    return this.#readers.size;
  }

  /** Estimated memory of the table. */
  get usedBytes(): number {
    return this.#readers.size * KEY_BYTES + this.#keyBytes + this.itemCount * READER_BYTES;
  }

  get prefixCount(): number {
    return this.#broadcasts.size;
  }

  /** Subscribes to changes while a client tracks or a key is remembered. */
  #followChanges(): void {
    if (this.clientCount > 0 || this.#readers.size > 0) {
      this.#unsubscribe ??= this.#engine.keyspace.effects.subscribe(this);
    } else {
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
    }
  }

  // ---- clients ----

  enable(session: Session, options: TrackingOptions): void {
    const before = session.tracking;
    if (before === undefined) this.clientCount++;
    const prefixes = new Set(before?.prefixes);
    if (options.broadcast) {
      for (const prefix of options.prefixes.length === 0 ? [''] : options.prefixes) prefixes.add(prefix);
    }
    for (const prefix of prefixes) this.#broadcastOf(prefix).sessions.add(session);
    session.tracking = {
      ...options,
      prefixes: [...prefixes].sort(),
      caching: before?.caching ?? false,
      redirectBroken: false,
    };
    session.gates |= SessionGate.tracking;
    this.#followChanges();
  }

  #broadcastOf(prefix: string): Broadcast {
    let broadcast = this.#broadcasts.get(prefix);
    if (broadcast === undefined) {
      broadcast = { sessions: new Set(), keys: new Map() };
      this.#broadcasts.set(prefix, broadcast);
      this.#prefixLengths.set(prefix.length, (this.#prefixLengths.get(prefix.length) ?? 0) + 1);
    }
    return broadcast;
  }

  disable(session: Session): void {
    if (session.tracking === undefined) return;
    for (const prefix of session.tracking.prefixes) {
      const sessions = this.#broadcasts.get(prefix)?.sessions;
      sessions?.delete(session);
      if (sessions?.size === 0) this.#forgetPrefix(prefix);
    }
    session.tracking = undefined;
    session.gates &= ~SessionGate.tracking;
    this.clientCount--;
    this.#followChanges();
  }

  #forgetPrefix(prefix: string): void {
    this.#broadcasts.delete(prefix);
    const others = (this.#prefixLengths.get(prefix.length) ?? 1) - 1;
    if (others > 0) this.#prefixLengths.set(prefix.length, others);
    else this.#prefixLengths.delete(prefix.length);
  }

  // ---- reading ----

  rememberKeys(session: Session, command: Command, args: readonly Bytes[], argc: number): void {
    const { tracking } = session;
    if (tracking === undefined || tracking.broadcast || (command.flagBits & FLAG.pubsub) !== 0) return;
    if (tracking.optIn && !tracking.caching) return;
    if (tracking.optOut && tracking.caching) return;
    this.#readerId = session.id;
    visitKeys(command, args, argc, this);
    this.#watchLimit();
  }

  /** Remembers one key for `rememberKeys`. */
  visit(key: Bytes): void {
    if (!key.fitsText) return;
    const id = this.#readerId;
    const text = key.toString();
    const readers = this.#readers.get(text);
    if (readers === undefined) {
      this.#readers.set(text, id);
      this.#keyBytes += text.length;
    } else if (typeof readers === 'number') {
      if (readers === id) return;
      this.#readers.set(text, new Set([readers, id]));
    } else if (readers.has(id)) return;
    else readers.add(id);
    this.itemCount++;
  }

  /** Sets the gate while there are too many keys: the next command or the next tick removes some. */
  #watchLimit(): void {
    if (this.#maxKeys > 0 && this.#readers.size > this.#maxKeys) {
      this.#engine.gates |= EngineGate.trackingTableFull;
    } else {
      this.#engine.gates &= ~EngineGate.trackingTableFull;
    }
  }

  /** Forgets keys and notifies the clients that read them, until the limit is reached or it has done its share. */
  limitKeys(): void {
    let effort = FORGOTTEN_AT_ONCE * (this.#futileRounds + 1);
    while (this.#readers.size > this.#maxKeys && effort-- > 0) {
      this.#oldest ??= this.#readers.keys();
      const { value, done } = this.#oldest.next();
      if (done) this.#oldest = undefined;
      else this.#invalidate(value);
    }
    this.#watchLimit();
    const isFutile = (this.#engine.gates & EngineGate.trackingTableFull) !== 0;
    this.#futileRounds = isFutile ? this.#futileRounds + 1 : 0;
  }

  // ---- changes ----

  keyChanged(_db: Database, key: Bytes): void {
    this.#changed(key, this.#engine.execution.client);
  }

  keyVanished(_db: Database, key: Bytes): void {
    this.#changed(key, undefined);
  }

  /** `by` is the session that changed the key; undefined when it expired or was evicted. */
  #changed(key: Bytes, by: Session | undefined): void {
    // A key that is too long for a string cannot have been remembered.
    if (!key.fitsText) return;
    const text = key.toString();
    if (this.#broadcasts.size > 0) this.#noteBroadcast(text, by);
    this.#invalidate(text);
  }

  #noteBroadcast(key: string, by: Session | undefined): void {
    for (const length of this.#prefixLengths.keys()) {
      if (length > key.length) continue;
      const prefix = key.slice(0, length);
      const broadcast = this.#broadcasts.get(prefix);
      if (broadcast === undefined) continue;
      if (broadcast.keys.size === 0) this.#changedPrefixes.push(prefix);
      broadcast.keys.set(key, by);
    }
  }

  #invalidate(key: string): void {
    const readers = this.#readers.get(key);
    if (readers === undefined) return;
    this.#readers.delete(key);
    this.#keyBytes -= key.length;
    this.itemCount -= typeof readers === 'number' ? 1 : readers.size;
    for (const id of typeof readers === 'number' ? [readers] : readers) {
      const session = this.#engine.session(id);
      const tracking = session?.tracking;
      if (session === undefined || tracking === undefined || tracking.broadcast) continue;
      if (tracking.noLoop && session === this.#engine.execution.client) continue;
      if (session === this.#engine.execution.runningClient) this.#pending.push(key);
      else this.#tell(session, arrayOf([key]));
    }
    if (this.#readers.size === 0) this.#followChanges();
  }

  /** Before all keys are deleted: notifies every tracking client, even the one that deletes them. */
  flushing(): void {
    for (const session of this.#engine.sessions.values()) {
      if (session.tracking === undefined) continue;
      if (session === this.#engine.execution.client) this.#pending.push(undefined);
      else this.#tell(session, nullOf(session));
    }
    this.#readers.clear();
    this.#keyBytes = 0;
    this.itemCount = 0;
    this.#followChanges();
  }

  /** Sends the session the keys that its own command changed, after the reply. */
  tellPending(session: Session): void {
    if (this.#pending.length === 0) return;
    const pending = this.#pending;
    this.#pending = [];
    for (const key of pending) this.#tell(session, key === undefined ? nullOf(session) : arrayOf([key]));
  }

  /** Sends broadcasting clients the keys changed in this turn, prefix by prefix. */
  tellBroadcasts(): void {
    if (this.#changedPrefixes.length === 0) return;
    const prefixes = this.#changedPrefixes.sort();
    this.#changedPrefixes = [];
    for (const prefix of prefixes) {
      const broadcast = this.#broadcasts.get(prefix);
      // Its last client may have gone in this turn.
      if (broadcast === undefined || broadcast.keys.size === 0) continue;
      const { keys } = broadcast;
      broadcast.keys = new Map();
      this.#tellBroadcast(broadcast.sessions, keys);
    }
  }

  #tellBroadcast(sessions: ReadonlySet<Session>, keys: ReadonlyMap<string, Session | undefined>): void {
    const sorted = [...keys.keys()].sort();
    const all = arrayOf(sorted);
    for (const session of sessions) {
      if (session.tracking?.noLoop !== true) {
        this.#tell(session, all);
        continue;
      }
      const byOthers = sorted.filter((key) => keys.get(key) !== session);
      if (byOthers.length > 0) this.#tell(session, arrayOf(byOthers));
    }
  }

  /** Sends `keys`, an encoded array or null, to the session or to the one it redirects to. */
  #tell(session: Session, keys: Buffer): void {
    const tracking = session.tracking;
    if (tracking === undefined) return;
    if (tracking.redirect === 0) {
      // RESP2 has no pushes, so the client cannot be notified on its own connection.
      if (session.protocol === 3) this.#engine.send(session, invalidation(keys).for(3));
      return;
    }
    const receiver = this.#engine.session(tracking.redirect);
    if (receiver === undefined) {
      tracking.redirectBroken = true;
      if (session.protocol === 3) this.#engine.send(session, brokenRedirect(tracking.redirect).for(3));
    } else if (receiver.protocol === 3 || (receiver.gates & SessionGate.subscribed) !== 0) {
      this.#engine.send(receiver, invalidation(keys).for(receiver.protocol));
    }
  }
}

const FORGOTTEN_AT_ONCE = 100;

/** Estimated memory of a key in the table without its text, and of each of its readers. */
const KEY_BYTES = 72;
const READER_BYTES = 8;

/** A push in RESP3; in RESP2 a message on the channel `__redis__:invalidate`. */
function invalidation(keys: Buffer): Message {
  return new Message((writer) => {
    if (writer.protocol === 3) {
      writer.push(2);
      writer.bulkText('invalidate');
    } else {
      writer.push(3);
      writer.bulkText('message');
      writer.bulkText('__redis__:invalidate');
    }
    writer.raw(keys);
  });
}

function brokenRedirect(id: number): Message {
  return new Message((writer) => {
    writer.push(2);
    writer.bulkText('tracking-redir-broken');
    writer.integer(id);
  });
}

function arrayOf(keys: readonly string[]): Buffer {
  scratch.reset();
  scratch.array(keys.length);
  for (const key of keys) scratch.bulkText(key);
  return scratch.copyFrom(0);
}

/** Null in the protocol of the tracking session, even if another session receives it. */
function nullOf(session: Session): Buffer {
  scratch.reset();
  scratch.protocol = session.protocol;
  scratch.null();
  return scratch.copyFrom(0);
}

const scratch = new RespWriter(1 << 10);
