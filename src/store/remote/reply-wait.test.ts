import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ReplyWait } from './reply-wait.js';

/** A process whose event loop turns when the test says so. */
class FakeHost {
  time = 0;
  #due: (() => void) | undefined;

  now(): number {
    return this.time;
  }

  soon(work: () => void): void {
    assert.equal(this.#due, undefined, 'there is one poll at a time');
    this.#due = work;
  }

  get isAwake(): boolean {
    return this.#due !== undefined;
  }

  turn(): void {
    const work = this.#due;
    this.#due = undefined;
    work?.();
  }
}

/** A wait whose replies take `slept` or `polled` ms, depending on whether the event loop sleeps. */
function waiting(slept: number, polled: number) {
  const host = new FakeHost();
  const wait = new ReplyWait(host);
  return {
    host,
    wait,
    times: { slept, polled },
    /** Tells whether the wait for this reply polled. */
    once(): boolean {
      wait.begin();
      const polls = host.isAwake;
      host.time += polls ? this.times.polled : this.times.slept;
      wait.end();
      host.turn();
      assert.equal(host.isAwake, false, 'the loop may sleep when no reply is due');
      return polls;
    },
    /** How many of `count` waits polled. */
    polls(count: number): number {
      let polled = 0;
      for (let i = 0; i < count; i++) if (this.once()) polled++;
      return polled;
    },
  };
}

describe('The wait for replies', () => {
  it('polls if replies come clearly sooner then', () => {
    const fast = waiting(0.06, 0.02);
    assert.deepEqual([fast.polls(16), fast.polls(16)], [0, 16], 'a trial');
    assert.equal(fast.polls(1_024 - 32), 1_024 - 32);
  });

  it('does not poll if that helps little or not at all', () => {
    for (const polled of [0.045, 0.06, 0.1]) {
      const slow = waiting(0.06, polled);
      assert.deepEqual([slow.polls(16), slow.polls(16), slow.polls(1_024 - 32)], [0, 16, 0]);
    }
  });

  it('tries again, and follows a change', () => {
    const line = waiting(0.06, 0.02);
    line.polls(1_024);
    line.times.polled = 0.06;
    assert.equal(line.polls(16), 0, 'the next trial');
    line.polls(16);
    assert.equal(line.polls(1_024 - 32), 0);
    line.times.polled = 0.02;
    line.polls(32);
    assert.equal(line.polls(1_024 - 32), 1_024 - 32);
  });

  it('stays with its decision if the results are near the limit', () => {
    const line = waiting(0.06, 0.042);
    line.polls(1_024);
    assert.equal(line.polls(1_024), 16, 'not enough to begin');
    line.times.polled = 0.02;
    line.polls(1_024);
    line.times.polled = 0.042;
    assert.equal(line.polls(1_024), 1_024 - 16, 'enough to go on');
  });

  it('is not misled by single waits that take long', () => {
    const line = waiting(0.06, 0.02);
    line.polls(24);
    line.times.polled = 50;
    line.polls(3);
    line.times.polled = 0.02;
    line.polls(5);
    assert.equal(line.polls(10), 10);
  });

  it('lets the loop sleep if the reply does not come soon, until there are more requests', () => {
    const { host, wait, ...line } = waiting(0.06, 0.02);
    for (let i = 0; i < 40; i++) {
      wait.begin();
      host.time += host.isAwake ? line.times.polled : line.times.slept;
      wait.end();
      host.turn();
    }
    wait.begin();
    let turns = 0;
    for (; host.isAwake; turns++) host.turn();
    assert.equal(turns, 65, '64 polls, and the turn that ends them');
    wait.begin();
    assert.equal(host.isAwake, true);
    wait.begin();
    wait.end();
    host.turn();
    assert.equal(host.isAwake, false);
  });

  it('goes on polling if the next request is written in the turn of the reply', () => {
    const { host, wait, ...line } = waiting(0.06, 0.02);
    for (let i = 0; i < 200; i++) {
      wait.begin();
      host.time += host.isAwake ? line.times.polled : line.times.slept;
      wait.end();
    }
    wait.begin();
    assert.equal(host.isAwake, true);
    host.turn();
    assert.equal(host.isAwake, true);
  });
});
