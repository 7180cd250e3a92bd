import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../bytes/random.js';
import { SLOTS, SlotSet, slotsIn } from './slot-set.js';

test('ranges, slots and bytes describe the same set', () => {
  const random = seededRandom(1);
  for (let round = 0; round < 50; round++) {
    const slots = new SlotSet();
    const model = new Set<number>();
    for (let i = 0; i < 20; i++) {
      const start = random.integer(SLOTS);
      const length = random.integer(random.integer(4) === 0 ? 3000 : 20);
      const isAdded = random.integer(3) > 0;
      for (let slot = start; slot < Math.min(SLOTS, start + length); slot++) {
        assert.equal(
          isAdded ? slots.add(slot) : slots.delete(slot),
          isAdded ? !model.has(slot) : model.has(slot),
        );
        if (isAdded) model.add(slot);
        else model.delete(slot);
      }
    }
    assert.equal(slots.count, model.size);
    assert.deepEqual(
      [...slots],
      [...model].sort((a, b) => a - b),
    );
    assert.deepEqual([...slotsIn(slots.bytes)], [...slots]);
    const fromRanges = [...slots.ranges()].flatMap(({ start, end }) =>
      Array.from({ length: end - start + 1 }, (_, index) => start + index),
    );
    assert.deepEqual(fromRanges, [...slots]);
  }
});

test('the last slots end a range', () => {
  const slots = new SlotSet();
  for (let slot = 16000; slot < SLOTS; slot++) slots.add(slot);
  assert.deepEqual([...slots.ranges()], [{ start: 16000, end: SLOTS - 1 }]);
  slots.clear();
  assert.deepEqual([...slots.ranges()], []);
});
