import type { Argument, Store } from '../../store/index.js';
import {
  abortSignal,
  checkedList,
  checkStore,
  EVICTION_RULES,
  EvictionGuard,
  type EvictionOptions,
  type ExactId,
  idText,
  integer,
  KitError,
  optional,
  portions,
  readLua,
  resolveOptions,
  Shards,
  shown,
  text,
  throwIfAborted,
} from '../foundation/index.js';
import type { FieldsOf, PackedField } from './fields.js';
import { type Fields, type Piece, RecordLayout } from './record-layout.js';
import { checkSchema } from './schema.js';
import { Tally } from './tally.js';

export interface PackedRecordsOptions<F extends Fields> extends EvictionOptions {
  /** The fields of a record. All programs must declare them in the same way, in the same order. */
  readonly fields: F;
  /** Prefix of all keys. Default `packed-records`. */
  readonly prefix?: string;
  /** Records per shard. All programs must use the same number: that of the first one is kept. Default 2^20. */
  readonly recordsPerShard?: number;
}

export interface TallyOptions {
  /** Count only the records of these ids. Default: all. */
  readonly ids?: Iterable<ExactId> | AsyncIterable<ExactId>;
  /** Ends the count with `ABORTED`. */
  readonly signal?: AbortSignal;
}

/** How many records have these values. */
export interface TallyRow<R> {
  readonly values: R;
  readonly count: number;
}

/** Records of a fixed size, one after the other in long strings. Made by `packedRecords`. */
export interface PackedRecords<R extends object> extends AsyncIterable<readonly [id: number, record: R]> {
  readonly name: string;
  /** Bytes of a record. */
  readonly recordBytes: number;
  /** Writes a whole record. Fields that are left out are as if never set. */
  set(id: ExactId, record: Partial<R>): Promise<void>;
  /** The record of an id; undefined if there is none. */
  get(id: ExactId): Promise<R | undefined>;
  /** The records of several ids, in their order. */
  getMany(ids: Iterable<ExactId>): Promise<(R | undefined)[]>;
  /** Changes some fields in one atomic step; the others stay. Creates the record if there is none. */
  update(id: ExactId, changes: Partial<R>): Promise<void>;
  /** Adds to a number. Rejects with `RANGE`, and changes nothing, if the result does not fit into the field. */
  increment(id: ExactId, field: NumericField<R>, by?: number): Promise<number>;
  /** Removes a record. False if there is none. */
  remove(id: ExactId): Promise<boolean>;
  /**
   * How many records have each combination of these fields' values, most frequent first. Reads all records, or those of `ids`, in
   * chunks of 64 KB.
   */
  tally<const Name extends keyof R & string>(
    fields: Name | readonly Name[],
    options?: TallyOptions,
  ): Promise<TallyRow<Pick<R, Name>>[]>;
  /** All records by ascending id, read in chunks of 64 KB. */
  [Symbol.asyncIterator](): AsyncIterableIterator<readonly [id: number, record: R]>;
  /** Removes all records. The declaration stays, so that other processes can go on writing. */
  clear(): Promise<void>;
}

/** The names of fields whose values are numbers. */
export type NumericField<R> = { [Name in keyof R]: R[Name] extends number ? Name : never }[keyof R] & string;

const OWNER = 'packedRecords';
/** Bytes of one request. */
const CHUNK = 65_536;
/** Redis's strings end at 512 MB. */
const MAX_SHARD_BYTES = 2 ** 29;

const INCREMENT = {
  keys: ['shard'],
  args: ['format', 'offset', 'by', 'exists'],
  lua: readLua(import.meta.url, 'increment.lua'),
  reply: (reply: unknown) => (reply as readonly number[])[0],
} as const;

const REMOVE = {
  keys: ['shard'],
  args: ['offset', 'zeros'],
  lua: readLua(import.meta.url, 'remove.lua'),
  reply: (reply: unknown) => reply === 1,
} as const;

