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

/** The data of an engine at one moment: the keys of each database, by their bytes as text, and the code of the libraries of functions. */
interface SavedData {
  readonly databases: ReadonlyMap<number, ReadonlyMap<string, SavedKey>>;
  readonly libraries: readonly Buffer[];
}

const NOTHING: SavedData = { databases: new Map(), libraries: [] };

/**
 * Saves the data of an engine and restores it, synchronously. Taking a snapshot costs time for each key. After that the changed
 * keys are noted, so that restoring the same snapshot costs time only for those.
 *
 * Everything is done by commands (DUMP, RESTORE, DEL, FLUSHDB) in one transaction. So WATCH, tracking, keyspace events, blocked clients
 * and the append-only file learn of it as of any other change.
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
    const databases = new Map<number, ReadonlyMap<string, SavedKey>>();
    for (const { index, size } of engine.keyspace.databases) {
      if (size === 0) continue;
      client.session.db = engine.database(index);
      const keys = ask<readonly Buffer[]>(client, KEYS, ['*']);
      databases.set(index, new Map(keys.map((key) => [key.latin1Slice(), saveKey(client, key)])));
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
    if (requests.length > 0) this.#withClient((client) => run(client, requests));
    this.#follow(saved);
    if (isShared) this.#changes?.noteAll();
  }

  #dataRequests(saved: SavedData): Request[] {
    const requests: Request[] = [];
    for (const { index, size } of this.#embedded.engine.keyspace.databases) {
      const keys = saved.databases.get(index) ?? NO_KEYS;
      const changed = this.#base === saved ? this.#changes?.of(index) : undefined;
      const own = changed === undefined ? wholeDatabase(keys, size) : changedKeys(keys, changed);
      if (own.length > 0) requests.push({ command: SELECT, args: [index] }, ...own);
    }
    return requests;
  }

  /** From now on the data is `saved`, and changes are noted. */
  #follow(saved: SavedData): void {
    const { keyspace } = this.#embedded.engine;
    this.#changes?.stop();
    this.#base = saved;
    // An empty database is emptied in constant time, whatever has changed.
    this.#changes = saved === NOTHING ? undefined : new Changes(keyspace.effects, keyspace.databases.length);
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

/** Notes which keys have changed since it was made. */
class Changes {
  readonly #effects: Effects;
  /** Undefined: all of the database. */
  readonly #keys: (Set<string> | undefined)[];
  readonly #dirtyAtStart: number;
  readonly stop: () => void;

  constructor(effects: Effects, databases: number) {
    this.#effects = effects;
    this.#keys = Array.from({ length: databases }, () => new Set<string>());
    this.#dirtyAtStart = effects.dirty;
    const note = ({ index }: { index: number }, key: Bytes): void => this.#note(index, key);
    const forget = (databases: readonly { index: number }[]): void => {
      for (const { index } of databases) this.#keys[index] = undefined;
    };
    this.stop = effects.subscribe({
      keyChanged: note,
      keyVanished: note,
      flushing: forget,
      swapping: (a, b) => forget([a, b]),
    });
  }

  /** The changed keys of a database; undefined if they are not known. */
  of(index: number): Changed | undefined {
    const keys = this.#keys[index];
    if (keys === undefined) return undefined;
    return { keys, hasDetails: this.#effects.dirty !== this.#dirtyAtStart };
  }

  noteAll(): void {
    this.#keys.fill(undefined);
  }

  #note(index: number, key: Bytes): void {
    const keys = this.#keys[index];
    if (keys === undefined) return;
    keys.add(key.toString());
    // A program that changes this many keys does not only run tests between two snapshots.
    if (keys.size > MAX_NOTED) this.#keys[index] = undefined;
  }
}

interface Changed {
  readonly keys: ReadonlySet<string>;
  /** Details of streams may have changed, which are not noted by key. */
  readonly hasDetails: boolean;
}

const MAX_NOTED = 100_000;

const NO_KEYS: ReadonlyMap<string, SavedKey> = new Map();

function wholeDatabase(keys: ReadonlyMap<string, SavedKey>, presentSize: number): Request[] {
  const requests = presentSize === 0 ? [] : [{ command: FLUSHDB, args: ['SYNC'] }];
  return [...requests, ...[...keys.values()].map(restoreKey)];
}

function changedKeys(saved: ReadonlyMap<string, SavedKey>, { keys, hasDetails }: Changed): Request[] {
  const requests: Request[] = [];
  for (const name of keys) {
    const known = saved.get(name);
    requests.push(
      known === undefined ? { command: DEL, args: [Buffer.from(name, 'latin1')] } : restoreKey(known),
    );
  }
  if (!hasDetails) return requests;
  for (const [name, known] of saved) {
    if (isStream(known) && !keys.has(name)) requests.push(restoreKey(known));
  }
  return requests;
}

function libraryRequests(present: readonly Buffer[], saved: readonly Buffer[]): Request[] {
  if (present.length === saved.length && present.every((code, at) => code.equals(saved[at] as Buffer)))
    return [];
  const flush: Request = { command: FUNCTION_FLUSH, args: ['SYNC'] };
  return [flush, ...saved.map((code): Request => ({ command: FUNCTION_LOAD, args: [code] }))];
}

function saveKey(client: EmbeddedClient, key: Buffer): SavedKey {
  return {
    key,
    payload: ask<Buffer>(client, DUMP, [key]),
    expiresAt: ask<number>(client, PEXPIRETIME, [key]),
  };
}

/** A key whose time has come meanwhile is not created. */
function restoreKey({ key, payload, expiresAt }: SavedKey): Request {
  return { command: RESTORE, args: [key, Math.max(0, expiresAt), payload, 'ABSTTL', 'REPLACE'] };
}

/** The first byte of a payload is the type of the value. */
function isStream({ payload }: SavedKey): boolean {
  return STREAM_TYPES.has(payload[0] as number);
}

/** Runs the requests atomically; throws the first error. */
function run(client: EmbeddedClient, requests: readonly Request[]): void {
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
