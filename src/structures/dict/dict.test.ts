import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bytes } from '../../bytes/bytes.js';
import { seededRandom } from '../../bytes/random.js';
import { widen } from '../../bytes/wide-buffer.js';
import { Arena } from '../arena/arena.js';
import type { Ref } from '../arena/ref.js';
import { Dict } from './dict.js';
import { KeyedHash } from './keyed-hash.js';

const HASH_KEY = new KeyedHash({ key0: 0x12345678, key1: 0x0fedcba9 });
const OWN_WORDS = 2;

function newDict(): Dict {
  return new Dict(new Arena(), HASH_KEY, OWN_WORDS);
}

function add(dict: Dict, text: string, tailBytes = 0): Ref {
  const key = Bytes.of(text);
  return dict.insert(key, dict.hash(key), tailBytes);
}

function find(dict: Dict, text: string): Ref {
  return dict.find(Bytes.of(text));
}

function textOf(dict: Dict, ref: Ref): string {
  return dict.key(ref, new Bytes()).toString();
}

function allKeys(dict: Dict): string[] {
  const keys: string[] = [];
  dict.forEach((ref) => {
    keys.push(textOf(dict, ref));
  });
  return keys.sort();
}

/** Keys of very different lengths, so that nodes are in slabs, in runs and in their own pages. */
function keyText(number: number): string {
  const length = number % 997 === 0 ? 20_000 : number % 31 === 0 ? 200 : 0;
  return `${number}:${'x'.repeat(length)}`;
}

describe('Dict', () => {
  it('finds a key several times in succession, whatever is done between', () => {
    const random = seededRandom(12);
    const dict = newDict();
    // Few keys, of which many have the same length and the same end, from several places of one buffer.
    const texts = [
      '',
      'a',
      'b',
      'aa',
      'ba',
      'xyza',
      'xyzb',
      '1xyza',
      '2xyza',
      'k'.repeat(200),
      `${'k'.repeat(199)}l`,
    ];
    const input = widen(Buffer.from(`${texts.join('')}${texts.join('$')}`));
    const places = texts.map((text) => [input.indexOf(text), input.lastIndexOf(text)]);
    const expected = new Map<string, Ref>();
    for (let step = 0; step < 20_000; step++) {
      const choice = random.integer(texts.length);
      const text = texts[choice] as string;
      const start = places[choice]?.[random.integer(2)] as number;
      const key = new Bytes(input, start, start + text.length);
      const held = expected.get(text) ?? 0;
      assert.equal(dict.findRecent(key), held, `step ${step}`);
      const chance = random.next();
      if (held === 0) expected.set(text, add(dict, text, random.integer(40)));
      else if (chance < 0.1) expected.set(text, dict.resizeTail(held as Ref, random.integer(400)));
      else if (chance < 0.2) {
        dict.remove(held as Ref);
        expected.delete(text);
      } else if (chance < 0.201) {
        dict.clear();
        expected.clear();
      }
    }
  });

  it('finds the keys that were inserted and not removed, during random changes', () => {
    const random = seededRandom(11);
    const dict = newDict();
    const expected = new Map<string, { ref: Ref; word: number }>();
    for (let step = 0; step < 30_000; step++) {
      const isGrowing = Math.floor(step / 5000) % 2 === 0;
      const text = keyText(random.integer(6000));
      const held = expected.get(text);
      assert.equal(find(dict, text), held?.ref ?? 0);
      if (held === undefined && random.next() < (isGrowing ? 0.9 : 0.2)) {
        const ref = add(dict, text);
        assert.equal(dict.word(ref, 0), 0);
        assert.equal(dict.word(ref, 1), 0);
        dict.setWord(ref, 1, step);
        expected.set(text, { ref, word: step });
      } else if (held !== undefined) {
        assert.equal(dict.word(held.ref, 1), held.word);
        if (random.next() < (isGrowing ? 0.1 : 0.9)) {
          dict.remove(held.ref);
          expected.delete(text);
        }
      }
      assert.equal(dict.count, expected.size);
    }
    assert.deepEqual(allKeys(dict), [...expected.keys()].sort());
    for (const { ref } of expected.values()) dict.remove(ref);
    assert.equal(dict.count, 0);
    assert.equal(dict.arena.usedBytes, 0);
  });

  it('accepts the empty key and keys of any bytes', () => {
    const dict = newDict();
    const every = String.fromCharCode(...Array.from({ length: 256 }, (_, i) => i));
    const refs = ['', '\0', '\0\0', every, every.slice(1)].map((text) => add(dict, text));
    assert.equal(new Set(refs).size, 5);
    assert.equal(find(dict, ''), refs[0]);
    assert.equal(find(dict, '\0\0'), refs[2]);
    assert.equal(textOf(dict, refs[3] as Ref), every);
    assert.equal(dict.keyLength(refs[3] as Ref), 256);
    assert.equal(find(dict, every.slice(2)), 0);
  });

  it('grows with its entries and shrinks when they are removed', () => {
    const dict = newDict();
    const refs = Array.from({ length: 50_000 }, (_, i) => add(dict, `${i}`));
    assert.ok(dict.bucketCount >= 50_000);
    for (let i = 0; i < refs.length; i++) {
      dict.remove(refs[i] as Ref);
      assert.ok(
        dict.bucketCount <= Math.max(4, dict.count * 8 + 16),
        `${dict.bucketCount} for ${dict.count}`,
      );
    }
    assert.ok(dict.tableBytes < 100);
  });

  it('merges no buckets while pinned, and catches up afterwards', () => {
    const dict = newDict();
    const refs = Array.from({ length: 20_000 }, (_, i) => add(dict, `${i}`));
    const buckets = dict.bucketCount;
    dict.pin();
    for (const ref of refs.splice(0, 19_000)) dict.remove(ref);
    assert.equal(dict.bucketCount, buckets);
    dict.unpin();
    dict.remove(refs.pop() as Ref);
    assert.ok(dict.isShrinking);
    const random = seededRandom(5);
    for (let i = 0; i < 2000; i++) assert.notEqual(dict.random(random), 0);
    assert.ok(!dict.isShrinking);
    assert.ok(dict.bucketCount <= dict.count * 8 + 16);
    for (const ref of refs) assert.equal(find(dict, textOf(dict, ref)), ref);
  });

  it('clears to an empty table and returns all memory', () => {
    const dict = newDict();
    for (let i = 0; i < 10_000; i++) add(dict, keyText(i));
    dict.clear();
    assert.equal(dict.count, 0);
    assert.equal(dict.bucketCount, 4);
    assert.equal(dict.arena.usedBytes, 0);
    assert.equal(find(dict, keyText(1)), 0);
    assert.notEqual(add(dict, 'again'), 0);
  });

  it('lets a visitor remove each visited node', () => {
    const dict = newDict();
    for (let i = 0; i < 3000; i++) add(dict, `${i}`);
    let seen = 0;
    dict.forEach((ref) => {
      seen++;
      if (seen % 3 !== 0) dict.remove(ref);
    });
    assert.equal(seen, 3000);
    assert.equal(dict.count, 1000);
    seen = 0;
    let cursor = 0;
    do {
      cursor = dict.scan(cursor, (ref) => {
        seen++;
        dict.remove(ref);
      });
    } while (cursor !== 0);
    assert.equal(seen, 1000);
    assert.equal(dict.count, 0);
  });
});

