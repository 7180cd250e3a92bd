import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemTime } from '../../store/time.js';
import { deliver } from './receiving.js';

/** A call that fails when the signal aborts, as one does whose time limit passes in the same turn. */
function failingAtAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('no answer')), { once: true });
  });
}

const unused = (): Promise<never> => Promise.reject(new Error('not to be called'));

describe('a loop over messages', () => {
  it('ends without error when its signal aborts, even if the call that it waits for fails right then', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const loop = deliver(systemTime, () => failingAtAbort(signal), unused, unused, signal);
    const next = loop.next();
    controller.abort();
    assert.deepEqual(await next, { done: true, value: undefined });
  });

  it('fails with the error of a call before its signal aborts', async () => {
    const { signal } = new AbortController();
    const loop = deliver(systemTime, unused, unused, unused, signal);
    await assert.rejects(loop.next(), /not to be called/);
  });
});
