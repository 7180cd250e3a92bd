import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../bytes/clock.js';
import { seededRandom } from '../bytes/random.js';
import { Engine } from '../engine/engine.js';
import { ReplicationStream } from './stream.js';

/** A stream whose turns and time a test controls. */
class TurnByTurn {
  readonly stream: ReplicationStream;
  /** How far the stream was each time it was sent. */
  readonly sent: number[] = [];
  elapsed = 1000;
  #soon: (() => void)[] = [];

  constructor() {
    const timers = {
      after: () => () => {},
      soon: (work: () => void) => {
        this.#soon.push(work);
        return () => {
          this.#soon = this.#soon.filter((each) => each !== work);
        };
      },
      elapsed: () => this.elapsed,
    };
    this.stream = new ReplicationStream(new Engine(), {
      clock: new ManualClock(),
      timers,
      random: seededRandom(1),
      sliceEnd: (ms) => this.elapsed + ms,
      connect: () => assert.fail('no connection is needed'),
    });
    this.stream.open();
    this.stream.onBytes = () => this.sent.push(this.stream.history.offset);
  }

  /** A turn in which bytes are added. Returns how often the stream was sent until its end. */
  turn(bytes: number, ms: number): number {
    const before = this.sent.length;
    if (bytes > 0) this.stream.bytes(Buffer.alloc(bytes), 0, bytes);
    this.elapsed += ms;
    for (const work of this.#soon.splice(0)) work();
    return this.sent.length - before;
  }
}

describe('the replication stream', () => {
  it('is sent after the turn, if nothing was sent just before', () => {
    const turns = new TurnByTurn();
    assert.equal(turns.turn(10, 0.1), 1);
    turns.elapsed += 10;
    assert.equal(turns.turn(10, 0.1), 1);
    assert.deepEqual(turns.sent, [10, 20]);
    assert.equal(turns.turn(0, 0.1), 0);
  });

  it('is sent once for several turns that follow each other closely', () => {
    const turns = new TurnByTurn();
    assert.equal(turns.turn(10, 0.1), 1);
    for (let i = 0; i < 4; i++) assert.equal(turns.turn(10, 0.1), 0);
    assert.equal(turns.turn(10, 0.15), 1);
    assert.deepEqual(turns.sent, [10, 60]);
  });

  it('is sent as soon as a turn adds nothing to it', () => {
    const turns = new TurnByTurn();
    turns.turn(10, 0.1);
    assert.equal(turns.turn(10, 0.01), 0);
    assert.equal(turns.turn(0, 0.01), 1);
    assert.deepEqual(turns.sent, [10, 20]);
  });

  it('is sent after the turn if much was added, or a client waits for its replicas', () => {
    const turns = new TurnByTurn();
    turns.turn(10, 0.01);
    assert.equal(turns.turn(20_000, 0.01), 1);
    assert.equal(turns.turn(10, 0.01), 0);
    turns.stream.sendSoon();
    assert.equal(turns.turn(10, 0.01), 1);
    assert.deepEqual(turns.sent, [10, 20_010, 20_030]);
    // Only that time.
    assert.equal(turns.turn(10, 0.01), 0);
  });

  it('is sent before replies if much was added, and then not again after the turn', () => {
    const turns = new TurnByTurn();
    turns.turn(10, 0.01);
    turns.stream.bytes(Buffer.alloc(20_000), 0, 20_000);
    turns.stream.sendBeforeReplies();
    assert.deepEqual(turns.sent, [10, 20_010]);
    turns.stream.sendBeforeReplies();
    assert.equal(turns.turn(0, 1), 0);
    turns.stream.bytes(Buffer.alloc(10), 0, 10);
    turns.stream.sendBeforeReplies();
    assert.equal(turns.sent.length, 2);
    assert.equal(turns.turn(0, 1), 1);
  });
});
