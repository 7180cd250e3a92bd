import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LatencyHistogram } from './latency-histogram.js';

test('percentiles are within a thousandth of the true ones, also of histograms added together', () => {
  const values = Array.from({ length: 20_000 }, (_, index) => Math.round(index ** 1.8 / 10));
  const [a, b] = [new LatencyHistogram(), new LatencyHistogram()];
  for (const [index, value] of values.entries()) (index % 3 === 0 ? a : b).record(value, 1);
  a.add(LatencyHistogram.fromMessage(structuredClone(b.toMessage())));
  for (const percent of [1, 50, 90, 99, 99.9, 100]) {
    const expected = values[Math.ceil((percent / 100) * values.length) - 1] as number;
    assert.ok(Math.abs(a.percentile(percent) - expected) <= expected / 1000 + 1, `p${percent}`);
  }
  assert.equal(a.count, 20_000);
  assert.equal(a.min, 0);
  assert.equal(a.max, values.at(-1));
  assert.equal(a.countUpTo(a.max), 20_000);
});
