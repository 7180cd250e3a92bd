import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RecordedEngine } from './support.js';

/**
 * The expected commands are those that redis-server 7.0.15 wrote to its append-only file, with three differences. Consumers that
 * XREADGROUP creates but gives no entries are recorded, and so is the number of entries read when XCLAIM moves LASTID. The
 * lowest ID after approximate trimming is the ID of an existing entry.
 */

const NOW = 1_700_000_000_000;

describe('streams are recorded', () => {
  it('with the generated IDs and the exact result of trimming', () => {
    new RecordedEngine().check([
      ['XADD s 1-0 a 1', 'XADD s 1-0 a 1'],
      ['XADD s 1-* a 2', 'XADD s 1-1 a 2'],
      ['xadd s MAXLEN ~ 1 2-0 a 3', 'xadd s MAXLEN = 3 2-0 a 3'],
      ['XADD s MAXLEN ~ 1 LIMIT 10 3-* a 3', 'XADD s MAXLEN = 4 LIMIT 10 3-0 a 3'],
      ['XADD s MAXLEN 3 4-0 a 3', 'XADD s MAXLEN 3 4-0 a 3'],
      ['XADD s MINID ~ 2 5-0 a 3', 'XADD s MINID = 2-0 5-0 a 3'],
      ['XADD s nomkstream MINID 3 6-0 a 3', 'XADD s nomkstream MINID 3 6-0 a 3'],
      ['XADD none nomkstream 6-0 a 3'],
      ['XTRIM s MAXLEN ~ 1'],
      ['XTRIM s MAXLEN 3', 'XTRIM s MAXLEN 3'],
      ['XTRIM s MAXLEN 3'],
      ['XDEL s 4-0 9-9', 'XDEL s 4-0 9-9'],
      ['XDEL s 9-9'],
      ['XSETID s 10-0', 'XSETID s 10-0'],
      ['XADD auto * a b', `XADD auto ${NOW}-0 a b`],
      ['XADD auto MAXLEN 1 * a b', `XADD auto MAXLEN 1 ${NOW}-1 a b`],
    ]);
  });

  it('with the entries delivered to each consumer', () => {
    const claim = (consumer: string, id: string, count: number, last: string, time = NOW): string =>
      `XCLAIM s g ${consumer} 0 ${id} TIME ${time} RETRYCOUNT ${count} FORCE JUSTID LASTID ${last}`;
    new RecordedEngine().check([
      ['XADD s 5-0 a 1', 'XADD s 5-0 a 1'],
      ['XADD s 6-0 a 1', 'XADD s 6-0 a 1'],
      ['XGROUP CREATE s g 0', 'XGROUP CREATE s g 0'],
      ['XGROUP CREATE m g $ MKSTREAM', 'XGROUP CREATE m g $ MKSTREAM'],
      ['XGROUP SETID s g 0 ENTRIESREAD 0', 'XGROUP SETID s g 0 ENTRIESREAD 0'],
      ['XGROUP CREATECONSUMER s g z', 'XGROUP CREATECONSUMER s g z'],
      ['XGROUP CREATECONSUMER s g z'],
      ['XGROUP DELCONSUMER s g z', 'XGROUP DELCONSUMER s g z'],
      ['XGROUP DELCONSUMER s g z'],
      ['XREADGROUP GROUP g alice COUNT 1 STREAMS s >', claim('alice', '5-0', 1, '5-0')],
      ['XREADGROUP GROUP g alice STREAMS s 0'],
      ['XREADGROUP GROUP g new STREAMS s 0', 'XGROUP CREATECONSUMER s g new'],
      [
        'XREADGROUP GROUP g bob NOACK STREAMS s >',
        'XGROUP CREATECONSUMER s g bob',
        'XGROUP SETID s g 6-0 ENTRIESREAD 2',
      ],
      ['XREADGROUP GROUP g bob STREAMS s >'],
      ['XADD s 11-0 a 1', 'XADD s 11-0 a 1'],
      ['XADD s 12-0 a 1', 'XADD s 12-0 a 1'],
      [
        'XREADGROUP GROUP g bob STREAMS s m > >',
        claim('bob', '11-0', 1, '11-0'),
        claim('bob', '12-0', 1, '12-0'),
      ],
      ['XACK s g 11-0', 'XACK s g 11-0'],
      ['XACK s g 11-0'],
      ['XCLAIM s g carol 0 5-0 12-0', claim('carol', '5-0', 3, '12-0'), claim('carol', '12-0', 2, '12-0')],
      ['XCLAIM s g carol 100000 12-0'],
      ['XCLAIM s g carol 0 12-0 JUSTID RETRYCOUNT 7 TIME 1000', claim('carol', '12-0', 7, '12-0', 1000)],
      ['XCLAIM s g carol 0 99-0 LASTID 20-0', 'XGROUP SETID s g 20-0 ENTRIESREAD 4'],
      ['XCLAIM s g carol 0 99-0 LASTID 20-0'],
      ['XDEL s 12-0', 'XDEL s 12-0'],
      ['XAUTOCLAIM s g dave 0 0', claim('dave', '5-0', 4, '20-0'), claim('carol', '12-0', 7, '20-0', 1000)],
      ['XAUTOCLAIM s g dave 0 0', claim('dave', '5-0', 5, '20-0')],
      ['XGROUP DESTROY s g', 'XGROUP DESTROY s g'],
      ['XGROUP DESTROY s g'],
      ['XREAD STREAMS s 0'],
    ]);
  });

  it('after the entry that served a waiting client', () => {
    const recorded = new RecordedEngine();
    recorded.run('XGROUP CREATE s g $ MKSTREAM');
    recorded.run('XREADGROUP GROUP g alice BLOCK 0 STREAMS s >', recorded.openSession());
    recorded.run('XREADGROUP GROUP g bob BLOCK 0 NOACK STREAMS s >', recorded.openSession());
    recorded.check([
      [
        'XADD s 1-0 a b',
        'XADD s 1-0 a b',
        `XCLAIM s g alice 0 1-0 TIME ${NOW} RETRYCOUNT 1 FORCE JUSTID LASTID 1-0`,
      ],
      [
        'XADD s 2-0 a b',
        'XADD s 2-0 a b',
        'XGROUP CREATECONSUMER s g bob',
        'XGROUP SETID s g 2-0 ENTRIESREAD 2',
      ],
    ]);
  });
});

