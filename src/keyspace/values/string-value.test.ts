import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bytes } from '../../bytes/bytes.js';
import { ManualClock } from '../../bytes/clock.js';
import { seededRandom } from '../../bytes/random.js';
import type { Database } from '../database.js';
import { type Entry, NO_ENTRY } from '../entry.js';
import { Keyspace } from '../keyspace.js';
import { ENCODING_NAMES, Encoding, Type } from '../kinds.js';
import {
  appendToString,
  copyStringValue,
  createEditableString,
  editableString,
  integer64Of,
  integerOf,
  newRawBlock,
  ownStringBytes,
  setInteger,
  setInteger64,
  setString,
  setText,
  stringBytes,
  stringLength,
} from './string-value.js';

const KEY = Bytes.of('key');

function open(): { keyspace: Keyspace; db: Database } {
  const keyspace = new Keyspace({ databases: 2, clock: new ManualClock(1000), random: seededRandom(1) });
  return { keyspace, db: keyspace.databases[0] as Database };
}

function textOf(db: Database, entry: Entry): string {
  return stringBytes(db, entry, new Bytes()).toString();
}

function shownEncoding(db: Database, entry: Entry): string {
  return ENCODING_NAMES[db.encoding(entry)] as string;
}

const INTEGERS = [
  '0',
  '-1',
  '9',
  '2147483647',
  '2147483648',
  '-2147483648',
  '-2147483649',
  '4294967295',
  '4294967296',
  '-4294967296',
  '-4294967297',
  '9007199254740991',
  '-9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
];

const TEXTS = [
  '',
  'a',
  '-',
  '-0',
  '+1',
  '007',
  ' 1',
  '1 ',
  '1.0',
  '9223372036854775808',
  '-9223372036854775809',
  '99999999999999999999',
  '1234567890123456789x',
  '\0\xff\r\n',
  'x'.repeat(44),
  'x'.repeat(45),
  'x'.repeat(5000),
  'x'.repeat(100_000),
  'x'.repeat(700_000),
];

