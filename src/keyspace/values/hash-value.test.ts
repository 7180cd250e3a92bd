import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Bytes } from '../../bytes/bytes.js';
import { ManualClock } from '../../bytes/clock.js';
import { seededRandom } from '../../bytes/random.js';
import type { Ref } from '../../structures/arena/ref.js';
import { Element } from '../../structures/element.js';
import type { Database } from '../database.js';
import { Keyspace } from '../keyspace.js';
import { Encoding } from '../kinds.js';
import { HashValue, packedBytes } from './hash-value.js';

function newKeyspace(): Keyspace {
  return new Keyspace({ databases: 2, clock: new ManualClock(0), random: seededRandom(1) });
}

const field = new Element();
const value = new Element();
const KEY = Bytes.of('key');

/** A new hash at `key`, with these fields. */
function hashOf(keyspace: Keyspace, fields: Iterable<readonly [string, string]>): HashValue {
  const hash = new HashValue().create(keyspace, keyspace.databases[0] as Database, KEY);
  for (const [name, text] of fields) hash.set(Bytes.of(name), Bytes.of(text));
  return hash;
}

function contents(hash: HashValue): Map<string, string> {
  const found = new Map<string, string>();
  hash.rewind();
  while (hash.next(field, value)) found.set(field.toString(), value.toString());
  return found;
}

function numbered(count: number): [string, string][] {
  return Array.from({ length: count }, (_, i) => [`field ${i}`, `value ${i}`]);
}

