import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Bytes } from '../../bytes/bytes.js';
import { Arena } from '../arena/arena.js';
import type { Ref } from '../arena/ref.js';
import { Element } from '../element.js';
import { Listpack } from './listpack.js';
import { isValidListpack } from './listpack-format.js';

const INTEGERS = [
  '0',
  '1',
  '127',
  '128',
  '-1',
  '4095',
  '4096',
  '-4096',
  '-4097',
  '32767',
  '32768',
  '-32768',
  '-32769',
  '8388607',
  '8388608',
  '-8388608',
  '-8388609',
  '2147483647',
  '2147483648',
  '-2147483648',
  '-2147483649',
  '9007199254740991',
  '9007199254740992',
  '-9007199254740992',
  '-9007199254740993',
  '9223372036854775807',
  '-9223372036854775808',
];

const STRINGS = [
  '',
  'a',
  '-',
  '-0',
  '007',
  '+1',
  '1.5',
  ' 1',
  '9223372036854775808',
  '-9223372036854775809',
  '\0\xff\r\n',
  'x'.repeat(63),
  'x'.repeat(64),
  'x'.repeat(125),
  'x'.repeat(126),
  'x'.repeat(4095),
  'x'.repeat(4096),
  'x'.repeat(16377),
  'x'.repeat(16378),
  'x'.repeat(16379),
  'x'.repeat(70000),
];

function open(arena = new Arena()): Listpack {
  return new Listpack(arena).open(arena, Listpack.create(arena));
}

function texts(pack: Listpack): string[] {
  const found: string[] = [];
  const element = new Element();
  for (let at = pack.first(); at !== -1; at = pack.next(at)) found.push(pack.read(at, element).toString());
  return found;
}

function backwards(pack: Listpack): string[] {
  const found: string[] = [];
  const element = new Element();
  for (let at = pack.last(); at !== -1; at = pack.previous(at))
    found.unshift(pack.read(at, element).toString());
  return found;
}

function assertHolds(pack: Listpack, expected: readonly string[]): void {
  assert.deepEqual(texts(pack), expected);
  assert.deepEqual(backwards(pack), expected);
  assert.equal(pack.count, expected.length);
  const whole = pack.whole(new Bytes());
  assert.ok(isValidListpack(whole.buf, whole.start, whole.end, true));
}

function bytesOf(pack: Listpack): string {
  return pack.whole(new Bytes()).toBuffer().toString('hex');
}