/**
 * Opens records of a fixed size that are packed into strings, by ids that are counted up from 0.
 *
 * @example
 * import { open } from 'sorrel';
 * import { choice, packedRecords, unsigned } from 'sorrel/kit/packed-records';
 *
 * await using store = await open();
 * const users = packedRecords(store, 'users', {
 *   fields: { country: choice(['DEU', 'FRA', 'USA'], { bits: 8 }), age: unsigned(7) },
 * });
 * users.recordBytes; // 2
 * await users.set(42, { country: 'USA', age: 30 });
 * await users.update(42, { age: 31 });
 * await users.get(42); // { country: 'USA', age: 31 }
 * await users.tally('country'); // [{ values: { country: 'USA' }, count: 1 }]
 */
export function packedRecords<const F extends Fields>(
  store: Store,
  name: string,
  options: PackedRecordsOptions<F>,
): PackedRecords<FieldsOf<F>> {
  checkStore(OWNER, store);
  const { prefix, recordsPerShard, fields, ...eviction } = resolveOptions(OWNER, options ?? {}, RULES);
  const layout = new RecordLayout(fields as F);
  if (layout.bytes * recordsPerShard > MAX_SHARD_BYTES) {
    throw new KitError(
      'OPTION',
      `${OWNER}: ${recordsPerShard} records of ${layout.bytes} bytes are more than a string holds (512 MB): ` +
        'lower `recordsPerShard`',
    );
  }
  const guard = new EvictionGuard(store, OWNER, eviction);
  return new StoredRecords<F>(store, name, layout, {
    shards: new Shards(store, {
      ...{ owner: OWNER, prefix, name, expiry: 0 },
      layout: { kind: 'sequential', number: recordsPerShard },
    }),
    guard,
  });
}

type RecordOf<F extends Fields> = FieldsOf<F>;

/** Where a record is. */
interface Place {
  readonly shard: string;
  /** In bytes. */
  readonly offset: number;
}

class StoredRecords<F extends Fields> implements PackedRecords<RecordOf<F>> {
  readonly name: string;
  readonly recordBytes: number;
  readonly #store: Store;
  readonly #layout: RecordLayout<F>;
  readonly #shards: Shards;
  readonly #send: (words: readonly [string, ...Argument[]]) => Promise<unknown>;
  readonly #increment;
  readonly #remove;
  #agreed: Promise<void> | undefined;

  constructor(
    store: Store,
    name: string,
    layout: RecordLayout<F>,
    { shards, guard }: { readonly shards: Shards; readonly guard: EvictionGuard },
  ) {
    this.name = name;
    this.recordBytes = layout.bytes;
    this.#store = store;
    this.#layout = layout;
    this.#shards = shards;
    this.#send = guard.before(([command, ...args]) => store.send(command, ...args));
    this.#increment = guard.before(store.script(INCREMENT));
    this.#remove = store.script(REMOVE);
  }

  async set(id: ExactId, record: Partial<RecordOf<F>>): Promise<void> {
    const bytes = this.#layout.packed(record);
    const { shard, offset } = await this.#toWrite(id);
    await this.#send(['SETRANGE', shard, offset, bytes]);
  }

  async update(id: ExactId, changes: Partial<RecordOf<F>>): Promise<void> {
    const pieces = this.#layout.encoded(changes);
    const { shard, offset } = await this.#toWrite(id);
    const words: Argument[] = ['SET', 'u1', offset * 8, 1];
    for (const piece of pieces) words.push('SET', `u${piece.width}`, offset * 8 + piece.offset, piece.value);
    await this.#send(['BITFIELD', shard, ...words]);
  }

