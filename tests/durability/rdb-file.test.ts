import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Crc64 } from '../../src/bytes/crc64.js';
import { seededRandom } from '../../src/bytes/random.js';
import { writeKeyspace } from '../../src/persistence/snapshot/write-snapshot.js';
import { DamagedFile, RdbLoader, type RdbLoaderOptions } from '../../src/rdb/rdb-loader.js';
import { MemoryFile, TestEngine } from './support/engine.js';
import { RandomCommands } from './support/random-commands.js';

const OPTIONS: RdbLoaderOptions = {
  skipsExpired: true,
  replaces: false,
  isThorough: false,
  hasChecksum: true,
};

/** The bytes of a file: strings as latin1, numbers as single bytes. */
function file(...parts: (string | number)[]): Buffer {
  return Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from([part]))),
  );
}

function withChecksum(bytes: Buffer): Buffer {
  const checksum = Buffer.alloc(8);
  new Crc64().update(bytes, 0, bytes.length).writeTo(checksum, 0);
  return Buffer.concat([bytes, checksum]);
}

function load(
  bytes: Buffer,
  options: Partial<RdbLoaderOptions> = {},
): { engine: TestEngine; loader: RdbLoader } {
  const engine = new TestEngine();
  const loader = new RdbLoader(new MemoryFile(bytes), engine.engine.keyspace, { ...OPTIONS, ...options });
  loader.step(Number.POSITIVE_INFINITY);
  return { engine, loader };
}

function failure(bytes: Buffer, options: Partial<RdbLoaderOptions> = {}): DamagedFile {
  try {
    load(bytes, options);
  } catch (error) {
    assert.ok(error instanceof DamagedFile, String(error));
    return error;
  }
  assert.fail('the file was loaded');
}

const SELECT_0 = [0xfe, 0];
const END = 0xff;
const KEY_VALUE = [0, '\x03key', '\x05value'];

test('files of the oldest versions without checksum and with times in seconds are read', () => {
  for (const version of ['0001', '0002', '0003', '0004']) {
    const future = Buffer.alloc(4);
    future.writeInt32LE(1_700_000_100);
    const bytes = file(`REDIS${version}`, ...SELECT_0, 0xfd, future.toString('latin1'), ...KEY_VALUE, END);
    const { engine, loader } = load(bytes);
    assert.equal(engine.run('GET', 'key'), '$5\r\nvalue\r\n');
    assert.equal(engine.run('PTTL', 'key'), ':100000\r\n');
    assert.deepEqual([loader.version, loader.loaded, loader.expiring], [Number(version), 1, 1]);
  }
});

test('from version 5 on the checksum is verified, unless it is zero or disabled', () => {
  for (const version of ['0005', '0006', '0009', '0010']) {
    const bytes = file(`REDIS${version}`, ...SELECT_0, ...KEY_VALUE, END);
    assert.equal(load(withChecksum(bytes)).loader.loaded, 1);
    assert.equal(load(Buffer.concat([bytes, Buffer.alloc(8)])).loader.loaded, 1);
    const wrong = Buffer.concat([bytes, Buffer.alloc(8, 1)]);
    assert.match(
      failure(wrong).reason,
      /^CRC error: the checksum is 0101010101010101, but that of the bytes is [0-9a-f]{16}/,
    );
    assert.equal(load(wrong, { hasChecksum: false }).loader.loaded, 1);
  }
});