describe('Listpack', () => {
  it('has the same bytes as in Redis', () => {
    const pack = open();
    assert.equal(bytesOf(pack), '07000000' + '0000' + 'ff');
    for (const text of ['a', '5', '-5', '1000', '32767', '-8000000', '2147483647', '-9223372036854775808']) {
      pack.append(Bytes.of(text));
    }
    const entries = '816102' + '0501' + 'dffb02' + 'c3e802' + 'f1ff7f03' + 'f200ee8504' + 'f3ffffff7f05';
    const whole = `${entries}f4000000000000008009`;
    const header = Buffer.alloc(6);
    header.writeUInt32LE(7 + whole.length / 2);
    header.writeUInt16LE(8, 4);
    assert.equal(bytesOf(pack), `${header.toString('hex')}${whole}ff`);
  });

  it('writes longer strings with heads of two and five bytes and lengths that can be read backwards', () => {
    const pack = open();
    pack.append(Bytes.of('x'.repeat(64)));
    assert.equal(bytesOf(pack).slice(12, 16), 'e040');
    assert.equal(bytesOf(pack).slice(-4), '42ff');
    const long = open();
    long.append(Bytes.of('x'.repeat(4096)));
    assert.equal(bytesOf(long).slice(12, 22), 'f000100000');
    assert.equal(bytesOf(long).slice(-6), '2085ff');
  });

  it('returns every kind of integer and string, forwards and backwards', () => {
    const pack = open();
    const all = [...INTEGERS, ...STRINGS];
    for (const text of all) pack.append(Bytes.of(text));
    assertHolds(pack, all);
    const reversed = open();
    for (const text of all) reversed.prepend(Bytes.of(text));
    assertHolds(reversed, [...all].reverse());
  });

  it('stores only canonical integers as integers', () => {
    const pack = open();
    const element = new Element();
    for (const text of [...INTEGERS, ...STRINGS]) pack.append(Bytes.of(text));
    for (let index = 0; index < pack.count; index++) {
      pack.read(pack.at(index), element);
      assert.equal(element.isInteger, index < INTEGERS.length);
      if (element.isInteger) assert.equal(element.integer64, BigInt(INTEGERS[index] as string));
    }
  });

  it('writes the same entry for an integer and for its digits', () => {
    for (const text of INTEGERS) {
      const fromDigits = open();
      fromDigits.append(Bytes.of(text));
      const fromBigint = open();
      fromBigint.appendInteger(BigInt(text));
      assert.equal(bytesOf(fromBigint), bytesOf(fromDigits));
      if (!Number.isSafeInteger(Number(text))) continue;
      const fromNumber = open();
      fromNumber.appendInteger(Number(text));
      assert.equal(bytesOf(fromNumber), bytesOf(fromDigits));
    }
  });

  it('compares and finds entries by their text', () => {
    const pack = open();
    const all = [...INTEGERS, ...STRINGS];
    for (const text of all) pack.append(Bytes.of(text));
    for (const [index, text] of all.entries()) {
      assert.equal(pack.find(Bytes.of(text), pack.first()), pack.at(index), text.slice(0, 30));
      for (const [other, otherText] of all.entries()) {
        assert.equal(pack.equals(pack.at(other), Bytes.of(text)), text === otherText);
      }
    }
    assert.equal(pack.find(Bytes.of('absent'), pack.first()), -1);
    assert.equal(pack.find(Bytes.of('18446744073709551615'), pack.first()), -1);
  });

  it('skips entries between comparisons, as a hash does when it searches only fields', () => {
    const pack = open();
    for (const text of ['a', 'b', 'b', 'a', '3', '4']) pack.append(Bytes.of(text));
    assert.equal(pack.find(Bytes.of('b'), pack.first(), 1), pack.at(2));
    assert.equal(pack.find(Bytes.of('4'), pack.first(), 1), -1);
    assert.equal(pack.find(Bytes.of('4'), pack.at(1), 1), pack.at(5));
  });

  it('finds a short string among others that begin or end like it, and in a longer encoding', () => {
    const arena = new Arena();
    const pack = new Listpack().open(arena, Listpack.create(arena));
    for (const text of ['name:1', 'value', 'game:10', 'name:10', 'name:10', 'value', 'nome:10', '5']) {
      pack.append(Bytes.of(text));
    }
    assert.equal(pack.find(Bytes.of('name:10'), pack.first()), pack.at(3));
    assert.equal(pack.find(Bytes.of('name:10'), pack.first(), 1), pack.at(4));
    assert.equal(pack.find(Bytes.of('name:10'), pack.at(5)), -1);
    assert.equal(pack.find(Bytes.of(''), pack.first()), -1);
    // 'a', then 'ab' with twelve bits of length and '' with 32, which our listpacks never contain.
    const foreign = Buffer.from([
      0, 0, 0, 0, 3, 0, 0x81, 0x61, 2, 0xe0, 2, 0x61, 0x62, 4, 0xf0, 0, 0, 0, 0, 5, 0xff,
    ]);
    foreign[0] = foreign.length;
    assert.ok(isValidListpack(foreign, 0, foreign.length, true));
    const loaded = new Listpack().open(arena, Listpack.load(arena, new Bytes(foreign)));
    assert.equal(loaded.find(Bytes.of('ab'), loaded.first()), loaded.at(1));
    assert.equal(loaded.find(Bytes.of(''), loaded.first(), 1), loaded.at(2));
    assert.equal(loaded.find(Bytes.of('ab'), loaded.first(), 1), -1);
  });

  it('finds entries by index from either end', () => {
    const pack = open();
    for (let i = 0; i < 20; i++) pack.append(Bytes.of(`e${i}`));
    const element = new Element();
    for (let i = 0; i < 20; i++) {
      assert.equal(pack.read(pack.at(i), element).toString(), `e${i}`);
      assert.equal(pack.read(pack.at(-1 - i), element).toString(), `e${19 - i}`);
    }
    assert.equal(pack.at(20), -1);
    assert.equal(pack.at(-21), -1);
  });

  it("counts more entries than fit into the header's count", () => {
    const pack = open();
    for (let i = 0; i < 65540; i++) pack.append(Bytes.of('7'));
    assert.equal(pack.count, 65540);
    assert.equal(pack.at(65540), -1);
    assert.notEqual(pack.at(65539), -1);
    pack.delete(pack.first(), 10);
    assert.equal(pack.count, 65530);
    pack.append(Bytes.of('8'));
    assert.equal(pack.count, 65531);
  });

  it('deletes no more entries than exist', () => {
    const pack = open();
    for (const text of ['a', 'b', 'c', 'd']) pack.append(Bytes.of(text));
    assert.equal(pack.delete(pack.at(1), 2), pack.at(1));
    assertHolds(pack, ['a', 'd']);
    assert.equal(pack.delete(pack.at(1), 9), -1);
    assertHolds(pack, ['a']);
    assert.equal(pack.delete(pack.first()), -1);
    assertHolds(pack, []);
  });

  it('does not damage neighbouring blocks while it is edited at random', () => {
    const text = fc.oneof(
      fc.constantFrom(...INTEGERS, ...STRINGS.slice(0, 16)),
      fc.string({ maxLength: 200 }).map((unicode) => Buffer.from(unicode).toString('latin1')),
      fc.integer().map(String),
    );
    const step = fc.tuple(
      fc.constantFrom('before', 'after', 'replace', 'delete', 'append', 'prepend'),
      fc.nat(),
      text,
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(2), step), { maxLength: 60 }), (steps) => {
        const arena = new Arena();
        const pack = new Listpack(arena);
        const refs = [0, 1, 2].map(() => Listpack.create(arena));
        const models: string[][] = [[], [], []];
        for (const [which, [action, at, value]] of steps) {
          const model = models[which] as string[];
          pack.open(arena, refs[which] as Ref);
          edit(pack, model, action, at, value);
          refs[which] = pack.ref;
        }
        for (const [which, model] of models.entries()) {
          assertHolds(pack.open(arena, refs[which] as Ref), model);
          pack.free();
        }
        assert.ok(arena.usedBytes <= 0, 'all blocks are free again');
      }),
      { numRuns: 200 },
    );
  });

  it('uses little more memory than its bytes', () => {
    const arena = new Arena();
    const pack = new Listpack(arena);
    let bytes = 0;
    for (let i = 0; i < 2000; i++) {
      pack.open(arena, Listpack.create(arena));
      for (const part of ['field:1', 'value1', 'field:2', 'value2', 'field:3', '12345']) {
        pack.append(Bytes.of(part));
      }
      bytes += pack.byteLength;
    }
    assert.ok(arena.usedBytes < bytes + 2000 * 8);
  });
});

