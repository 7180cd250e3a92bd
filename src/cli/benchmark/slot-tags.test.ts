import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keySlot } from '../../bytes/crc16.js';
import { NodeSlots, slotTags, TAG_LENGTH } from './slot-tags.js';

test('every slot has a tag that hashes to it', () => {
  const tags = slotTags();
  for (let slot = 0; slot < 16_384; slot++) {
    const key = Buffer.from(`key:{${tags.latin1Slice(slot * TAG_LENGTH, (slot + 1) * TAG_LENGTH)}}:1`);
    assert.equal(keySlot(key, 0, key.length), slot);
  }
});

test('requests take turns among the slots of a node', () => {
  const slots = new NodeSlots([5, 9]);
  const key = Buffer.from('a{tag} b{tag}');
  const drawn = Array.from({ length: 3 }, () => {
    slots.writeTag(key, [2, 9]);
    return [keySlot(key, 0, 6), keySlot(key, 7, 13)];
  });
  assert.deepEqual(drawn, [
    [5, 5],
    [9, 9],
    [5, 5],
  ]);
});