describe('Dict.scan', () => {
  /** Scans while `disturb` changes the table between the steps; returns the visited keys. */
  function scanAll(dict: Dict, disturb: () => void): Map<string, number> {
    const seen = new Map<string, number>();
    let cursor = 0;
    do {
      cursor = dict.scan(cursor, (ref) => {
        const text = textOf(dict, ref);
        seen.set(text, (seen.get(text) ?? 0) + 1);
      });
      assert.ok(cursor >= 0 && Number.isInteger(cursor));
      disturb();
    } while (cursor !== 0);
    return seen;
  }

  function checkSaw(seen: Map<string, number>, stable: string[]): void {
    for (const text of stable) assert.ok(seen.has(text), `${text} was missed`);
  }

  it('visits every entry exactly once when nothing changes', () => {
    for (const count of [0, 1, 3, 4, 5, 100, 1000, 4097, 10_000]) {
      const dict = newDict();
      for (let i = 0; i < count; i++) add(dict, `${i}`);
      const seen = scanAll(dict, () => {});
      assert.equal(seen.size, count);
      assert.ok([...seen.values()].every((times) => times === 1));
    }
  });

  it('misses no remaining entry while the table grows', () => {
    for (const begin of [3, 10, 100, 700]) {
      const dict = newDict();
      const stable = Array.from({ length: begin }, (_, i) => `stable ${i}`);
      for (const text of stable) add(dict, text);
      let added = 0;
      const seen = scanAll(dict, () => {
        if (added < begin * 20) for (let i = 0; i < 5; i++) add(dict, `new ${added++}`);
      });
      checkSaw(seen, stable);
    }
  });

  it('misses no remaining entry while the table shrinks', () => {
    for (const begin of [20, 500, 5000]) {
      const dict = newDict();
      const stable = Array.from({ length: Math.ceil(begin / 50) }, (_, i) => `stable ${i}`);
      for (const text of stable) add(dict, text);
      const passing = Array.from({ length: begin }, (_, i) => add(dict, `passing ${i}`));
      const seen = scanAll(dict, () => {
        for (let i = 0; i < 3 && passing.length > 0; i++) dict.remove(passing.pop() as Ref);
      });
      checkSaw(seen, stable);
    }
  });

  it('misses no remaining entry while the table grows and shrinks alternately', () => {
    for (let seed = 0; seed < 40; seed++) {
      const random = seededRandom(seed);
      const dict = newDict();
      const stable = Array.from({ length: 1 + random.integer(60) }, (_, i) => `stable ${i}`);
      for (const text of stable) add(dict, text);
      const passing: Ref[] = [];
      let added = 0;
      const seen = scanAll(dict, () => {
        const isGrowing = random.next() < 0.5 && added < 5000;
        for (let i = random.integer(60); i > 0; i--) {
          if (isGrowing) passing.push(add(dict, `passing ${added++}`));
          else if (passing.length > 0) dict.remove(passing.pop() as Ref);
        }
      });
      checkSaw(seen, stable);
    }
  });

  it('accepts any cursor, including one from a larger table', () => {
    const dict = newDict();
    for (let i = 0; i < 10; i++) add(dict, `${i}`);
    for (const cursor of [5, 123_456, 0x7fffffff, 0x80000000, 0xffffffff]) {
      let next = cursor;
      let steps = 0;
      do {
        next = dict.scan(next, () => {});
        steps++;
      } while (next !== 0 && steps < 100);
      assert.equal(next, 0);
    }
  });
});

