import type { Bytes } from '../../bytes/bytes.js';
import { ValueType } from '../../rdb/value-type.js';
import { ReplyFormat } from '../../resp/reply-reader.js';
import type { WireCommand } from '../command-runner.js';
import { StoreError } from '../store-error.js';
import type { Request } from '../transport.js';
import type { Argument } from '../value.js';
import { EmbeddedClient } from './embedded-client.js';
import type { EmbeddedEngine } from './embedded-engine.js';
import { executeNow } from './embedded-multi.js';
import { paused } from './sync-client.js';

/** The value of a key, as DUMP returns it. */
interface SavedKey {
  readonly key: Buffer;
  readonly payload: Buffer;
  /** Unix ms; -1 for none. */
  readonly expiresAt: number;
}

/** The keys of one database, by their bytes as text. */
interface SavedDatabase {
  readonly keys: ReadonlyMap<string, SavedKey>;
  /** Those of them whose changes are not all noted. */
  readonly streams: readonly string[];
}

/** The data of an engine at one moment: its databases that are not empty, and the code of its libraries of functions. */
interface SavedData {
  readonly databases: ReadonlyMap<number, SavedDatabase>;
  readonly libraries: readonly Buffer[];
}

const NOTHING: SavedData = { databases: new Map(), libraries: [] };

/**
 * Saves the data of an engine and restores it, synchronously. Taking a snapshot costs time for each key. After that the changed
 * keys are noted, so that restoring the same snapshot costs time only for those.
 *
 * Everything is done by commands (DUMP, RESTORE, DEL, FLUSHDB), and no client sees half of it. So WATCH, tracking, keyspace events,
 * blocked clients and the append-only file learn of it as of any other change.
 */
export class Snapshots {
  readonly #embedded: EmbeddedEngine;
  /** The data is what was saved here, except for what `#changes` has noted. */
  #base: SavedData | undefined;
  #changes: Changes | undefined;

  private constructor(embedded: EmbeddedEngine) {
    this.#embedded = embedded;
  }

  static readonly #known = new WeakMap<EmbeddedEngine, Snapshots>();

  static of(embedded: EmbeddedEngine): Snapshots {
    let snapshots = Snapshots.#known.get(embedded);
    if (snapshots === undefined) {
      snapshots = new Snapshots(embedded);
      Snapshots.#known.set(embedded, snapshots);
    }
    return snapshots;
  }

  /** Saves the data. The returned function restores it. */
  take(): () => void {
    const saved = this.#withClient((client) => this.#save(client));
    this.#follow(saved);
    return () => this.#restore(saved);
  }

  /** Deletes all data. */
  reset(): void {
    this.#restore(NOTHING);
  }

  #save(client: EmbeddedClient): SavedData {
    const { engine } = this.#embedded;
    const databases = new Map<number, SavedDatabase>();
    for (const { index, size } of engine.keyspace.databases) {
      if (size === 0) continue;
      client.session.db = engine.database(index);
      databases.set(index, saveDatabase(client));
    }
    return { databases, libraries: engine.scripting.libraryCodes() };
  }

  #restore(saved: SavedData): void {
    const { engine } = this.#embedded;
    const requests = [
      ...this.#dataRequests(saved),
      ...libraryRequests(engine.scripting.libraryCodes(), saved.libraries),
    ];
    // Clients that wait may take elements of what is restored.
    const isShared = engine.blocking.size > 0;
    const isOneUnit = isShared || engine.keyspace.effects.recording;
    if (requests.length > 0) {
      this.#withClient((client) => (isOneUnit ? runAsOne(client, requests) : runEach(client, requests)));
    }
    this.#follow(saved);
    if (isShared) this.#changes?.noteAll(engine.keyspace.databases);
  }

  #dataRequests(saved: SavedData): Request[] {
    const requests: Request[] = [];
    for (const { index, size } of this.#embedded.engine.keyspace.databases) {
      const database = saved.databases.get(index) ?? EMPTY;
      const changed = this.#base === saved ? this.#changes?.of(index) : undefined;
      const own =
        changed === undefined || isQuickerToFlush(database, changed)
          ? wholeDatabase(database, size)
          : changedKeys(database, changed);
      if (own.length > 0) requests.push({ command: SELECT, args: [index] }, ...own);
    }
    return requests;
  }

  /** From now on the data is `saved`, and changes are noted. */
  #follow(saved: SavedData): void {
    this.#base = saved;
    if (this.#changes === undefined) this.#changes = new Changes(this.#embedded.engine.keyspace.effects);
    else this.#changes.forget();
  }

  #withClient<Result>(work: (client: EmbeddedClient) => Result): Result {
    const client = new EmbeddedClient(this.#embedded, 0);
    try {
      return work(client);
    } finally {
      client.leave();
      if (this.#embedded.engine.holdsReplies) this.#embedded.syncNow();
    }
  }
}

type Effects = EmbeddedEngine['engine']['keyspace']['effects'];

/** Notes which keys change. */
class Changes {
  readonly #effects: Effects;
  /** By database; `ALL` if its keys are not known one by one. */
  readonly #keys = new Map<number, Set<string> | typeof ALL>();
  #dirtyAtStart: number;

  constructor(effects: Effects) {
    this.#effects = effects;
    this.#dirtyAtStart = effects.dirty;
    const note = ({ index }: { index: number }, key: Bytes): void => this.#note(index, key);
    effects.subscribe({
      keyChanged: note,
      keyVanished: note,
      flushing: (databases) => this.noteAll(databases),
      swapping: (a, b) => this.noteAll([a, b]),
    });
  }