  async increment(id: ExactId, name: NumericField<RecordOf<F>>, by = 1): Promise<number> {
    const { field, pieces } = this.#layout.named(name);
    const [piece] = pieces;
    if ((field.kind !== 'unsigned' && field.kind !== 'signed') || piece === undefined) {
      throw new KitError('OPTION', `increment: the field '${name}' is not a number`);
    }
    if (!Number.isSafeInteger(by)) {
      throw new KitError('OPTION', `increment: \`by\` must be a whole number, not ${shown(by)}`);
    }
    const { shard, offset } = await this.#toWrite(id);
    const exists = offset * 8;
    const format = `${field.kind === 'signed' ? 'i' : 'u'}${piece.width}`;
    const value = await this.#increment({ shard, format, offset: exists + piece.offset, by, exists });
    if (value !== undefined) return value;
    throw new KitError(
      'RANGE',
      `increment: the result does not fit into '${name}', which has ${field.bits} bits`,
    );
  }

  async get(id: ExactId): Promise<RecordOf<F> | undefined> {
    return (await this.getMany([id]))[0];
  }

  async getMany(ids: Iterable<ExactId>): Promise<(RecordOf<F> | undefined)[]> {
    const records: (RecordOf<F> | undefined)[] = [];
    for (const portion of portions(Array.from(checkedList('getMany', ids)))) {
      for (const bytes of await this.#read(portion)) records.push(this.#layout.unpacked(bytes));
    }
    return records;
  }

  async remove(id: ExactId): Promise<boolean> {
    const place = await this.#place(id);
    if (place === undefined) return false;
    return this.#remove({ ...place, zeros: Buffer.alloc(this.recordBytes) });
  }

  async tally<const Name extends keyof RecordOf<F> & string>(
    names: Name | readonly Name[],
    given: TallyOptions = {},
  ): Promise<TallyRow<Pick<RecordOf<F>, Name>>[]> {
    const { ids, signal } = resolveOptions('tally', given, TALLY_RULES);
    const wanted = (Array.isArray(names) ? names : [names]) as Name[];
    if (wanted.length === 0) throw new KitError('OPTION', 'tally: name at least one field');
    const placed = wanted.map((name) => this.#layout.named(name));
    const tally = new Tally(
      placed.flatMap(({ pieces }) => pieces),
      this.recordBytes,
    );
    for await (const chunk of ids === undefined ? this.#chunks() : this.#chunksOf(ids)) {
      throwIfAborted(signal);
      tally.add(chunk.bytes);
    }
    const rows: TallyRow<Pick<RecordOf<F>, Name>>[] = [];
    for (const [codes, count] of tally.counts())
      rows.push({ values: decoded(placed, codes) as never, count });
    return rows.sort((a, b) => b.count - a.count);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly [number, RecordOf<F>], void, undefined> {
    for await (const { first, bytes } of this.#chunks()) {
      for (let at = 0; at < bytes.length; at += this.recordBytes) {
        const record = this.#layout.unpacked(bytes, at);
        if (record !== undefined) yield [first + at / this.recordBytes, record];
      }
    }
  }

  async clear(): Promise<void> {
    await this.#shards.sum('UNLINK');
  }

  /** The bytes of all shards, in whole records, with the id of the first record. The next chunk is requested before it is needed. */
  async *#chunks(): AsyncGenerator<{ readonly first: number; readonly bytes: Buffer }, void, undefined> {
    const layout = await this.#shards.known();
    if (layout === undefined) return;
    await this.#agree();
    const perChunk = Math.max(1, Math.floor(CHUNK / this.recordBytes));
    const step = perChunk * this.recordBytes;
    for await (const numbers of this.#shards.numbers()) {
      for (const number of numbers) {
        const key = this.#shards.key(number);
        const read = (at: number): Promise<Buffer> => this.#store.bytes.getrange(key, at, at + step - 1);
        let next = read(0);
        for (let at = 0; ; at += step) {
          const bytes = await next;
          const isLast = bytes.length < step || at + step >= layout.number * this.recordBytes;
          if (!isLast) {
            next = read(at + step);
            // If the caller stops here, its error is of no interest.
            next.catch(() => {});
          }
          if (bytes.length > 0) yield { first: number * layout.number + at / this.recordBytes, bytes };
          if (isLast) break;
        }
      }
    }
  }

  async *#chunksOf(
    ids: Iterable<ExactId> | AsyncIterable<ExactId>,
  ): AsyncGenerator<{ readonly bytes: Buffer }, void, undefined> {
    let portion: ExactId[] = [];
    for await (const id of ids) {
      portion.push(id);
      if (portion.length < IDS_AT_ONCE) continue;
      yield { bytes: await this.#joined(portion) };
      portion = [];
    }
    if (portion.length > 0) yield { bytes: await this.#joined(portion) };
  }

  /** The records of some ids, one after the other. */
  async #joined(ids: readonly ExactId[]): Promise<Buffer> {
    const joined = Buffer.alloc(ids.length * this.recordBytes);
    (await this.#read(ids)).forEach((bytes, i) => {
      bytes.copy(joined, i * this.recordBytes);
    });
    return joined;
  }

  async #read(ids: readonly ExactId[]): Promise<readonly Buffer[]> {
    const places = await Promise.all(ids.map((id) => this.#place(id)));
    const known = places.filter((place) => place !== undefined);
    // Nothing was ever written.
    if (known.length < places.length) return places.map(() => Buffer.alloc(0));
    return this.#store.bytes.pipeline((queue) =>
      known.map(({ shard, offset }) => queue.getrange(shard, offset, offset + this.recordBytes - 1)),
    );
  }

  async #place(id: ExactId): Promise<Place | undefined> {
    const checked = idText(OWNER, id);
    const layout = await this.#shards.known();
    // Also if nothing was written yet, so that an invalid id is refused in any case.
    const number = this.#shards.numberOf(layout ?? { kind: 'sequential', number: 1 }, checked);
    if (layout === undefined) return undefined;
    await this.#agree();
    return {
      shard: this.#shards.key(number),
      offset: (Number(checked) - number * layout.number) * this.recordBytes,
    };
  }

