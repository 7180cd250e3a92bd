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

/** The clients that listen to all keys with one prefix, and the keys to tell them of at the end of the turn. */
interface Broadcast {
  readonly sessions: Set<Session>;
  /** With the session that changed it last: one that wants no loops is not told of its own changes. */
  keys: Map<string, Session | undefined>;
}

/**
 * Client-side caching. Clients that track are remembered with the keys they read and told, once, when such a key
 * changes; broadcasting clients are told of every key with their prefixes instead. Keys are told apart by name only, not
 * by database. Keys are latin1 text.
 */
export class Tracking implements TrackingPort, KeyVisitor, EffectsListener {
  readonly #engine: Engine;
  /** The ids of the sessions that have read a key. They may be gone by the time it changes. */
  readonly #readers = new Map<string, Set<number>>();
  /**
   * Where `limitKeys` continues: at the oldest key, as it deletes every key it passes. A new iterator would first have
   * to walk over all that was deleted from the front of the map.
   */
  #oldest: Iterator<string> | undefined;
  /** The session whose command `rememberKeys` looks at. */
  #readerId = 0;
  readonly #broadcasts = new Map<string, Broadcast>();
  /** What to tell the session whose command is running, when that is over; undefined stands for all keys. */
  #pending: (string | undefined)[] = [];
  #hasBroadcasts = false;
  #mostKeys = 0;
  /** How often in a row the table could not be brought down to its limit: each time it is tried harder. */
  #futileRounds = 0;
  clientCount = 0;
  itemCount = 0;
  #unsubscribe: (() => void) | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
    engine.settings.onChange('tracking-table-max-keys', (text) => {
      this.#mostKeys = Number(text);
      this.#watchLimit();
    });
    engine.background.everyTick(() => {
      if ((engine.gates & EngineGate.trackingTableFull) !== 0) this.limitKeys();
    });
  }

  get keyCount(): number {
    return this.#readers.size;
  }

  get prefixCount(): number {
    return this.#broadcasts.size;
  }

  /** Follows changes while a client tracks, or a key is remembered. */
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
    }
    return broadcast;
  }

  disable(session: Session): void {
    if (session.tracking === undefined) return;
    for (const prefix of session.tracking.prefixes) {
      const sessions = this.#broadcasts.get(prefix)?.sessions;
      sessions?.delete(session);
      if (sessions?.size === 0) this.#broadcasts.delete(prefix);
    }
    session.tracking = undefined;
    session.gates &= ~SessionGate.tracking;
    this.clientCount--;
    this.#followChanges();
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

  /** Remembers one key of the command that `rememberKeys` looks at. */
  visit(key: Bytes): void {
    if (!key.fitsText) return;
    const id = this.#readerId;
    const text = key.toString();
    const readers = this.#readers.get(text);
    if (readers === undefined) this.#readers.set(text, new Set([id]));
    else if (readers.has(id)) return;
    else readers.add(id);
    this.itemCount++;
  }

  /** While there are too many keys, no command of anybody takes the fast path: the next one, or the next tick, brings them down. */
  #watchLimit(): void {
    if (this.#mostKeys > 0 && this.#readers.size > this.#mostKeys) {
      this.#engine.gates |= EngineGate.trackingTableFull;
    } else {
      this.#engine.gates &= ~EngineGate.trackingTableFull;
    }
  }

  /** Forgets keys, telling those who read them, until there are no more than allowed, or for long enough. */
  limitKeys(): void {
    let effort = FORGOTTEN_AT_ONCE * (this.#futileRounds + 1);
    while (this.#readers.size > this.#mostKeys && effort-- > 0) {
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
    // Clients are not told of keys that are too long for a string: none of them can have been remembered.
    if (!key.fitsText) return;
    const text = key.toString();
    if (this.#broadcasts.size > 0) this.#noteBroadcast(text, by);
    this.#invalidate(text);
  }

  #noteBroadcast(key: string, by: Session | undefined): void {
    for (const [prefix, broadcast] of this.#broadcasts) {
      if (!key.startsWith(prefix)) continue;
      broadcast.keys.set(key, by);
      this.#hasBroadcasts = true;
    }
  }

  #invalidate(key: string): void {
    const readers = this.#readers.get(key);
    if (readers === undefined) return;
    this.#readers.delete(key);
    this.itemCount -= readers.size;
    for (const id of readers) {
      const session = this.#engine.session(id);
      const tracking = session?.tracking;
      if (session === undefined || tracking === undefined || tracking.broadcast) continue;
      if (tracking.noLoop && session === this.#engine.execution.client) continue;
      if (session === this.#engine.execution.runningClient) this.#pending.push(key);
      else this.#tell(session, arrayOf([key]));
    }
    if (this.#readers.size === 0) this.#followChanges();
  }

  /** All keys are about to go: everybody who tracks is told so, even of their own doing. */
  flushing(): void {
    for (const session of this.#engine.sessions.values()) {
      if (session.tracking === undefined) continue;
      if (session === this.#engine.execution.client) this.#pending.push(undefined);
      else this.#tell(session, nullOf(session));
    }
    this.#readers.clear();
    this.itemCount = 0;
    this.#followChanges();
  }

  /** The command is over, its reply written: the session learns what it changed for itself. */
  tellPending(session: Session): void {
    if (this.#pending.length === 0) return;
    const pending = this.#pending;
    this.#pending = [];
    for (const key of pending) this.#tell(session, key === undefined ? nullOf(session) : arrayOf([key]));
  }

  /** The turn is over: broadcasting clients are told what has changed in it, prefix by prefix. */
  tellBroadcasts(): void {
    if (!this.#hasBroadcasts) return;
    this.#hasBroadcasts = false;
    for (const prefix of [...this.#broadcasts.keys()].sort()) {
      const broadcast = this.#broadcasts.get(prefix) as Broadcast;
      if (broadcast.keys.size === 0) continue;
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

  /** Sends `keys`, an encoded array or null, to the session or where it wants that to go. */
  #tell(session: Session, keys: Buffer): void {
    const tracking = session.tracking;
    if (tracking === undefined) return;
    if (tracking.redirect === 0) {
      // Without pushes there is no way to tell the client on its own connection.
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

/** As a push, or for RESP2 as a message on a channel of its own. */
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

/** Null in the protocol of the session that tracks, even where another one receives it. */
function nullOf(session: Session): Buffer {
  scratch.reset();
  scratch.protocol = session.protocol;
  scratch.null();
  return scratch.copyFrom(0);
}

const scratch = new RespWriter(1 << 10);
