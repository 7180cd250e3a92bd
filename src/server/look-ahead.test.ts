import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bytes } from '../bytes/bytes.js';
import { seededRandom } from '../bytes/random.js';
import { Database } from '../keyspace/database.js';
import { Encoding, Type } from '../keyspace/kinds.js';
import { LookAhead } from './look-ahead.js';

const request = (...args: string[]): string =>
  `*${args.length}\r\n${args.map((arg) => `$${arg.length}\r\n${arg}\r\n`).join('')}`;

function filled(): Database {
  const db = new Database(0, { key0: 1, key1: 2 });
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
    const typical = request('GET', 'key1');
    for (const unusual of [
      'PING and some more\r\n',
      request(...Array(12).fill('x')),
      '*-1\r\n*1\r\n$4\r\nPING\r\n',
    ]) {
      assert.equal(read(db, Buffer.from(typical + unusual)), typical.length);
    }
  });

  it('does not read far beyond the end if a command is incomplete', () => {
    const input = Buffer.from(request('SET', 'key1', 'value') + request('SET', 'key2', 'x'.repeat(50)));
    for (let end = 40; end < input.length; end++) assert.ok(read(db, input, 0, end) <= input.length + 60);
  });

  it('accepts any bytes', () => {
    const random = seededRandom(5);
    for (let round = 0; round < 2000; round++) {
      const input = Buffer.from(request('SET', 'key1', 'value').repeat(3));
      for (let change = 0; change < 4; change++) input[random.integer(input.length)] = random.integer(256);
      assert.ok(read(db, input) >= 0);
    }
  });
});
