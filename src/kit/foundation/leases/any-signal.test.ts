import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { anySignal } from './any-signal.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('aborts when one of its signals does', () => {
  const one = new AbortController();
  const any = anySignal(one.signal, new AbortController().signal);
  assert.equal(any.aborted, false);
  one.abort('reason');
  assert.deepEqual([any.aborted, any.reason], [true, 'reason']);
});

test('aborts with a timeout that only it refers to', { timeout: 10_000 }, async () => {
  const any = anySignal(AbortSignal.timeout(100), new AbortController().signal);
  const aborted = new Promise<void>((resolve) => any.addEventListener('abort', () => resolve()));
  // Timeouts do not keep the process alive.
  const alive = setInterval(collectGarbage, 5);
  await aborted;
  clearInterval(alive);
});
