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
  /** Its command and the µs spent on it so far, for the slow log; undefined if the slow log is off. */
  request: { readonly args: readonly Bytes[]; readonly micros: number } | undefined;
  /** True once the client was served, timed out or closed. Lists that still contain it skip it. */
  done: boolean;
}

/**
 * Clients that wait for keys. While a command runs, keys that are created, and streams that are changed or deleted, are
 * only noted as ready. When the command (or its transaction or script) has ended, waiting clients are served: keys in the
 * order in which they became ready, clients in the order in which they began to wait. Keys that become ready by this are
 * served next.
 */
export class Blocking implements EffectsListener {
  readonly #engine: Engine;
  readonly #waiting = new Map<Database, Map<string, BlockedClient[]>>();
  readonly #bySession = new Map<Session, BlockedClient>();
  #ready: { db: Database; key: string }[] = [];
  #readyKeys = new Set<string>();
  /** The number of clients that are also woken when their key is deleted. */
  #mindingGone = 0;
  /** Set while a client waits. */
  #unsubscribe: (() => void) | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get size(): number {
    return this.#bySession.size;
  }

  /** The number of clients that wait for a limited time. */
  get timedSize(): number {
    let count = 0;
    for (const { wait } of this.#bySession.values()) if (wait.deadline > 0) count++;
    return count;
  }

  isBlocked(session: Session): boolean {
    return this.#bySession.has(session);
  }

  /** The sessions that wait for keys, each with the first of its keys. The caller may end waits meanwhile. */
  *waits(): Generator<{ readonly session: Session; readonly key: Bytes }> {
    for (const { session, keys } of [...this.#bySession.values()]) {
      if (keys[0] !== undefined) yield { session, key: Bytes.of(keys[0]) };
    }
  }

  /** Whether a client waits for this key. */
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

  /** Keeps a copy of the command that began to wait, and the µs it took until now. */
  ranUntilNow(session: Session, call: Call, micros: number): void {
    const client = this.#bySession.get(session);
    if (client === undefined || this.#engine.slowLog.threshold === Number.POSITIVE_INFINITY) return;
    const args = Array.from({ length: call.argc }, (_, i) => call.arg(i).copy());
    client.request = { args, micros };
  }

  /** Adds a command that has waited to the slow log if it was slow; `micros` is the time for serving it. */
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
    // A key that a slow command made ready may have expired since the command began.
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

  /** Returns true if the client's wait has ended, by a reply or an error. */
  #serve({ wait, session }: BlockedClient, call: Call, key: Bytes, isThere: boolean): boolean {
    try {
      return isThere ? wait.serve(call, key) : (wait.keyGone?.(call, key) ?? false);
    } catch (error) {
      this.#engine.execution.failAside(session, error);
      return true;
    }
  }

  /** Replies to clients whose wait has timed out; returns the next deadline, or 0. */
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

  /** Ends the wait with the reply for a timeout, or with an error. Returns false if the session does not wait. */
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

  /** Forgets a closed session. */
  drop(session: Session): void {
    const client = this.#bySession.get(session);
    if (client !== undefined) this.#remove(client);
  }

  /** After SWAPDB: keys of both databases may be missing now, or may serve clients that wait in the other one. */
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