describe('Dict.random', () => {
  it('returns every entry with similar frequency', () => {
    const dict = newDict();
    const random = seededRandom(3);
    for (let i = 0; i < 100; i++) add(dict, `${i}`);
    const times = new Map<number, number>();
    for (let i = 0; i < 20_000; i++) {
      const ref = dict.random(random);
      times.set(ref, (times.get(ref) ?? 0) + 1);
    }
    assert.equal(times.size, 100);
    assert.ok(Math.max(...times.values()) < 1000);
  });
});

describe('Dict.resizeTail', () => {
  it('keeps header, key and as much of the tail as fits, wherever the node moves', () => {
    const random = seededRandom(17);
    const dict = newDict();
    const nodes = Array.from({ length: 300 }, (_, i) => {
      const ref = add(dict, `key ${i}`, 8);
      dict.setWord(ref, 0, i);
      return { text: `key ${i}`, ref, number: i, tail: 8 };
    });
    const tailBuffer = (ref: Ref): Buffer => dict.arena.bytesOf(ref);
    const fillTail = (node: { ref: Ref; tail: number; number: number }): void => {
      const at = dict.tailOffset(node.ref);
      tailBuffer(node.ref).fill(node.number & 255, at, at + node.tail);
    };
    nodes.forEach(fillTail);
    for (let step = 0; step < 4000; step++) {
      const node = nodes[random.integer(nodes.length)] as (typeof nodes)[number];
      const size = random.next() < 0.02 ? random.integer(40_000) : random.integer(400);
      const kept = Math.min(size, node.tail);
      node.ref = dict.resizeTail(node.ref, size);
      const at = dict.tailOffset(node.ref);
      for (let i = 0; i < kept; i++) assert.equal(tailBuffer(node.ref)[at + i], node.number & 255);
      node.tail = size;
      fillTail(node);
      assert.equal(find(dict, node.text), node.ref);
      assert.equal(dict.word(node.ref, 0), node.number);
    }
    for (const node of nodes) {
      assert.equal(textOf(dict, node.ref), node.text);
      dict.remove(node.ref);
    }
    assert.equal(dict.arena.usedBytes, 0);
  });
});

it('a table with reserved buckets works like any other', () => {
  for (const reserved of [0, 4, 5, 100, 4095, 4096, 4097, 9000]) {
    const dict = new Dict(new Arena(), new KeyedHash({ key0: 1, key1: 2 }), 0);
    dict.reserve(reserved);
    assert.equal(dict.bucketCount, Math.max(4, reserved * 2));
    const refs = new Map<string, Ref>();
    for (let i = 0; i < 10_000; i++) {
      const key = Bytes.of(`key ${i}`);
      refs.set(key.toString(), dict.insert(key, dict.hash(key)));
      if (i === 0) dict.reserve(50_000);
    }
    assert.equal(dict.bucketCount, 20_000);
    for (const [key, ref] of refs) assert.equal(dict.find(Bytes.of(key)), ref);
    let scanned = 0;
    let cursor = 0;
    do {
      cursor = dict.scan(cursor, () => {
        scanned++;
      });
    } while (cursor !== 0);
    assert.equal(scanned, 10_000);
    for (const ref of refs.values()) dict.remove(ref);
    assert.equal(dict.count, 0);
    assert.equal(dict.arena.usedBytes, 0);
  }
});
