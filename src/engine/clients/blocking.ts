import { Bytes } from '../../bytes/bytes.js';
import type { Call } from '../../commands/call.js';
import type { Wait } from '../../commands/engine-port.js';
import type { CommandError } from '../../commands/errors.js';
import { type Session, SessionGate } from '../../commands/session.js';
import type { Database } from '../../keyspace/database.js';
import type { EffectsListener } from '../../keyspace/effects.js';
import type { Engine } from '../engine.js';

interface BlockedClient {
  readonly session: Session;
  readonly wait: Wait;
  readonly keys: readonly string[];
  readonly db: Database;
  /** What it asked for and the µs that took so far, for the slow log; absent if that is off. */
  request: { readonly args: readonly Bytes[]; readonly micros: number } | undefined;
  /** Set once it has been served, timed out or dropped: it is skipped wherever it is still listed. */
  done: boolean;
}

/**
 * Clients that wait for keys. A key that comes to be, or a stream that changes or goes, is noted while the command runs; when the command (or the whole
 * transaction or script) is over, the notes are worked off in order: key by key as they became ready, client by client
 * as they began to wait. Serving may make further keys ready, which are worked off in turn.
 */
export class Blocking implements EffectsListener {
  readonly #engine: Engine;
  readonly #waiting = new Map<Database, Map<string, BlockedClient[]>>();
  readonly #bySession = new Map<Session, BlockedClient>();
  #ready: { db: Database; key: string }[] = [];
  #readyKeys = new Set<string>();
  /** How many of them want to know when a key has gone. */
  #mindingGone = 0;
  /** Set while a client waits. */
  #unsubscribe: (() => void) | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get size(): number {
    return this.#bySession.size;
  }

  isBlocked(session: Session): boolean {
    return this.#bySession.has(session);
  }

  /** Whether anybody waits for this key. */
  hasWaiters(db: Database, key: Bytes): boolean {
    return key.fitsText && (this.#waiting.get(db)?.has(key.toString()) ?? false);
  }

  block(session: Session, wait: Wait): void {
    const keys = [...new Set(wait.keys.map(String))];
    const client: BlockedClient = { session, wait, keys, db: session.db, request: undefined, done: false };
    let byKey = this.#waiting.get(session.db);
    if (byKey === undefined) {
      byKey = new Map();
      this.#waiting.set(session.db, byKey);
    }
    for (const key of keys) {
      const clients = byKey.get(key);
      if (clients === undefined) byKey.set(key, [client]);
      else clients.push(client);
    }
    this.#bySession.set(session, client);
    if (wait.keyGone !== undefined) this.#mindingGone++;
    session.gates |= SessionGate.blocked;
    this.#unsubscribe ??= this.#engine.keyspace.effects.subscribe(this);
    if (wait.deadline > 0) this.#engine.wakeAt(wait.deadline);
  }

  /** The command that began to wait has taken so long until now. */
  ranUntilNow(session: Session, call: Call, micros: number): void {
    const client = this.#bySession.get(session);
    if (client === undefined || this.#engine.slowLog.threshold === Number.POSITIVE_INFINITY) return;
    const args = Array.from({ length: call.argc }, (_, i) => call.arg(i).copy());
    client.request = { args, micros };
  }

  /** A command that waited is over: what was done for it then took so long. */
  #logIfSlow({ session, request }: BlockedClient, micros: number): void {
    const { slowLog, keyspace } = this.#engine;
    const { lastCommand } = session;
    if (request === undefined || lastCommand === undefined) return;
    const { args } = request;
    const total = request.micros + micros;
    if (total < slowLog.threshold) return;
    const list = { argc: args.length, arg: (index: number) => args[index] as Bytes };
    slowLog.add(session, lastCommand, list, total, keyspace.now);
  }

  keyReady(db: Database, key: Bytes): void {
    if (!this.hasWaiters(db, key)) return;
    const text = key.toString();
    const name = `${db.index}:${text}`;
    if (this.#readyKeys.has(name)) return;
    this.#readyKeys.add(name);
    this.#ready.push({ db, key: text });
  }

  /** True if `serveReady` has something to do. */
  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  serveReady(): void {
    // What became ready in a slow command may have expired since it began.
    const { keyspace } = this.#engine;
    keyspace.passTime();
    while (this.#ready.length > 0) {
      const ready = this.#ready;
      this.#ready = [];
      this.#readyKeys = new Set();
      for (const { db, key } of ready) this.#serveKey(db, key);
    }
  }

  #serveKey(db: Database, key: string): void {
    const clients = this.#waiting.get(db)?.get(key);
    if (clients === undefined) return;
    const keyBytes = Bytes.of(key);
    for (const client of [...clients]) {
      if (client.done) continue;
      const { wait } = client;
      const entry = this.#engine.keyspace.peek(db, keyBytes);
      const isThere = entry !== 0 && db.type(entry) === wait.type;
      if (entry === 0 && this.#mindingGone === 0) return;
      if (!isThere && wait.keyGone === undefined) continue;
      const start = performance.now();
      const isOver = this.#engine.execution.runAside(client.session, db, (call) =>
        this.#serve(client, call, keyBytes, isThere),
      );
      if (!isOver) continue;
      this.#logIfSlow(client, (performance.now() - start) * 1000);
      this.#finish(client);
    }
  }

  /** Whether the client's wait is over, be it with an error. */
  #serve({ wait, session }: BlockedClient, call: Call, key: Bytes, isThere: boolean): boolean {
    try {
      return isThere ? wait.serve(call, key) : (wait.keyGone?.(call, key) ?? false);
    } catch (error) {
      this.#engine.execution.failAside(session, error);
      return true;
    }
  }

  /** Answers those whose time is up; returns the next deadline, or 0. */
  expireWaits(now: number): number {
    let next = 0;
    for (const client of [...this.#bySession.values()]) {
      const { deadline } = client.wait;
      if (deadline === 0) continue;
      if (deadline <= now) this.unblock(client.session);
      else if (next === 0 || deadline < next) next = deadline;
    }
    return next;
  }

  /** Ends the wait as if its time were up, or with an error. False if the session does not wait. */
  unblock(session: Session, error?: CommandError): boolean {
    const client = this.#bySession.get(session);
    if (client === undefined) return false;
    this.#engine.execution.runAside(session, session.db, (call) => {
      if (error === undefined) client.wait.timedOut(call.reply);
      else this.#engine.execution.failAside(session, error);
    });
    this.#finish(client);
    return true;
  }

  /** Forgets a session that has gone. */
  drop(session: Session): void {
    const client = this.#bySession.get(session);
    if (client !== undefined) this.#remove(client);
  }

  /** After SWAPDB: the keys of both databases may have gone, or serve those now who wait in the other. */
  swapped(a: Database, b: Database): void {
    for (const isThere of [false, true]) {
      for (const db of [a, b]) this.#noteAll(db, (key) => (db.find(key) !== 0) === isThere);
    }
  }

  flushing(databases: readonly Database[]): void {
    for (const db of databases) this.#noteAll(db, () => true);
  }

  #noteAll(db: Database, isMeant: (key: Bytes) => boolean): void {
    for (const key of this.#waiting.get(db)?.keys() ?? []) {
      const bytes = Bytes.of(key);
      if (isMeant(bytes)) this.keyReady(db, bytes);
    }
  }

  #finish(client: BlockedClient): void {
    this.#remove(client);
    client.session.gates &= ~SessionGate.blocked;
    this.#engine.resumeLater(client.session);
  }

  #remove(client: BlockedClient): void {
    client.done = true;
    this.#bySession.delete(client.session);
    if (client.wait.keyGone !== undefined) this.#mindingGone--;
    const byKey = this.#waiting.get(client.db);
    for (const key of client.keys) {
      const clients = byKey?.get(key);
      if (clients === undefined) continue;
      clients.splice(clients.indexOf(client), 1);
      if (clients.length === 0) byKey?.delete(key);
    }
    if (this.#bySession.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }
}