  async #toWrite(id: ExactId): Promise<Place> {
    const checked = idText(OWNER, id);
    this.#shards.numberOf({ kind: 'sequential', number: 1 }, checked);
    const layout = await this.#shards.opened();
    const place = (await this.#place(checked)) as Place;
    await this.#shards.index(layout, [this.#shards.numberOf(layout, checked)]);
    return place;
  }

  /** Compares the declaration with that of other programs, once. */
  #agree(): Promise<void> {
    if (this.#agreed === undefined) {
      this.#agreed = checkSchema(this.#store, this.#shards.layoutKey, this.#layout.schema);
      this.#agreed.catch(() => {
        this.#agreed = undefined;
      });
    }
    return this.#agreed;
  }
}

/** Ids of one request. */
const IDS_AT_ONCE = 1_000;

function decoded(
  placed: readonly { name: string; field: PackedField<unknown>; pieces: readonly Piece[] }[],
  codes: readonly number[],
): Record<string, unknown> {
  let next = 0;
  const values: Record<string, unknown> = {};
  for (const { name, field, pieces } of placed) {
    values[name] = field.decode(codes.slice(next, next + pieces.length));
    next += pieces.length;
  }
  return values;
}

const RULES = {
  fields: { complaint: () => undefined },
  prefix: text('packed-records'),
  recordsPerShard: integer(2 ** 20, { min: 1, max: 2 ** 29 }),
  ...EVICTION_RULES,
};

const TALLY_RULES = {
  ids: optional<Iterable<ExactId> | AsyncIterable<ExactId>>({
    complaint: (value) =>
      typeof value === 'object' &&
      value !== null &&
      (Symbol.iterator in value || Symbol.asyncIterator in value)
        ? undefined
        : 'must be a list of ids',
  }),
  signal: optional(abortSignal()),
};
