import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../../bytes/random.js';
import { MemorySample } from './sample.js';

describe('A sample of memory', () => {
  it('estimates keys and bytes of a prefix within its error, in 95 of 100 samples', () => {
    const random = seededRandom(7);
    const total = 20_000;
    // A third of the keys are users, whose sizes are spread widely.
    const sizes = Array.from({ length: total }, (_, i) => (i % 3 === 0 ? 50 + (i % 97) ** 2 : 60));
    const truth = sizes.reduce((sum, bytes, i) => sum + (i % 3 === 0 ? bytes : 0), 0);
    let within = 0;
    for (let round = 0; round < 200; round++) {
      const sample = new MemorySample(':', 1);
      const chosen = new Set<number>();
      while (chosen.size < 500) chosen.add(random.integer(total));
      for (const i of chosen) {
        const key = Buffer.from(i % 3 === 0 ? `user:${i}` : `other:${i}`);
        sample.add({ key, type: 'string', encoding: 'raw', bytes: sizes[i] as number });
      }
      const users = sample.report(total, true).prefixes.find(({ name }) => name === 'user:');
      if (users !== undefined && Math.abs(users.bytes.value - truth) <= users.bytes.error) within++;
    }
    assert.ok(within >= 180 && within <= 200, `${within} of 200`);
  });

  it('has no error if everything was measured, and keeps a bounded number of groups', () => {
    const sample = new MemorySample(':', 1);
    for (let i = 0; i < 5_000; i++) {
      sample.add({ key: Buffer.from(`p${i}:k`), type: 'string', encoding: 'int', bytes: 56 });
    }
    const { bytes, prefixes } = sample.report(5_000, true);
    assert.deepEqual(bytes, { value: 280_000, error: 0 });
    assert.equal(prefixes.length, 100);
    assert.equal(prefixes[0]?.name, '…');
    assert.equal(prefixes[0]?.keys.value, 3_000);
  });
});