describe('HashValue', () => {
  it('is packed, in the order of insertion, while it is small', () => {
    const keyspace = newKeyspace();
    const hash = hashOf(keyspace, [
      ['b', '1'],
      ['a', 'text'],
      ['b', '2'],
    ]);
    assert.equal(hash.encoding, Encoding.listpack);
    assert.equal(hash.length, 2);
    assert.deepEqual([...contents(hash)], Object.entries({ b: '2', a: 'text' }));
  });

  it('keeps its fields when it becomes a table, and is never packed again', () => {
    const keyspace = newKeyspace();
    const db = keyspace.databases[0] as Database;
    keyspace.limits.hashMaxListpackEntries = 128;
    const hash = hashOf(keyspace, numbered(128));
    assert.equal(hash.encoding, Encoding.listpack);
    hash.set(Bytes.of('one'), Bytes.of('more'));
    assert.equal(hash.encoding, Encoding.hashtable);
    assert.equal(db.encoding(db.find(KEY)), Encoding.hashtable);
    assert.deepEqual(contents(hash), new Map([...numbered(128), ['one', 'more']]));
    for (const [name] of numbered(128)) assert.ok(hash.delete(Bytes.of(name)));
    assert.deepEqual([...contents(hash)], [['one', 'more']]);
    assert.equal(hash.encoding, Encoding.hashtable);
  });

  it('becomes a table before a too long argument is set, even if the command overwrites it', () => {
    const hash = hashOf(newKeyspace(), [['a', 'b']]);
    const args = ['a', 'x'.repeat(64)].map((text) => Bytes.of(text));
    hash.expect(args, 0, 2);
    assert.equal(hash.encoding, Encoding.listpack);
    hash.expect([...args, Bytes.of('x'.repeat(65))], 0, 3);
    assert.equal(hash.encoding, Encoding.hashtable);
  });

  it('does the same as a Map, in either encoding', () => {
    const name = fc.constantFrom('', 'a', 'b', '12', '-7', '007', 'x'.repeat(70));
    const text = fc.oneof(
      fc.string({ maxLength: 90 }),
      fc.integer().map(String),
      fc.constant('y'.repeat(5000)),
    );
    const step = fc.oneof(
      fc.record({ kind: fc.constant('set' as const), name, text }),
      fc.record({ kind: fc.constant('delete' as const), name, text }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom(0, 3, 128), (steps, max) => {
        const keyspace = newKeyspace();
        keyspace.limits.hashMaxListpackEntries = max;
        const hash = hashOf(keyspace, []);
        const expected = new Map<string, string>();
        for (const { kind, name: which, text: unicode } of steps) {
          const held = Buffer.from(unicode).toString('latin1');
          if (kind === 'set') {
            assert.equal(hash.set(Bytes.of(which), Bytes.of(held)), !expected.has(which));
            expected.set(which, held);
          } else {
            assert.equal(hash.delete(Bytes.of(which)), expected.delete(which));
          }
          assert.equal(hash.length, expected.size);
        }
        assert.deepEqual(contents(hash), expected);
        for (const [which, held] of expected) {
          assert.ok(hash.has(Bytes.of(which)) && hash.get(Bytes.of(which), value));
          assert.equal(value.toString(), held);
          assert.equal(value.length, held.length);
        }
        assert.equal(hash.get(Bytes.of('absent'), value), false);
      }),
    );
  });

  it('gives all its memory back when its key is removed', () => {
    const keyspace = newKeyspace();
    const db = keyspace.databases[0] as Database;
    db.create(Bytes.of('another'), 0, Encoding.int, 1, 0);
    const before = db.arena.usedBytes;
    for (const count of [3, 100, 3000]) {
      hashOf(keyspace, numbered(count));
      keyspace.remove(db, db.find(KEY));
      while (keyspace.releaseSome(100));
      assert.equal(db.arena.usedBytes, before);
    }
  });

  it('is released in steps', () => {
    const keyspace = newKeyspace();
    const db = keyspace.databases[0] as Database;
    const hash = hashOf(keyspace, numbered(1000));
    keyspace.remove(db, db.find(KEY));
    assert.equal(keyspace.pendingReleases, 1);
    assert.ok(hash.table.length > 900);
    keyspace.releaseSome(500);
    assert.ok(hash.table.length > 400);
    keyspace.releaseSome(5000);
    assert.equal(keyspace.pendingReleases, 0);
    assert.equal(hash.table.length, 0);
  });

  it('can be built without a key, then stored over any value', () => {
    const keyspace = newKeyspace();
    const db = keyspace.databases[0] as Database;
    const hash = new HashValue().begin(keyspace, db);
    for (const [name, text] of numbered(600)) hash.set(Bytes.of(name), Bytes.of(text));
    db.create(KEY, 0, Encoding.int, 1, 0);
    const entry = hash.store(KEY);
    assert.equal(entry, db.find(KEY));
    assert.equal(new HashValue().open(keyspace, db, entry).length, 600);
    assert.equal(db.size, 1);
  });

  it('can be copied to another database in either encoding', () => {
    const keyspace = newKeyspace();
    const [from, to] = keyspace.databases as [Database, Database];
    for (const count of [5, 600]) {
      const hash = hashOf(keyspace, numbered(count));
      const copy = new HashValue().open(keyspace, to, hash.copyTo(to, Bytes.of(`copy ${count}`)));
      hash.set(Bytes.of('field 0'), Bytes.of('changed'));
      assert.equal(copy.encoding, hash.encoding);
      assert.deepEqual(contents(copy), new Map(numbered(count)));
      keyspace.remove(from, from.find(KEY));
    }
  });

  it('chooses every field about equally often', () => {
    const random = seededRandom(7);
    for (const count of [10, 600]) {
      const hash = hashOf(newKeyspace(), numbered(count));
      const times = new Map<string, number>();
      for (let i = 0; i < count * 200; i++) {
        hash.random(random, field, value);
        assert.equal(value.toString(), field.toString().replace('field', 'value'));
        times.set(field.toString(), (times.get(field.toString()) ?? 0) + 1);
      }
      assert.equal(times.size, count);
      for (const each of times.values()) assert.ok(each > 130 && each < 270, `${each} instead of about 200`);
    }
  });

  it('visits every field with a cursor while others are added and removed', () => {
    const hash = hashOf(newKeyspace(), numbered(1000));
    const seen = new Set<string>();
    let cursor = 0;
    let step = 0;
    do {
      const found: Ref[] = [];
      cursor = hash.table.scan(cursor, 10, found);
      for (const node of found) {
        hash.readNode(node, field, value);
        seen.add(field.toString());
      }
      for (let i = 0; i < 15; i++) {
        hash.set(Bytes.of(`new ${step * 15 + i}`), Bytes.of(''));
        hash.delete(Bytes.of(`field ${500 + step * 15 + i}`));
      }
      step++;
    } while (cursor !== 0);
    for (const [name] of numbered(500)) assert.ok(seen.has(name), `${name} was not seen`);
  });

  it('computes the size of its listpack in advance', () => {
    const keyspace = newKeyspace();
    const args = ['a', '1', 'b', 'text', '70000', 'x'.repeat(64), 'y'.repeat(60), '-1'].map((text) =>
      Bytes.of(text),
    );
    const hash = new HashValue().create(keyspace, keyspace.databases[0] as Database, KEY);
    for (let i = 0; i < args.length; i += 2) hash.set(args[i] as Bytes, args[i + 1] as Bytes);
    assert.equal(hash.packed(new Bytes()).length, packedBytes(args, 0, args.length));
  });
});
