import { describe, it } from 'node:test';
import { RecordedEngine } from './support.js';

/** The expected commands are those that redis-server 7.0.15 wrote to its append-only file. */

describe('lists are recorded', () => {
  it('as sent, if something changed', () => {
    new RecordedEngine().check([
      ['RPUSH l a b c d e f g h', 'RPUSH l a b c d e f g h'],
      ['lpush l x', 'lpush l x'],
      ['LPUSHX none x'],
      ['RPUSHX l y', 'RPUSHX l y'],
      ['LPOP l', 'LPOP l'],
      ['RPOP l 2', 'RPOP l 2'],
      ['LPOP l 0'],
      ['LPOP none'],
      ['LSET l 0 A', 'LSET l 0 A'],
      ['LSET l 100 A'],
      ['LINSERT l BEFORE A z', 'LINSERT l BEFORE A z'],
      ['LINSERT l BEFORE none z'],
      ['LREM l 0 none'],
      ['LREM l 0 z', 'LREM l 0 z'],
      ['LTRIM l 0 -1'],
      ['LTRIM l 0 5', 'LTRIM l 0 5'],
      ['LMOVE l m LEFT RIGHT', 'LMOVE l m LEFT RIGHT'],
      ['RPOPLPUSH l m', 'RPOPLPUSH l m'],
    ]);
  });

  it('as the non-blocking command that removes the same elements', () => {
    new RecordedEngine().check([
      ['RPUSH l 1 2 3 4 5 6 7 8', 'RPUSH l 1 2 3 4 5 6 7 8'],
      ['LMPOP 2 none l LEFT COUNT 2', 'LPOP l 2'],
      ['LMPOP 1 none LEFT'],
      ['BLPOP none l 0', 'LPOP l'],
      ['BRPOP l 0', 'RPOP l'],
      ['BLMOVE l m LEFT right 0', 'LMOVE l m LEFT right'],
      ['BRPOPLPUSH l m 0', 'RPOPLPUSH l m'],
      ['BLMPOP 0 1 l RIGHT COUNT 10', 'RPOP l 2'],
    ]);
  });

  it('as the same non-blocking command after the push that served a waiting client', () => {
    const recorded = new RecordedEngine();
    for (const [waiting, push, ...effects] of [
      ['BLPOP q 0', 'RPUSH q 1 2', 'RPUSH q 1 2', 'LPOP q'],
      ['BRPOP r 0', 'RPUSH r 1', 'RPUSH r 1', 'RPOP r'],
      ['BLMPOP 0 2 s t LEFT COUNT 5', 'RPUSH t 1 2', 'RPUSH t 1 2', 'LPOP t 2'],
      ['BLMOVE u w LEFT RIGHT 0', 'RPUSH u 1', 'RPUSH u 1', 'LMOVE u w left right'],
      ['BRPOPLPUSH v w 0', 'RPUSH v 1', 'RPUSH v 1', 'RPOPLPUSH v w'],
    ] as const) {
      recorded.run(waiting, recorded.openSession());
      recorded.check([[push, ...effects]]);
    }
  });
});
