import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DurationHistogram, slotOf } from './latency-histogram.js';

function histogramOf(...micros: number[]): DurationHistogram {
  const histogram = new DurationHistogram();
  for (const each of micros) {
    const slot = slotOf(each * 1000);
    histogram.slots[slot] = (histogram.slots[slot] as number) + 1;
  }
  return histogram;
}

test('a percentile is the longest duration of its slot, as Redis prints it', () => {
  for (const [micros, printed] of [
    [1, 1003],
    [5, 5023],
    [11, 11007],
    [17, 17023],
    [1198, 1204223],
  ] as const) {
    assert.equal(histogramOf(micros).percentile(50), printed, `${micros} µs`);
  }
});

test('percentiles count calls in order of duration', () => {
  const histogram = histogramOf(...Array.from({ length: 99 }, () => 1), 1000);
  assert.equal(histogram.percentile(50), 1003);
  assert.equal(histogram.percentile(99), 1003);
  assert.equal(histogram.percentile(99.9), 1003519);
});

test('the cumulative distribution has the bounds that Redis prints', () => {
  assert.deepEqual(histogramOf(1, 7, 8, 20, 250, 2000).cumulative(), [
    [1, 1],
    [8, 3],
    [33, 4],
    [264, 5],
    [2113, 6],
  ]);
  assert.deepEqual(histogramOf().cumulative(), []);
});

test('durations above one second count as one second', () => {
  assert.equal(histogramOf(5_000_000).percentile(50), histogramOf(1_000_000).percentile(50));
});
