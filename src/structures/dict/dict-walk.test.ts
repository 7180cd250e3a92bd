import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bytes } from '../../bytes/bytes.js';
import { Arena } from '../arena/arena.js';
import type { Ref } from '../arena/ref.js';
import { Dict } from './dict.js';
import { DictWalk } from './dict-walk.js';
import { KeyedHash } from './keyed-hash.js';

test('a walk visits each node once, with its hash, whatever the size of the dictionary', () => {
  const walk = new DictWalk();
  const view = new Bytes();
  for (const count of [0, 1, 63, 64, 65, 1_000, 10_000]) {
    const dict = new Dict(new Arena(), new KeyedHash({ key0: 1, key1: 2 }), 0);
    for (let i = 0; i < count; i++) {
      const key = Bytes.of(`key ${i}`);
      dict.insert(key, dict.hash(key));
    }
    const seen = new Set<string>();
    for (let found = walk.start(dict); found > 0; found = walk.next()) {
      for (let i = 0; i < found; i++) {
        const key = dict.key(walk.nodes[i] as Ref, view);
        assert.equal(walk.hashes[i], dict.hash(key));
        assert.ok(!seen.has(key.toString()), 'once');
        seen.add(key.toString());
      }
    }
    assert.equal(seen.size, count);
    assert.equal(walk.next(), 0, 'it stays at the end');
  }
});
