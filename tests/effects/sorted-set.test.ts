import { describe, it } from 'node:test';
import { RecordedEngine } from './support.js';

/** The expected commands are those that redis-server 7.0.15 wrote to its append-only file. */

describe('sorted sets are recorded', () => {
  it('as sent, if something changed', () => {
    new RecordedEngine().check([
      ['ZADD k 1 a 2 b 3 c 4 d 5 e 6 f', 'ZADD k 1 a 2 b 3 c 4 d 5 e 6 f'],
      ['ZADD k 1 a'],
      ['ZADD k NX 9 a'],
      ['ZADD none XX 9 a'],
      ['zadd k INCR 1.5 a', 'zadd k INCR 1.5 a'],
      ['ZADD k INCR 0 a'],
      ['ZINCRBY k -1 a', 'ZINCRBY k -1 a'],
      ['ZREM k none'],
      ['ZREM k a none', 'ZREM k a none'],
      ['ZREMRANGEBYRANK k 0 0', 'ZREMRANGEBYRANK k 0 0'],
      ['ZREMRANGEBYSCORE k 100 200'],
      ['ZREMRANGEBYSCORE k 3 3', 'ZREMRANGEBYSCORE k 3 3'],
      ['ZPOPMIN k', 'ZPOPMIN k'],
      ['ZPOPMAX k 10', 'ZPOPMAX k 10'],
      ['ZPOPMAX k 10'],
      ['ZADD k 0 a 0 b', 'ZADD k 0 a 0 b'],
      ['ZREMRANGEBYLEX k - (b', 'ZREMRANGEBYLEX k - (b'],
      ['ZUNIONSTORE d 1 k', 'ZUNIONSTORE d 1 k'],
      ['ZINTERSTORE d 1 k', 'ZINTERSTORE d 1 k'],
      ['ZRANGESTORE d k 0 -1', 'ZRANGESTORE d k 0 -1'],
      ['ZDIFFSTORE d 2 k k', 'ZDIFFSTORE d 2 k k'],
      ['ZDIFFSTORE d 2 k k'],
      ['ZRANGE k 0 -1'],
    ]);
  });

  it('as the non-blocking command that removes the same members', () => {
    new RecordedEngine().check([
      ['ZADD k 1 a 2 b 3 c 4 d 5 e 6 f', 'ZADD k 1 a 2 b 3 c 4 d 5 e 6 f'],
      ['ZMPOP 2 none k MIN', 'ZPOPMIN k 1'],
      ['ZMPOP 1 none MIN'],
      ['BZPOPMIN none k 0', 'ZPOPMIN k'],
      ['BZPOPMAX k 0', 'ZPOPMAX k'],
      ['BZMPOP 0 1 k MAX COUNT 10', 'ZPOPMAX k 3'],
    ]);
  });

  it('as the same non-blocking command after the command that served a waiting client', () => {
    const recorded = new RecordedEngine();
    for (const [waiting, add, ...effects] of [
      ['BZPOPMIN q 0', 'ZADD q 1 a 2 b', 'ZADD q 1 a 2 b', 'ZPOPMIN q'],
      ['BZPOPMAX r 0', 'ZUNIONSTORE r 1 q', 'ZUNIONSTORE r 1 q', 'ZPOPMAX r'],
      ['BZMPOP 0 2 s t MIN COUNT 5', 'ZADD t 1 a 2 b', 'ZADD t 1 a 2 b', 'ZPOPMIN t 2'],
    ] as const) {
      recorded.run(waiting, recorded.openSession());
      recorded.check([[add, ...effects]]);
    }
  });
});
