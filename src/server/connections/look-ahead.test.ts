import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bytes } from '../../bytes/bytes.js';
import { seededRandom } from '../../bytes/random.js';
import { widen } from '../../bytes/wide-buffer.js';
import { Database } from '../../keyspace/database.js';
import { Encoding, Type } from '../../keyspace/kinds.js';
import { KeyedHash } from '../../structures/dict/keyed-hash.js';
import { LookAhead } from './look-ahead.js';

const request = (...args: string[]): string =>
  `*${args.length}\r\n${args.map((arg) => `$${arg.length}\r\n${arg}\r\n`).join('')}`;

function filled(): Database {
  const db = new Database(0, new KeyedHash({ key0: 1, key1: 2 }));
  for (let i = 0; i < 1000; i++) {
    const value = db.arena.alloc(16);
    db.create(Bytes.of(`key${i}`), Type.string, i % 3 === 0 ? Encoding.int : Encoding.raw, value, 0);
  }
  return db;
}

function read(db: Database, input: Buffer, at = 0, end = input.length): number {
  return new LookAhead().read(input, at, end, db);
}

describe('LookAhead', () => {
  const db = filled();

  it('reads all complete commands of a chunk', () => {
    const input = Buffer.from(
      request('GET', 'key1') + request('SET', 'key2', 'x'.repeat(300)) + request('PING', ''),
    );
    assert.equal(read(db, input), input.length);
  });

  it('finds the entries of existing keys, and none for others', () => {
    const hashes = Int32Array.from(['key5', 'missing', 'key7'], (key) => db.keys.hash(Bytes.of(key)));
    const nodes = new Int32Array(3);
    db.keys.touch(hashes, nodes, 3);
    assert.deepEqual([...nodes], [db.find(Bytes.of('key5')), 0, db.find(Bytes.of('key7'))]);
    db.touchValues(nodes, 3);
  });

  it('stops at anything but a typical command', () => {
    const typical = request('GET', 'key1'.padEnd(50));
    for (const unusual of [
      'PING and some more\r\n',
      request(...Array(120).fill('x')),
      '*-1\r\n*1\r\n$4\r\nPING\r\n',
    ]) {
      assert.equal(read(db, Buffer.from(typical + unusual)), typical.length);
    }
  });

  it('does not read far beyond the end if a command is incomplete', () => {
    const input = Buffer.from(request('SET', 'key1', 'value') + request('SET', 'key2', 'x'.repeat(50)));
    for (let end = 40; end < input.length; end++) assert.ok(read(db, input, 0, end) <= input.length + 60);
  });

  it('provides the hashes of all keys of MGET and MSET', () => {
    const input = widen(
      Buffer.from(request('MGET', 'key1', 'key2') + request('mset', 'key3', 'v', 'key4', 'w')),
    );
    const lookAhead = new LookAhead();
    lookAhead.read(input, 0, input.length, db);
    for (const name of ['key1', 'key2', 'key3', 'key4'])
      assert.equal(hashAt(input, name), hashOf(name), name);
    // A hash that was provided is not computed: it does not change with the bytes.
    input.write('KEY4', input.indexOf('key4'));
    assert.equal(hashAt(input, 'KEY4'), hashOf('key4'));
    lookAhead.forget();
    assert.equal(hashAt(input, 'KEY4'), hashOf('KEY4'));
  });

  function hashAt(input: Buffer, name: string): number {
    const start = input.indexOf(name);
    return db.keyedHash.of(new Bytes(input, start, start + name.length));
  }

  function hashOf(name: string): number {
    return db.keyedHash.of(Bytes.of(name));
  }

  it('accepts any bytes', () => {
    const random = seededRandom(5);
    for (let round = 0; round < 2000; round++) {
      const input = Buffer.from(request('SET', 'key1', 'value').repeat(3));
      for (let change = 0; change < 4; change++) input[random.integer(input.length)] = random.integer(256);
      assert.ok(read(db, input) >= 0);
    }
  });
});
