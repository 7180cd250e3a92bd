import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Bytes } from '../../bytes/bytes.js';
import { ManualClock } from '../../bytes/clock.js';
import { seededRandom } from '../../bytes/random.js';
import { Element } from '../../structures/element.js';
import type { Database } from '../database.js';
import { Keyspace } from '../keyspace.js';
import { ENCODING_NAMES, Encoding } from '../kinds.js';
import { SetValue } from './set-value.js';

function newKeyspace(): Keyspace {
  return new Keyspace({ databases: 2, clock: new ManualClock(0), random: seededRandom(1) });
}

const member = new Element();
const KEY = Bytes.of('key');

/** A new set at `key`, with these members. */
function setOf(keyspace: Keyspace, members: Iterable<string>): SetValue {
  const set = new SetValue().create(keyspace, keyspace.databases[0] as Database, KEY);
  for (const each of members) set.add(Bytes.of(each));
  return set;
}

function contents(set: SetValue): string[] {
  const found: string[] = [];
  set.rewind();
  while (set.next(member)) found.push(member.toString());
  return found;
}

function numbered(count: number, prefix: string): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${i}`);
}

/** A set of each encoding. */
const SAMPLES = [numbered(300, ''), numbered(10, 'member '), numbered(300, 'member ')];

describe('SetValue', () => {
  it('holds integers in order until there are too many', () => {
    const keyspace = newKeyspace();
    const db = keyspace.databases[0] as Database;
    const set = setOf(keyspace, ['5', '-3', '9223372036854775807', '70000', '5']);
    assert.deepEqual(contents(set), ['-3', '5', '70000', '9223372036854775807']);
    assert.equal(set.encoding, Encoding.intset);
    for (const each of numbered(512, '')) set.add(Bytes.of(each));
    assert.equal(db.encoding(db.find(KEY)), Encoding.hashtable);
    assert.equal(set.length, 515);
    assert.ok(set.has(Bytes.of('9223372036854775807')));
  });

  it('packs a few short members and shows them as a hash table', () => {
    const set = setOf(newKeyspace(), ['1', '2', 'x', '', '01', '-70000']);
    assert.equal(set.encoding, Encoding.packedSet);
    assert.equal(ENCODING_NAMES[set.encoding], 'hashtable');
    assert.deepEqual(contents(set).sort(), ['', '-70000', '01', '1', '2', 'x']);
    assert.ok(set.add(Bytes.of('x'.repeat(65))));
    assert.equal(set.encoding, Encoding.hashtable);
    assert.equal(set.length, 7);
  });

  it('does the same as a Set, whatever the encoding', () => {
    const text = fc.oneof(
      fc.integer({ min: -5, max: 20 }).map(String),
      fc.constantFrom(
        '',
        'a',
        'b',
        '007',
        '70000',
        '-9223372036854775808',
        '9223372036854775808',
        'x'.repeat(99),
      ),
    );
    const step = fc.record({ kind: fc.constantFrom('add', 'add', 'remove'), text });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.constantFrom(0, 4, 512), (steps, max) => {
        const keyspace = newKeyspace();
        keyspace.limits.setMaxIntsetEntries = max;
        const set = setOf(keyspace, []);
        const expected = new Set<string>();
        for (const { kind, text: which } of steps) {
          if (kind === 'add') {
            assert.equal(set.add(Bytes.of(which)), !expected.has(which));
            expected.add(which);
          } else {
            assert.equal(set.remove(Bytes.of(which)), expected.delete(which));
          }
          assert.equal(set.length, expected.size);
          assert.equal(set.has(Bytes.of(which)), expected.has(which));
        }
        assert.deepEqual(contents(set).sort(), [...expected].sort());
      }),
    );
  });

  it('finds and adds the members of another set, whatever the encodings', () => {
    const keyspace = newKeyspace();
    const db = keyspace.databases[0] as Database;
    const tables = SAMPLES.map((members, i) => {
      const set = new SetValue().create(keyspace, db, Bytes.of(`set ${i}`));
      for (const each of members) set.add(Bytes.of(each));
      return set;
    });
    for (const from of tables) {
      for (const into of tables) {
        const union = new SetValue().begin(keyspace, db);
        let shared = 0;
        for (from.rewind(); from.next(member); ) {
          if (into.hasElement(member)) shared++;
          assert.ok(union.addElement(member));
        }
        const own = new Set(contents(from));
        assert.equal(shared, contents(into).filter((each) => own.has(each)).length);
        for (into.rewind(); into.next(member); )
          assert.equal(union.addElement(member), !own.has(member.toString()));
        assert.deepEqual(new Set(contents(union)), new Set([...own, ...contents(into)]));
        union.discard();
      }
    }
  });

  it('gives all its memory back when its key is removed or it is discarded', () => {
    const keyspace = newKeyspace();
    const db = keyspace.databases[0] as Database;
    db.create(Bytes.of('another'), 0, Encoding.int, 1, 0);
    const before = db.arena.usedBytes;
    for (const members of SAMPLES) {
      setOf(keyspace, members);
      keyspace.remove(db, db.find(KEY));
      const loose = new SetValue().begin(keyspace, db);
      for (const each of members) loose.add(Bytes.of(each));
      loose.discard();
      while (keyspace.releaseSome(100));
      assert.equal(db.arena.usedBytes, before);
    }
  });

  it('removes random members until none is left', () => {
    const random = seededRandom(3);
    for (const members of SAMPLES) {
      const set = setOf(newKeyspace(), members);
      const left = new Set(members);
      while (set.length > 0) {
        const place = set.random(random, member);
        const taken = member.toString();
        assert.ok(left.delete(taken));
        set.removeAt(place);
        assert.equal(set.has(Bytes.of(taken)), false);
      }
      assert.equal(left.size, 0);
    }
  });

  it('chooses every member about equally often', () => {
    const random = seededRandom(5);
    for (const members of SAMPLES) {
      const set = setOf(newKeyspace(), members);
      const times = new Map<string, number>();
      for (let i = 0; i < members.length * 200; i++) {
        set.random(random, member);
        times.set(member.toString(), (times.get(member.toString()) ?? 0) + 1);
      }
      assert.equal(times.size, members.length);
      for (const each of times.values()) assert.ok(each > 130 && each < 270, `${each} instead of about 200`);
    }
  });

  it('can be copied to another database in any encoding', () => {
    const keyspace = newKeyspace();
    const [from, to] = keyspace.databases as [Database, Database];
    for (const [i, members] of SAMPLES.entries()) {
      const set = setOf(keyspace, members);
      const copy = new SetValue().open(keyspace, to, set.copyTo(to, Bytes.of(`copy ${i}`)));
      set.remove(Bytes.of(members[0] as string));
      assert.equal(copy.encoding, set.encoding);
      assert.deepEqual(contents(copy).sort(), [...members].sort());
      keyspace.remove(from, from.find(KEY));
    }
  });

  it('can take the place of the set at an entry', () => {
    const keyspace = newKeyspace();
    const db = keyspace.databases[0] as Database;
    setOf(keyspace, SAMPLES[2] as string[]);
    const entry = db.find(KEY);
    const other = new SetValue().begin(keyspace, db);
    other.add(Bytes.of('7'));
    other.storeAt(entry);
    assert.deepEqual(contents(new SetValue().open(keyspace, db, entry)), ['7']);
    other.add(Bytes.of('text'));
    assert.equal(db.encoding(entry), Encoding.packedSet);
  });
});
