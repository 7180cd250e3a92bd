import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { open, type Store } from '../../store/index.js';
import {
  bool,
  COUNTRIES,
  choice,
  fixedText,
  type PackedField,
  packedRecords,
  STATES,
  signed,
  unsigned,
} from './index.js';

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

function locations(store: Store, name = 'location') {
  return packedRecords(store, name, {
    fields: { country: choice(COUNTRIES, { bits: 8 }), state: choice(STATES, { bits: 7 }) },
  });
}

/** The values of fields that were never set. */
const NEVER_SET: Readonly<Record<string, unknown>> = {
  choice: undefined,
  ...{ unsigned: 0, signed: 0, wide: 0, low: 0 },
  ...{ bool: false, text: '' },
};

describe('Packed records', () => {
  it('run the example of their documentation', async () => {
    await using store = await open();
    const users = packedRecords(store, 'users', {
      fields: { country: choice(['DEU', 'FRA', 'USA'], { bits: 8 }), age: unsigned(7) },
    });
    assert.equal(users.recordBytes, 2);
    await users.set(42, { country: 'USA', age: 30 });
    await users.update(42, { age: 31 });
    assert.deepEqual(await users.get(42), { country: 'USA', age: 31 });
    assert.deepEqual(await users.tally('country'), [{ values: { country: 'USA' }, count: 1 }]);
  });

  it('keep a country and a state in two bytes, the first and the last of them and those above 127', async () => {
    await using store = await open();
    const users = locations(store);
    assert.equal(users.recordBytes, 2);
    for (const [id, country] of COUNTRIES.entries()) await users.set(id, { country });
    await users.set(300, { country: 'USA', state: 'WY' });
    await users.set(301, { country: 'CAN', state: 'AB' });
    assert.deepEqual(
      (await users.getMany(COUNTRIES.keys())).map((record) => record?.country),
      COUNTRIES,
    );
    assert.deepEqual(await users.get(300), { country: 'USA', state: 'WY' });
    assert.deepEqual(await users.tally(['country', 'state'], { ids: [300, 301, 301, 999] }), [
      { values: { country: 'CAN', state: 'AB' }, count: 2 },
      { values: { country: 'USA', state: 'WY' }, count: 1 },
    ]);
    assert.equal(await store.strlen('packed-records:{location-0}:shard'), 604);
    await assert.rejects(users.set(1, { country: 'ZZZ' }), {
      code: 'OPTION',
      message: /`country` must be one/,
    });
    await assert.rejects(users.set(1, { country: 'AAA' }), { code: 'OPTION' });
    assert.deepEqual(await users.get(1), { country: 'AFG', state: undefined }, 'nothing was changed');
  });

  it('behave like a map of objects, whatever is in them', async () => {
    await using store = await open();
    let round = 0;
    const values: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
      choice: fc.constantFrom('a', 'b', 'c', undefined),
      unsigned: fc.constantFrom(0, 1, 7, 12),
      signed: fc.constantFrom(-8, -1, 0, 7),
      wide: fc.constantFrom(0, 1, 2 ** 47, 2 ** 48 - 1),
      low: fc.constantFrom(-(2 ** 47), -1, 0, 2 ** 47 - 1),
      bool: fc.boolean(),
      text: fc.constantFrom('', 'abc', 'é😀', '12345678'),
    };
    const makers: Readonly<Record<string, () => PackedField<unknown>>> = {
      choice: () => choice(['a', 'b', 'c']),
      unsigned: () => unsigned(4),
      signed: () => signed(4),
      wide: () => unsigned(48),
      low: () => signed(48),
      bool: () => bool(),
      text: () => fixedText(8),
    };
    const names = fc.uniqueArray(fc.constantFrom(...Object.keys(values)), { minLength: 1 });
    const plan = names.chain((declared) => {
      const record = fc.record(
        Object.fromEntries(declared.map((name) => [name, values[name] as fc.Arbitrary<unknown>])),
        { requiredKeys: [] },
      );
      const id = fc.nat({ max: 12 });
      const step = fc.oneof(
        fc.record({ id, set: record }),
        fc.record({ id, update: record }),
        fc.record({ id, remove: fc.constant(true) }),
      );
      return fc.tuple(fc.constant(declared), fc.array(step, { maxLength: 15 }));
    });
    await fc.assert(
      fc.asyncProperty(plan, fc.integer({ min: 1, max: 6 }), async ([declared, steps], recordsPerShard) => {
        const fields = Object.fromEntries(
          declared.map((name) => [name, (makers[name] as () => PackedField<unknown>)()]),
        );
        const records = packedRecords(store, `r${round++}`, { fields, recordsPerShard });
        const empty = (): Record<string, unknown> =>
          Object.fromEntries(declared.map((name) => [name, NEVER_SET[name]]));
        const model = new Map<number, Record<string, unknown>>();
        for (const given of steps) {
          if ('set' in given) {
            model.set(given.id, { ...empty(), ...given.set });
            await records.set(given.id, given.set);
          } else if ('update' in given) {
            model.set(given.id, { ...(model.get(given.id) ?? empty()), ...given.update });
            await records.update(given.id, given.update);
          } else {
            assert.equal(await records.remove(given.id), model.delete(given.id));
          }
        }
        const ids = Array.from({ length: 14 }, (_, i) => i);
        assert.deepEqual(
          await records.getMany(ids),
          ids.map((id) => model.get(id)),
        );
        const sorted = [...model].sort(([a], [b]) => a - b);
        assert.deepEqual(await all(records), sorted);
        const rows = await records.tally(declared);
        const counts = new Map<string, number>();
        for (const [, record] of sorted) {
          const text = JSON.stringify(record);
          counts.set(text, (counts.get(text) ?? 0) + 1);
        }
        assert.deepEqual(new Map(rows.map(({ values, count }) => [JSON.stringify(values), count])), counts);
      }),
      { numRuns: Number(process.env['SORREL_RUNS'] ?? 1) * 80 },
    );
  });

  it('change one field without touching those that others change at the same time', async () => {
    await using store = await open();
    const records = packedRecords(store, 'r', {
      fields: { a: unsigned(3), b: unsigned(9), c: fixedText(5), hits: unsigned(20) },
    });
    await records.set(7, {});
    await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        Promise.all([
          records.update(7, { a: i % 8 }),
          records.update(7, { b: i * 5 }),
          records.update(7, { c: `${i}` }),
          records.increment(7, 'hits'),
        ]),
      ),
    );
    assert.deepEqual(await records.get(7), { a: 99 % 8, b: 495, c: '99', hits: 100 });
    assert.equal(await records.get(6), undefined);
    assert.equal(await records.get(8), undefined);
  });

  it('refuse an increment whose result does not fit', async () => {
    await using store = await open();
    const records = packedRecords(store, 'r', { fields: { small: unsigned(3), low: signed(4), on: bool() } });
    await assert.rejects(records.increment(0, 'small', -1), { code: 'RANGE' });
    assert.equal(await records.get(0), undefined);
    assert.equal(await records.increment(0, 'small', 7), 7);
    await assert.rejects(records.increment(0, 'small'), { code: 'RANGE' });
    assert.equal(await records.increment(0, 'low', -8), -8);
    await assert.rejects(records.increment(0, 'low', -1), { code: 'RANGE' });
    await assert.rejects(records.increment(0, 'on' as never), { code: 'OPTION' });
    assert.deepEqual(await records.get(0), { small: 7, low: -8, on: false });
  });

  it('are counted across chunks and shards, and a count can be ended', async () => {
    await using store = await open();
    const records = packedRecords(store, 'many', { fields: { n: unsigned(23) }, recordsPerShard: 50_000 });
    // Bytes as `set` writes them: 3 for each record, so that a chunk of 64 KB does not end with a record.
    const bytes = Buffer.alloc(150_000);
    for (let i = 0; i < 50_000; i++) bytes.writeUIntBE(0x800000 + (i % 5), i * 3, 3);
    await records.set(0, { n: 0 });
    await records.set(50_000, { n: 0 });
    for (const shard of [0, 1]) await store.set(`packed-records:{many-${shard}}:shard`, bytes);
    const rows = await records.tally('n');
    assert.deepEqual(
      rows.map(({ values, count }) => [values.n, count]).sort(),
      [0, 1, 2, 3, 4].map((n) => [n, 20_000]),
    );
    let last = -1;
    for await (const [id] of records) assert.equal(id, ++last);
    assert.equal(last, 99_999);
    await assert.rejects(records.tally('n', { signal: AbortSignal.abort() }), { code: 'ABORTED' });
  });

  it('refuse a program that declares them differently, and accept more values at the end of a choice', async () => {
    await using store = await open();
    const of = (values: string[], bits = 4) =>
      packedRecords(store, 'r', { fields: { a: choice(values, { bits }), b: bool() } });
    const old = of(['x', 'y']);
    await old.set(1, { a: 'y' });
    const fresh = of(['x', 'y', 'z']);
    await fresh.set(2, { a: 'z' });
    assert.deepEqual(await fresh.get(1), { a: 'y', b: false });
    assert.deepEqual(await of(['x', 'y']).get(2), { a: undefined, b: false }, 'a value it does not know');
    await assert.rejects(of(['y', 'x']).get(1), { code: 'SCHEMA' });
    await assert.rejects(of(['x', 'y'], 5).set(1, { a: 'x' }), { code: 'SCHEMA' });
    await assert.rejects(packedRecords(store, 'r', { fields: { b: bool() } }).get(1), { code: 'SCHEMA' });
    // The number of records per shard is that of the first program.
    const other = packedRecords(store, 'r', {
      fields: { a: choice(['x', 'y'], { bits: 4 }), b: bool() },
      recordsPerShard: 1,
    });
    assert.deepEqual(await other.get(1), { a: 'y', b: false });
  });

  it('refuse invalid fields, ids and values', async () => {
    await using store = await open();
    for (const make of [
      () => choice([]),
      () => choice(['a', 'a']),
      () => choice(['a', 'b', 'c', 'd'], { bits: 2 }),
      () => unsigned(0),
      () => unsigned(49),
      () => signed(1),
      () => fixedText(0),
      () => packedRecords(store, 'x', { fields: {} }),
      () => packedRecords(store, 'x', { fields: { a: 5 } as never }),
      () => packedRecords(store, 'x', { fields: { a: fixedText(1_000) } }),
    ]) {
      assert.throws(make, { code: 'OPTION' });
    }
    const records = packedRecords(store, 'x', { fields: { n: unsigned(3), t: fixedText(2) } });
    for (const id of [-1, 1.5, 'x', 2 ** 53]) await assert.rejects(records.get(id), { code: 'OPTION' });
    for (const wrong of [{ n: 8 }, { n: -1 }, { t: 'é€' }, { t: 'a\0' }, { m: 1 }, undefined]) {
      await assert.rejects(records.set(0, wrong as never), { code: 'OPTION' });
    }
    assert.equal(await store.dbsize(), 0);
  });
});