describe('strings', () => {
  it('are stored as integers if they are integers, else as text', () => {
    const { keyspace, db } = open();
    for (const text of INTEGERS) {
      const entry = setString(keyspace, db, db.find(KEY), KEY, Bytes.of(text));
      assert.equal(shownEncoding(db, entry), 'int', text);
      assert.equal(textOf(db, entry), text);
      assert.equal(stringLength(db, entry), text.length);
      assert.equal(integer64Of(db, entry), BigInt(text));
      const isSafe = Number.isSafeInteger(Number(text));
      assert.equal(integerOf(db, entry), isSafe ? Number(text) : Number.NaN);
    }
    for (const text of TEXTS) {
      const entry = setString(keyspace, db, db.find(KEY), KEY, Bytes.of(text));
      assert.equal(shownEncoding(db, entry), text.length <= 44 ? 'embstr' : 'raw');
      assert.ok(textOf(db, entry) === text);
      assert.equal(stringLength(db, entry), text.length);
      assert.equal(integer64Of(db, entry), undefined);
    }
  });

  it('change from any encoding to any other without a leak', () => {
    const { keyspace, db } = open();
    const random = seededRandom(2);
    const values = [...INTEGERS, ...TEXTS];
    let entry = NO_ENTRY;
    for (let step = 0; step < 2000; step++) {
      const text = values[random.integer(values.length)] as string;
      const value = Bytes.of(text);
      if (random.next() < 0.2) entry = setText(keyspace, db, entry, KEY, value);
      else entry = setString(keyspace, db, entry, KEY, value);
      assert.ok(textOf(db, entry) === text);
      if (random.next() < 0.1) {
        keyspace.remove(db, entry);
        entry = NO_ENTRY;
        assert.equal(db.arena.usedBytes, 0);
      }
    }
  });

  it('take integers of any size directly', () => {
    const { keyspace, db } = open();
    let entry = NO_ENTRY;
    for (const text of INTEGERS) {
      entry = setInteger64(keyspace, db, entry, KEY, BigInt(text));
      assert.equal(textOf(db, entry), text);
      if (!Number.isSafeInteger(Number(text))) continue;
      entry = setInteger(keyspace, db, entry, KEY, Number(text));
      assert.equal(textOf(db, entry), text);
    }
  });

  it('are edited in place, and padded with zeros', () => {
    const { keyspace, db } = open();
    const random = seededRandom(3);
    for (const begin of ['12345', '9223372036854775807', 'text', 'x'.repeat(2000)]) {
      const entry = setString(keyspace, db, db.find(KEY), KEY, Bytes.of(begin));
      let expected = Buffer.from(begin, 'latin1');
      for (let step = 0; step < 300; step++) {
        const isLong = random.next() < 0.02;
        if (random.next() < 0.5) {
          const added = Buffer.alloc(random.integer(isLong ? 50_000 : 50), step & 255);
          assert.equal(appendToString(keyspace, db, entry, new Bytes(added)), expected.length + added.length);
          expected = Buffer.concat([expected, added]);
        } else {
          const length = random.integer(expected.length + (isLong ? 100_000 : 100));
          const view = editableString(keyspace, db, entry, length, new Bytes());
          if (length > expected.length)
            expected = Buffer.concat([expected, Buffer.alloc(length - expected.length)]);
          assert.equal(view.length, expected.length);
          const at = random.integer(view.length);
          view.buf[view.start + at] = 0xee;
          expected[at] = 0xee;
        }
        assert.equal(db.encoding(entry), Encoding.raw);
        assert.ok(stringBytes(db, entry, new Bytes()).toBuffer().equals(expected));
      }
    }
    keyspace.remove(db, db.find(KEY));
    assert.equal(db.arena.usedBytes, 0);
  });

  it('grow by zeros even where a longer value was before', () => {
    const { keyspace, db } = open();
    for (const length of [50, 40_000, 1_000_000]) {
      const entry = setString(keyspace, db, db.find(KEY), KEY, new Bytes(Buffer.alloc(length, 'x')));
      setString(keyspace, db, entry, KEY, new Bytes(Buffer.alloc(Math.ceil(length * 0.7), 'y')));
      for (const longer of [length - 1, length * 2, length * 4]) {
        const view = editableString(keyspace, db, entry, longer, new Bytes());
        const added = view.buf.subarray(view.start + Math.ceil(length * 0.7), view.end);
        assert.ok(added.every((byte) => byte === 0));
      }
    }
  });

  it('are not moved by an edit that needs no room', () => {
    const { keyspace, db } = open();
    const entry = createEditableString(keyspace, db, KEY, 3_000_000, new Bytes());
    const ref = db.value(entry);
    editableString(keyspace, db, entry, 10, new Bytes());
    assert.equal(db.value(entry), ref);
  });

  it('begin at word boundaries', () => {
    const { keyspace, db } = open();
    for (const length of [1, 5, 100, 20_000, 600_000]) {
      const entry = setString(keyspace, db, db.find(KEY), KEY, new Bytes(Buffer.alloc(length, 'x')));
      const { buf, start } = stringBytes(db, entry, new Bytes());
      assert.equal((buf.byteOffset + start) % 4, 0);
    }
  });

  it('can be read two at a time when the first has memory of its own', () => {
    const { keyspace, db } = open();
    const [one, other] = ['12', '34567'].map((text) => {
      return setString(keyspace, db, NO_ENTRY, Bytes.of(`key ${text}`), Bytes.of(text));
    }) as [Entry, Entry];
    const first = ownStringBytes(db, one, new Bytes());
    const second = ownStringBytes(db, other, new Bytes());
    assert.deepEqual([first.toString(), second.toString()], ['12', '34567']);
  });

  it('are copied to another database as they are', () => {
    const { keyspace, db } = open();
    const target = keyspace.databases[1] as Database;
    for (const text of [...INTEGERS, ...TEXTS]) {
      const entry = setString(keyspace, db, db.find(KEY), KEY, Bytes.of(text));
      const value = copyStringValue(db, entry, target);
      const copy = keyspace.replace(target, KEY, Type.string, db.encoding(entry), value);
      assert.ok(textOf(target, copy) === text);
    }
    const long = editableString(keyspace, db, db.find(KEY), 10, new Bytes());
    assert.ok(long.length > 0);
  });

  it('can be built before they belong to a key', () => {
    const { keyspace, db } = open();
    const view = new Bytes();
    const ref = newRawBlock(db, 5, view);
    view.buf.latin1Write('built', view.start);
    const entry = keyspace.replace(db, KEY, Type.string, Encoding.raw, ref);
    assert.equal(textOf(db, entry), 'built');
  });
});