  /** The changed keys of a database; undefined if they are not known. */
  of(index: number): Changed | undefined {
    const keys = this.#keys.get(index) ?? NONE;
    return keys === ALL ? undefined : { keys, hasDetails: this.#effects.dirty !== this.#dirtyAtStart };
  }

  /** Begins anew. */
  forget(): void {
    this.#keys.clear();
    this.#dirtyAtStart = this.#effects.dirty;
  }

  noteAll(databases: readonly { index: number }[]): void {
    for (const { index } of databases) this.#keys.set(index, ALL);
  }

  #note(index: number, key: Bytes): void {
    const keys = this.#keys.get(index);
    if (keys === ALL) return;
    if (keys === undefined) this.#keys.set(index, new Set([key.toString()]));
    else if (keys.size < MAX_NOTED) keys.add(key.toString());
    else this.#keys.set(index, ALL);
  }
}

const ALL = Symbol('all');
const NONE: ReadonlySet<string> = new Set();

interface Changed {
  readonly keys: ReadonlySet<string>;
  /** Details of streams may have changed, which are not noted by key. */
  readonly hasDetails: boolean;
}

/** Restoring everything is then cheaper than to remember more. */
const MAX_NOTED = 100_000;

const EMPTY: SavedDatabase = { keys: new Map(), streams: [] };

function wholeDatabase({ keys }: SavedDatabase, presentSize: number): Request[] {
  const requests = presentSize === 0 ? [] : [{ command: FLUSHDB, args: ['SYNC'] }];
  return [...requests, ...[...keys.values()].map(restoreKey)];
}

/** FLUSHDB drops the memory of the database, and the next keys need new memory: deleting some keys takes less time. */
function isQuickerToFlush({ keys }: SavedDatabase, changed: Changed): boolean {
  return keys.size === 0 && changed.keys.size > MAX_DELETED;
}

const MAX_DELETED = 1_000;

function changedKeys(saved: SavedDatabase, { keys, hasDetails }: Changed): Request[] {
  const requests: Request[] = [];
  for (const name of keys) {
    const known = saved.keys.get(name);
    requests.push(
      known === undefined ? { command: DEL, args: [Buffer.from(name, 'latin1')] } : restoreKey(known),
    );
  }
  for (const name of hasDetails ? saved.streams : []) {
    if (!keys.has(name)) requests.push(restoreKey(saved.keys.get(name) as SavedKey));
  }
  return requests;
}

function libraryRequests(present: readonly Buffer[], saved: readonly Buffer[]): Request[] {
  if (present.length === saved.length && present.every((code, at) => code.equals(saved[at] as Buffer)))
    return [];
  const flush: Request = { command: FUNCTION_FLUSH, args: ['SYNC'] };
  return [flush, ...saved.map((code): Request => ({ command: FUNCTION_LOAD, args: [code] }))];
}

function saveDatabase(client: EmbeddedClient): SavedDatabase {
  const keys = new Map<string, SavedKey>();
  const streams: string[] = [];
  for (const key of ask<readonly Buffer[]>(client, KEYS, ['*'])) {
    const name = key.latin1Slice();
    const payload = ask<Buffer>(client, DUMP, [key]);
    keys.set(name, { key, payload, expiresAt: ask<number>(client, PEXPIRETIME, [key]) });
    // The first byte of a payload is the type of the value.
    if (STREAM_TYPES.has(payload[0] as number)) streams.push(name);
  }
  return { keys, streams };
}

/** A key whose time has come meanwhile is not created. */
function restoreKey({ key, payload, expiresAt }: SavedKey): Request {
  return { command: RESTORE, args: [key, Math.max(0, expiresAt), payload, 'ABSTTL', 'REPLACE'] };
}

/** No other client of a store in memory runs between two synchronous calls, so this needs no transaction. */
function runEach(client: EmbeddedClient, requests: readonly Request[]): void {
  for (const { command, args } of requests) ask(client, command, args);
}

/** Runs the requests as one transaction; throws the first error. */
function runAsOne(client: EmbeddedClient, requests: readonly Request[]): void {
  const replies = executeNow(client, requests, ReplyFormat.bytes);
  if (replies === undefined) throw paused();
  for (const reply of replies ?? []) if (reply instanceof StoreError) throw reply;
}

function ask<Reply>(client: EmbeddedClient, command: WireCommand, args: readonly Argument[]): Reply {
  const reply = client.call(command, args, ReplyFormat.bytes);
  if (reply === undefined) throw paused();
  if (reply instanceof StoreError) throw reply;
  return reply as Reply;
}

const STREAM_TYPES: ReadonlySet<number> = new Set([ValueType.streamListpacks2, ValueType.streamListpacks3]);

const KEYS: WireCommand = { words: ['KEYS'] };
const DUMP: WireCommand = { words: ['DUMP'] };
const PEXPIRETIME: WireCommand = { words: ['PEXPIRETIME'] };
const RESTORE: WireCommand = { words: ['RESTORE'] };
const DEL: WireCommand = { words: ['DEL'] };
const SELECT: WireCommand = { words: ['SELECT'] };
const FLUSHDB: WireCommand = { words: ['FLUSHDB'] };
const FUNCTION_FLUSH: WireCommand = { words: ['FUNCTION', 'FLUSH'] };
const FUNCTION_LOAD: WireCommand = { words: ['FUNCTION', 'LOAD'] };
