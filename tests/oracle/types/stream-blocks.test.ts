import fc from 'fast-check';
import { bytesOf, compareCases, compareLive } from '../support/index.js';
import { timesDiffer } from './stream-support.js';

/** The division of entries into blocks is visible in approximate trimming, in XINFO and in DUMP. */

const fill = (many: number, value: (i: number) => string): string[] =>
  Array.from({ length: many }, (_, i) => `XADD s ${i + 1}-0 field ${value(i)} other ${i}`);

for (const [entries, bytes] of [
  [100, 4096],
  [7, 4096],
  [0, 300],
  [100, 1000],
  [1, 0],
  [0, 0],
] as const) {
  compareCases(`blocks of ${entries} entries and ${bytes} bytes at most`, [
    `CONFIG SET stream-node-max-entries ${entries} stream-node-max-bytes ${bytes}`,
    ...fill(350, (i) => 'x'.repeat((i * 7) % 50)),
    'XINFO STREAM s',
    'DUMP s',
    'XTRIM s MAXLEN ~ 300',
    'XINFO STREAM s',
    'XTRIM s MAXLEN ~ 251 LIMIT 30',
    'XTRIM s MAXLEN 251',
    'DUMP s',
    'XDEL s 150-0 151-0 152-0 200-0 349-0 350-0',
    'XADD s 351-0 field a other b',
    'XTRIM s MINID ~ 160',
    'XINFO STREAM s',
    'XTRIM s MINID 160-1',
    'DUMP s',
    'XADD s MAXLEN ~ 100 352-0 field a other b',
    'XADD s MINID ~ 300 353-0 another a',
    'XRANGE s - + COUNT 3',
    'XREVRANGE s + - COUNT 3',
    'XINFO STREAM s',
    'DUMP s',
    'DEBUG DIGEST',
  ]);
}

compareCases('deleted entries use space in their block', [
  'CONFIG SET stream-node-max-entries 5',
  ...fill(5, String),
  'XDEL s 1-0 2-0 3-0 4-0',
  'XADD s 6-0 a b',
  'XINFO STREAM s',
  'XDEL s 5-0',
  'XINFO STREAM s',
  'DUMP s',
]);

compareLive('radix trees of IDs of all sizes', async ({ sendBoth }) => {
  await sendBoth('CONFIG SET stream-node-max-entries 1');
  const half = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 70_000n }));
  for (const list of fc.sample(fc.array(fc.tuple(half, half), { maxLength: 60, size: 'max' }), {
    numRuns: 30,
    seed: 3,
  })) {
    list.sort((a, b) => (a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]) ? -1 : 1));
    await sendBoth('DEL s');
    for (const [ms, seq] of list) await sendBoth(`XADD s ${ms}-${seq} a b`);
    await sendBoth('XINFO STREAM s');
    for (const [ms, seq] of list.filter((_, i) => i % 3 === 0)) await sendBoth(`XDEL s ${ms}-${seq}`);
    await sendBoth('XINFO STREAM s');
    await sendBoth('XRANGE s - +');
    await sendBoth('XREVRANGE s + -');
    await sendBoth('DUMP s');
  }
});

compareLive('each server restores streams dumped by the other', async ({ sendBoth }) => {
  for (const line of [
    'CONFIG SET stream-node-max-entries 4',
    ...fill(20, (i) => `${i}`.repeat(i)),
    'XDEL s 3-0 20-0',
    'XGROUP CREATE s g 0 ENTRIESREAD 0',
    'XGROUP CREATE s h $ ENTRIESREAD 9223372036854775807',
    'XGROUP CREATE s empty 5-5',
    'XREADGROUP GROUP g alice COUNT 5 STREAMS s >',
    'XREADGROUP GROUP g "" COUNT 5 STREAMS s >',
    'XGROUP CREATECONSUMER s g idle',
    'XCLAIM s g carol 0 2-0 4-0 TIME 1000 RETRYCOUNT 9223372036854775807',
    'XDEL s 2-0',
    'XGROUP CREATE bare g $ MKSTREAM',
  ]) {
    await sendBoth(line);
  }
  for (const key of ['s', 'bare']) {
    const dumps = await sendBoth(['DUMP', key], { ignore: 'times are part of it' });
    for (const side of ['redis', 'sorrel'] as const) {
      await sendBoth(['RESTORE', `${key}:${side}`, '0', bytesOf(dumps[side])]);
      await sendBoth(['XINFO', 'STREAM', `${key}:${side}`, 'FULL', 'COUNT', '0'], timesDiffer);
      await sendBoth(['XINFO', 'GROUPS', `${key}:${side}`]);
      await sendBoth(['DEBUG', 'DIGEST-VALUE', `${key}:${side}`]);
      await sendBoth(['XREADGROUP', 'GROUP', 'g', 'alice', 'STREAMS', `${key}:${side}`, '>']);
      await sendBoth(['XPENDING', `${key}:${side}`, 'g']);
    }
    // After restoring the same payload, both servers dump the same payload.
    await sendBoth(['RESTORE', 'again', '0', bytesOf(dumps.redis), 'REPLACE']);
    await sendBoth('DUMP again');
  }
});