test('metadata is read: auxiliary fields, sizes, usage, functions, several databases', () => {
  const libraries: string[] = [];
  const bytes = file(
    'REDIS0010',
    ...[0xfa, '\x09redis-ver', '\x067.0.15', 0xfa, '\x05ctime', 0xc2, '\x00\xf1\x53\x65'],
    ...[0xf5, '\x0d#!lua name=l\n'],
    ...[0xfe, 2, 0xfb, 3, 1, 0xf8, 7, ...KEY_VALUE, 0xf9, 9, 0, '\x01a', '\x01b'],
    ...[0xfe, 0, 0, '\x03key', 0xc0, 5, END],
  );
  const { engine, loader } = load(withChecksum(bytes), {
    onFunction: (code) => libraries.push(code.toString()),
  });
  assert.deepEqual(
    [...loader.auxiliary],
    [
      ['redis-ver', '7.0.15'],
      ['ctime', '1700000000'],
    ],
  );
  assert.deepEqual(libraries, ['#!lua name=l\n']);
  assert.equal(engine.run('GET', 'key'), '$1\r\n5\r\n');
  engine.run('SELECT', 2);
  assert.equal(engine.run('DBSIZE'), ':2\r\n');
  assert.equal(engine.run('OBJECT', 'IDLETIME', 'key'), ':7\r\n');
});

test('expired keys are skipped on a master and kept on a replica', () => {
  const past = Buffer.alloc(8);
  past.writeBigInt64LE(1_600_000_000_000n);
  const bytes = withChecksum(
    file('REDIS0010', ...SELECT_0, 0xfc, past.toString('latin1'), ...KEY_VALUE, END),
  );
  const master = load(bytes);
  assert.deepEqual([master.loader.loaded, master.loader.expired], [0, 1]);
  const replica = load(bytes, { skipsExpired: false });
  assert.deepEqual([replica.loader.loaded, replica.engine.run('DBSIZE')], [1, ':1\r\n']);
});

test('empty collections are skipped', () => {
  const { loader } = load(withChecksum(file('REDIS0010', ...SELECT_0, 2, '\x03set', 0, ...KEY_VALUE, END)));
  assert.deepEqual([loader.loaded, loader.empty], [1, 1]);
});

test('module data is refused, and the error names the module', () => {
  // 'ReJSON-RL' and version 3: nine characters of six bits, ten bits.
  const id = Buffer.alloc(8);
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const number = [...'ReJSON-RL'].reduce(
    (sum, letter) => (sum << 6n) | BigInt(characters.indexOf(letter)),
    0n,
  );
  id.writeBigUInt64BE((number << 10n) | 3n);
  const aux = failure(file('REDIS0010', 0xf7, 0x81, id.toString('latin1')));
  assert.match(aux.reason, /module type 'ReJSON-RL'/);
  const value = failure(file('REDIS0010', ...SELECT_0, 7, '\x03key', 0x81, id.toString('latin1')));
  assert.match(
    value.reason,
    /module type 'ReJSON-RL'.* \(in key "key" of database 0, which begins at byte 11\)/,
  );
});

/** A stream as 7.0 writes it, with the additional field of 7.2 for a consumer: its active time. */
function streamOf72(): string {
  const engine = new TestEngine();
  engine.run('XADD', 'stream', '5-1', 'field', 'value');
  engine.run('XGROUP', 'CREATE', 'stream', 'group', 0);
  engine.run('XREADGROUP', 'GROUP', 'group', 'alice', 'STREAMS', 'stream', '>');
  const reply = engine.run('DUMP', 'stream');
  const payload = reply.slice(reply.indexOf('\n') + 2, -2 - PAYLOAD_FOOTER);
  const behindSeenTime = payload.indexOf('alice') + 'alice'.length + 8;
  return `${payload.slice(0, behindSeenTime)}\x01\x02\x03\x04\x05\x00\x00\x00${payload.slice(behindSeenTime)}`;
}

const PAYLOAD_FOOTER = 10;

