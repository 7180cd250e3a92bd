import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bytes } from '../bytes/bytes.js';
import { ManualClock } from '../bytes/clock.js';
import { type RandomSource, seededRandom } from '../bytes/random.js';
import type { Database } from './database.js';
import type { Entry } from './entry.js';
import { Keyspace } from './keyspace.js';
import { Encoding, Type } from './kinds.js';

const MINUTE = 60_000;

/** A keyspace with one key, whose usage is observed. */
class Watched {
  readonly clock = new ManualClock();
  readonly keyspace: Keyspace;
  readonly db: Database;
  readonly entry: Entry;

  constructor(countsFrequency: boolean, random: RandomSource = seededRandom(1)) {
    this.keyspace = new Keyspace({ databases: 1, clock: this.clock, random });
    this.db = this.keyspace.databases[0] as Database;
    this.keyspace.usage.countsFrequency = countsFrequency;
    this.entry = this.keyspace.create(this.db, Bytes.of('key'), Type.string, Encoding.int, 1);
  }

  pass(milliseconds: number): void {
    this.clock.advance(milliseconds);
    this.keyspace.usage.advance(this.clock.now());
  }

  touch(times = 1): void {
    for (let i = 0; i < times; i++) this.keyspace.usage.touch(this.db, this.entry);
  }

  get idleSeconds(): number {
    return this.keyspace.usage.idleSeconds(this.db.usage(this.entry));
  }

  get frequency(): number {
    return this.keyspace.usage.frequency(this.db.usage(this.entry));
  }
}

/** Always the same number: with 0 every use counts, with 0.999… almost none. */
function constant(value: number): RandomSource {
  return { next: () => value, integer: (below) => Math.floor(value * below) };
}

describe('Usage by recency', () => {
  it('counts the seconds since the last use', () => {
    const watched = new Watched(false);
    assert.equal(watched.idleSeconds, 0);
    watched.pass(90_500);
    assert.equal(watched.idleSeconds, 90);
    watched.touch();
    assert.equal(watched.idleSeconds, 0);
  });

  it('survives the wrap of its 24 bits', () => {
    const watched = new Watched(false);
    const toWrap = 0x1000000 - (Math.floor(watched.clock.now() / 1000) & 0xffffff);
    watched.pass((toWrap - 5) * 1000);
    watched.touch();
    watched.pass(12_000);
    assert.equal(watched.idleSeconds, 12);
  });

  it('computes the usage for RESTORE … IDLETIME', () => {
    const { keyspace } = new Watched(false);
    assert.equal(keyspace.usage.idleSeconds(keyspace.usage.ofIdleSeconds(1000)), 1000);
  });

  it('prefers to evict the entry with the longer idle time', () => {
    const { usage } = new Watched(false).keyspace;
    assert.ok(usage.idleness(usage.ofIdleSeconds(20)) > usage.idleness(usage.ofIdleSeconds(10)));
  });
});

describe('Usage by frequency', () => {
  it('starts at 5, so that a new key is not evicted first', () => {
    assert.equal(new Watched(true).frequency, 5);
  });

  it('grows with each use at first, then ever more rarely', () => {
    const watched = new Watched(true, constant(0));
    watched.touch(10);
    assert.equal(watched.frequency, 15, 'chance agreed every time');
    const unlucky = new Watched(true, constant(0.2));
    unlucky.touch(100);
    assert.equal(unlucky.frequency, 6, 'from 6 on the chance is 1 in 11');
  });

  it('distinguishes a hundred uses from a million, within its 8 bits', () => {
    const some = new Watched(true);
    some.touch(100);
    const many = new Watched(true);
    many.touch(1_000_000);
    assert.ok(some.frequency >= 7 && some.frequency <= 20, `${some.frequency}`);
    assert.equal(many.frequency, 255);
  });

  it('grows on every use, up to the maximum, if the log factor is 0', () => {
    const watched = new Watched(true);
    watched.keyspace.usage.logFactor = 0;
    watched.touch(400);
    assert.equal(watched.frequency, 255);
  });

  it('loses one for each decay time without use, down to 0', () => {
    const watched = new Watched(true, constant(0));
    watched.touch(15);
    watched.pass(3 * MINUTE);
    assert.equal(watched.frequency, 17);
    watched.keyspace.usage.decayMinutes = 3;
    assert.equal(watched.frequency, 19);
    watched.keyspace.usage.decayMinutes = 0;
    assert.equal(watched.frequency, 20, '0 is never');
    watched.keyspace.usage.decayMinutes = 1;
    watched.pass(1000 * MINUTE);
    assert.equal(watched.frequency, 0);
  });

  it('continues from the lowered counter when the key is used again', () => {
    const watched = new Watched(true, constant(0));
    watched.touch(15);
    watched.pass(10 * MINUTE);
    watched.touch();
    assert.equal(watched.frequency, 11);
    watched.pass(MINUTE - 1);
    assert.ok(watched.frequency >= 10);
  });

  it('survives the wrap of its minutes', () => {
    const watched = new Watched(true, constant(0));
    const minute = Math.floor(watched.clock.now() / MINUTE);
    watched.pass((0x10000 - (minute & 0xffff) - 2) * MINUTE);
    watched.touch(20);
    const before = watched.frequency;
    watched.pass(5 * MINUTE);
    assert.equal(watched.frequency, before - 5);
  });

  it('prefers to evict the entry that is used less often', () => {
    const { usage } = new Watched(true).keyspace;
    assert.ok(usage.idleness(usage.ofFrequency(3)) > usage.idleness(usage.ofFrequency(200)));
  });
});