function edit(pack: Listpack, model: string[], action: string, at: number, value: string): void {
  const bytes = Bytes.of(value);
  if (action === 'append' || model.length === 0) {
    pack.append(bytes);
    model.push(value);
    return;
  }
  if (action === 'prepend') {
    pack.prepend(bytes);
    model.unshift(value);
    return;
  }
  const index = at % model.length;
  const position = pack.at(index);
  if (action === 'before') {
    assert.equal(pack.insertBefore(position, bytes), pack.at(index));
    model.splice(index, 0, value);
  } else if (action === 'after') {
    assert.equal(pack.insertAfter(position, bytes), pack.at(index + 1));
    model.splice(index + 1, 0, value);
  } else if (action === 'replace') {
    assert.equal(pack.replace(position, bytes), pack.at(index));
    model[index] = value;
  } else {
    const count = (at % 3) + 1;
    pack.delete(position, count);
    model.splice(index, count);
  }
}

describe('isValidListpack', () => {
  const pack = open();
  for (const text of ['a', '5', 'x'.repeat(100), '1000000', 'x'.repeat(5000)]) pack.append(Bytes.of(text));
  const valid = pack.whole(new Bytes()).toBuffer();

  it('accepts listpacks written by Listpack', () => {
    assert.ok(isValidListpack(valid, 0, valid.length, false));
    assert.ok(isValidListpack(valid, 0, valid.length, true));
  });

  it('rejects a wrong length, a missing end and a wrong count', () => {
    assert.ok(!isValidListpack(valid, 0, valid.length - 1, false));
    assert.ok(!isValidListpack(valid, 0, 6, false));
    const endless = Buffer.from(valid);
    endless[valid.length - 1] = 0;
    assert.ok(!isValidListpack(endless, 0, valid.length, false));
    const miscounted = Buffer.from(valid);
    miscounted[4] = 6;
    assert.ok(isValidListpack(miscounted, 0, valid.length, false));
    assert.ok(!isValidListpack(miscounted, 0, valid.length, true));
    miscounted.fill(0xff, 4, 6);
    assert.ok(isValidListpack(miscounted, 0, valid.length, true));
  });

  it('never reads out of bounds, and rejects inconsistent lengths, whatever byte is changed', () => {
    for (let at = 6; at < 130; at++) {
      for (const byte of [0x00, 0x7f, 0xbf, 0xc0, 0xef, 0xf0, 0xf4, 0xf5, 0xff]) {
        const changed = Buffer.from(valid);
        changed[at] = byte;
        if (!isValidListpack(changed, 0, changed.length, true)) continue;
        const arena = new Arena();
        assert.equal(
          texts(new Listpack(arena).open(arena, Listpack.load(arena, new Bytes(changed)))).length,
          5,
        );
      }
    }
  });
});