const id = fc.tuple(fc.nat(30), fc.nat(2)).map(([ms, seq]) => `${ms}-${seq}`);
const consumer = fc.constantFrom('alice', 'bob', 'carol');
const line = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('XADD s * a b', 'XADD s * a b c d', 'XADD s MAXLEN ~ 6 * a b') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('XADD s MAXLEN 4 * a b', 'XTRIM s MAXLEN ~ 3', 'XTRIM s MAXLEN 5'),
  },
  { weight: 2, arbitrary: id.map((given) => `XADD s ${given} a b`) },
  { weight: 3, arbitrary: id.map((given) => `XDEL s ${given}`) },
  { weight: 1, arbitrary: id.map((given) => `XTRIM s MINID ~ ${given}`) },
  { weight: 1, arbitrary: fc.constantFrom('XGROUP DESTROY s g', 'XSETID s 20-0', 'DEL s') },
  { weight: 2, arbitrary: id.map((given) => `XGROUP CREATE s g ${given} MKSTREAM`) },
  { weight: 1, arbitrary: id.map((given) => `XGROUP SETID s g ${given}`) },
  { weight: 5, arbitrary: consumer.map((name) => `XREADGROUP GROUP g ${name} COUNT 2 STREAMS s >`) },
  { weight: 1, arbitrary: consumer.map((name) => `XREADGROUP GROUP g ${name} NOACK COUNT 1 STREAMS s >`) },
  { weight: 3, arbitrary: id.map((given) => `XACK s g ${given}`) },
  {
    weight: 2,
    arbitrary: fc.tuple(consumer, id).map(([name, given]) => `XCLAIM s g ${name} 0 ${given} FORCE`),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(consumer, id)
      .map(([name, given]) => `XCLAIM s g ${name} 0 ${given} FORCE LASTID ${given}`),
  },
  { weight: 2, arbitrary: consumer.map((name) => `XAUTOCLAIM s g ${name} 5 0 COUNT 2`) },
  { weight: 1, arbitrary: consumer.map((name) => `XGROUP DELCONSUMER s g ${name}`) },
);

describe('the recorded commands of a stream', () => {
  it('create the same stream, with any block size', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60, size: 'max' }), (lines) => {
        const original = new RecordedEngine(20);
        const copy = new RecordedEngine(20);
        const replayed = copy.openSession();
        replayed.kind = 'master';
        original.engine.keyspace.limits.streamNodeMaxEntries = 3;
        copy.engine.keyspace.limits.streamNodeMaxEntries = 5;
        for (const each of lines) {
          original.clock.advance(1);
          copy.clock.advance(1);
          for (const effect of original.run(each)) copy.run(effect, replayed);
          assert.equal(state(copy), state(original), each);
        }
      }),
      { seed: 7, numRuns: 60 },
    );
  });
});

/** The state of the stream, without the seen times of consumers and the layout of blocks. */
function state(recorded: RecordedEngine): string {
  return recorded
    .ask('XINFO STREAM s FULL COUNT 0')
    .replaceAll(/seen-time\r\n:\d+/g, '')
    .replaceAll(/radix-tree-(keys|nodes)\r\n:\d+/g, '');
}
