/** Tests the types of typed commands: this file does not compile if a type is wrong. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CommandRunner } from '../command-runner.js';
import type { DefaultShape, Queued, Results, Shape } from '../value.js';
import { type Commands, mixCommands, type ScoredMember, type StreamEntry } from './index.js';

interface SyncShape extends DefaultShapeOf<'sync'> {}
interface QueuedShape extends DefaultShapeOf<'queued'> {}
interface BytesShape extends Shape {
  readonly text: Buffer;
  readonly integer: bigint;
  readonly mode: 'promise';
}
interface DefaultShapeOf<Mode extends Shape['mode']> extends Shape {
  readonly text: string;
  readonly integer: number;
  readonly mode: Mode;
}

/** `true` only if the two are the same type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only with `true`. Counts its calls, so that a test sees that it ran. */
function holds<_T extends true>(): void {
  checked++;
}
let checked = 0;

/** All calls return undefined here: only their types matter. */
class Nothing implements CommandRunner {
  run(): undefined {
    return undefined;
  }
}
mixCommands(Nothing.prototype);
const nothing: unknown = new Nothing();
const store = nothing as Commands<DefaultShape>;
const sync = nothing as Commands<SyncShape>;
const queue = nothing as Commands<QueuedShape>;
const bytes = nothing as Commands<BytesShape>;

const HERE = { longitude: 1, latitude: 1 };
const NEAR = { radius: 1, unit: 'km' } as const;

describe('the types of commands', () => {
  it('follow the mode of the store', () => {
    const promised = store.get('k');
    const atOnce = sync.get('k');
    const queued = queue.get('k');
    const inBytes = bytes.get('k');
    const exact = bytes.incr('k');
    holds<Same<typeof promised, Promise<string | null>>>();
    holds<Same<typeof atOnce, string | null>>();
    holds<Same<typeof queued, Queued<string | null>>>();
    holds<Same<typeof inBytes, Promise<Buffer | null>>>();
    holds<Same<typeof exact, Promise<bigint>>>();
    assert.equal(checked, 5);
  });

  it('give each result of a batch its own type', () => {
    const batch = [queue.get('k'), queue.incr('n'), queue.zrange('z', 0, -1, { withScores: true })] as const;
    holds<Same<Results<typeof batch>, [string | null, number, ScoredMember<QueuedShape>[]]>>();
    assert.equal(batch.length, 3);
  });

  it('follow the options that change the reply', () => {
    const before = checked;
    const flag = Math.random() < 2;
    const plain = sync.zrange('z', 0, -1);
    const reversed = sync.zrange('z', 0, -1, { rev: true });
    const scored = sync.zrange('z', 0, -1, { withScores: true });
    const either = sync.zrange('z', 0, -1, { withScores: flag });
    holds<Same<typeof plain, string[]>>();
    holds<Same<typeof reversed, string[]>>();
    holds<Same<typeof scored, ScoredMember<SyncShape>[]>>();
    holds<Same<typeof either, string[] | ScoredMember<SyncShape>[]>>();

    const set = sync.set('k', 'v');
    const expiring = sync.set('k', 'v', { ex: 10 });
    const conditional = sync.set('k', 'v', { nx: true });
    const exchanged = sync.set('k', 'v', { nx: true, get: true });
    holds<Same<typeof set, 'OK'>>();
    holds<Same<typeof expiring, 'OK'>>();
    holds<Same<typeof conditional, 'OK' | null>>();
    holds<Same<typeof exchanged, string | null>>();

    const added = sync.zadd('z', 1, 'm', { ch: true });
    const increased = sync.zadd('z', [{ score: 1, member: 'm' }], { incr: true });
    const stored = sync.sort('l', { store: 'd' });
    const found = sync.sort('l', { get: '#' });
    const claimed = sync.xautoclaim('x', 'g', 'c', 0, '0', { justId: true });
    holds<Same<typeof added, number>>();
    holds<Same<typeof increased, number | null>>();
    holds<Same<typeof stored, number>>();
    holds<Same<typeof found, (string | null)[]>>();
    holds<Same<(typeof claimed)['ids'], string[]>>();
    assert.equal(checked - before, 13);
  });

  it('follow the parameters that change the reply', () => {
    const before = checked;
    const one = sync.lpop('l');
    const some = sync.lpop('l', 2);
    const field = sync.hrandfield('h');
    const fields = sync.hrandfield('h', 2);
    const pairs = sync.hrandfield('h', 2, { withValues: true });
    const entries = sync.xrange('x', '-', '+');
    holds<Same<typeof one, string | null>>();
    holds<Same<typeof some, string[] | null>>();
    holds<Same<typeof field, string | null>>();
    holds<Same<typeof fields, string[]>>();
    holds<Same<typeof pairs, [field: string, value: string][]>>();
    holds<Same<typeof entries, StreamEntry<SyncShape>[]>>();
    assert.equal(checked - before, 6);
  });

  it('take lists and single values, and options that are undefined', () => {
    const seconds: number | undefined = undefined;
    sync.set('k', 'v', { ex: seconds, nx: false });
    sync.del('a');
    sync.del('a', 'b');
    sync.del(['a', 'b'] as readonly string[]);
    sync.hset('h', 'f', 1);
    sync.hset('h', { f: 1, g: 'x' });
    sync.hset('h', new Map([['f', 1]]));
    sync.xread({ x: '0' });
    sync.incrby('n', 2n ** 60n);
    sync.lmove('a', 'b', 'LEFT', 'right');
    assert.ok(checked > 0);
  });

  it('refuse contradictory and unknown options', () => {
    const mistakes = [
      // @ts-expect-error: NX and XX exclude each other
      () => sync.set('k', 'v', { nx: true, xx: true }),
      // @ts-expect-error: only one time to live
      () => sync.set('k', 'v', { ex: 1, px: 1 }),
      // @ts-expect-error: unknown option
      () => sync.zrange('z', 0, -1, { withscores: true }),
      // @ts-expect-error: BYSCORE and BYLEX exclude each other
      () => sync.zrange('z', 0, -1, { byScore: true, byLex: true }),
      // @ts-expect-error: the limit needs a count
      () => sync.zrange('z', 0, -1, { limit: { offset: 1 } }),
      // @ts-expect-error: the center is missing
      () => sync.geosearch('g', { byRadius: NEAR }),
      // @ts-expect-error: only one center
      () => sync.geosearch('g', { fromMember: 'm', fromLonLat: HERE, byRadius: NEAR }),
      // @ts-expect-error: unknown unit
      () => sync.geodist('g', 'a', 'b', 'yard'),
      // @ts-expect-error: `any` needs `count`
      () => sync.georadius('g', 1, 1, 1, 'km', { any: true }),
      // @ts-expect-error: must be left or right
      () => sync.lmove('a', 'b', 'up', 'down'),
      // @ts-expect-error: the value is missing
      () => sync.set('k'),
      // @ts-expect-error: the key is missing
      () => sync.del(),
      // @ts-expect-error: not a valid argument
      () => sync.set('k', { a: 1 }),
      // @ts-expect-error: MAXLEN and MINID exclude each other
      () => sync.xtrim('x', { maxLen: 1, minId: '1' }),
      // @ts-expect-error: MAXLEN or MINID is needed
      () => sync.xtrim('x', {}),
      // @ts-expect-error: a bit must be 0 or 1
      () => sync.setbit('k', 1, 2),
      // @ts-expect-error: `withValues` needs a count
      () => sync.hrandfield('h', { withValues: true }),
      // @ts-expect-error: the store has its own method
      () => sync.subscribe('channel'),
    ];
    assert.equal(mistakes.length, 18);
  });
});