test('files of Redis 7.2 are read: packed sets, and streams with active times of consumers', () => {
  const members = '\x10\0\0\0\x03\0\x81a\x02\x05\x01\x82bc\x03\xff';
  const set = [20, '\x03set\x10', members];
  const stream = [21, '\x06stream', streamOf72()];
  const slot = [0xf4, 7, 1, 0];
  const bytes = file('REDIS0012', ...SELECT_0, ...slot, ...set, ...stream, ...KEY_VALUE, END);
  const { engine: loaded } = load(withChecksum(bytes));
  assert.equal(loaded.run('SISMEMBER', 'set', 'bc'), ':1\r\n');
  assert.equal(loaded.run('SISMEMBER', 'set', 5), ':1\r\n');
  assert.equal(loaded.run('SCARD', 'set'), ':3\r\n');
  assert.equal(loaded.run('XLEN', 'stream'), ':1\r\n');
  assert.match(loaded.run('XINFO', 'CONSUMERS', 'stream', 'group'), /alice.*pending\r\n:1/s);
  assert.match(loaded.run('XPENDING', 'stream', 'group', '-', '+', 10), /5-1.*alice/s);
});

const DAMAGED: Record<string, readonly [bytes: Buffer, position: number, reason: RegExp]> = {
  'another format': [file('SQLite format 3'), 9, /no RDB file/],
  'a later version': [file('REDIS0013', END), 9, /version 13 of the format is not known/],
  'a hash of Redis 7.4 whose fields have times to live': [
    file('REDIS0012', ...SELECT_0, 25, '\x03key'),
    12,
    /fields have times to live, which Redis 7\.0 does not know/,
  ],
  'an empty file': [file(), 0, /end/],
  'an unknown opcode': [
    file('REDIS0010', ...SELECT_0, 200),
    12,
    /^200 is neither an opcode nor a type of value/,
  ],
  'an unknown type': [file('REDIS0010', ...SELECT_0, 8), 12, /^8 is neither/],
  'functions of a release candidate': [file('REDIS0010', 0xf6), 10, /release candidate/],
  'a database too many': [file('REDIS0010', 0xfe, 40), 11, /database 40, but this server has only 16/],
  'a key twice': [file('REDIS0010', ...SELECT_0, ...KEY_VALUE, ...KEY_VALUE), 27, /the key is there twice/],
  'an end within a key': [file('REDIS0010', ...SELECT_0, 0, '\x09key'), 13, /end/],
};

for (const [name, [bytes, position, reason]] of Object.entries(DAMAGED)) {
  test(`${name} is refused with position and reason`, () => {
    const error = failure(bytes);
    assert.match(error.reason, reason);
    assert.equal(error.position, position, error.message);
  });
}

/** A file with values of every type and encoding. */
function variedFile(): Buffer {
  const engine = new TestEngine();
  new RandomCommands(seededRandom(3)).fill(engine);
  const chunks: Buffer[] = [];
  writeKeyspace(engine.engine.keyspace, engine.format, true, (chunk) => chunks.push(chunk));
  return Buffer.concat(chunks);
}

test('a file truncated anywhere is refused with a position inside it', () => {
  const bytes = variedFile();
  const random = seededRandom(4);
  for (let i = 0; i < 150; i++) {
    const length = i < 20 ? i : random.integer(bytes.length);
    const error = failure(bytes.subarray(0, length));
    assert.ok(error.position <= length, error.message);
  }
});

test('a file with any bit changed is refused by its checksum, and does not crash the server without one', () => {
  const bytes = variedFile();
  const random = seededRandom(5);
  let found = 0;
  for (let i = 0; i < 150; i++) {
    const at = random.integer(bytes.length);
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ (1 << random.integer(8));
    assert.ok(failure(changed).position <= bytes.length);
    // Without a checksum a changed value may not be detected, but must not crash the server.
    try {
      const { engine } = load(changed, { hasChecksum: false, isThorough: i % 2 === 0 });
      engine.run('DEBUG', 'DIGEST');
    } catch (error) {
      assert.ok(error instanceof DamagedFile, String(error));
      found++;
    }
  }
  assert.ok(found > 0);
});

test('loading in slices results in the same data as loading at once', () => {
  const bytes = variedFile();
  const engine = new TestEngine();
  const loader = new RdbLoader(new MemoryFile(bytes), engine.engine.keyspace, OPTIONS);
  let slices = 1;
  while (!loader.step(0)) slices++;
  assert.ok(slices > 1);
  assert.equal(engine.digest, load(bytes).engine.digest);
});
