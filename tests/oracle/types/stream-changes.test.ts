import assert from 'node:assert/strict';
import { compareCases, compareLive, on, type Reply } from '../support/index.js';

/** Which commands on streams count as changes, for WATCH and for saving. */

const setup = [
  'XADD s 1-0 a 1',
  'XADD s 2-0 a 2',
  'XADD s 3-0 a 3',
  'XGROUP CREATE s g 0',
  'XGROUP CREATE s old 0',
  'XREADGROUP GROUP g alice COUNT 2 STREAMS s >',
];

const commands = [
  'XADD s 4-0 a b',
  'XADD s MAXLEN 2 4-0 a b',
  'XADD s MAXLEN ~ 2 4-0 a b',
  'XADD s NOMKSTREAM 0-1 a b',
  'XADD new 1-0 a b',
  'XTRIM s MAXLEN 1',
  'XTRIM s MAXLEN 10',
  'XDEL s 1-0 2-0',
  'XDEL s 9-0',
  'XSETID s 9-0',
  'XGROUP CREATE s new 0',
  'XGROUP CREATE new new 0 MKSTREAM',
  'XGROUP SETID s g 0',
  'XGROUP DESTROY s old',
  'XGROUP DESTROY s none',
  'XGROUP CREATECONSUMER s g new',
  'XGROUP CREATECONSUMER s g alice',
  'XGROUP DELCONSUMER s g alice',
  'XGROUP DELCONSUMER s g none',
  'XREADGROUP GROUP g alice STREAMS s >',
  'XREADGROUP GROUP g bob STREAMS s >',
  'XREADGROUP GROUP g bob NOACK STREAMS s >',
  'XREADGROUP GROUP g alice STREAMS s 0',
  'XREADGROUP GROUP g bob STREAMS s 0',
  'XACK s g 1-0 2-0',
  'XACK s g 9-0',
  'XCLAIM s g bob 0 1-0 2-0 3-0',
  'XCLAIM s g bob 0 3-0 FORCE',
  'XCLAIM s g bob 0 9-0 LASTID 9-0',
  'XAUTOCLAIM s g bob 0 0',
  'XAUTOCLAIM s g bob 100000 0',
  'XREAD STREAMS s 0',
  'XREAD STREAMS none 0',
  'XLEN none',
  'XINFO STREAM none',
  'XPENDING none g',
  'XACK none g 1-0',
  'XRANGE none - +',
];

for (const command of commands) {
  compareCases(`${command}, watched`, [
    ...setup,
    on('watcher', 'WATCH s'),
    on('watcher', 'MULTI'),
    on('watcher', 'PING'),
    command,
    on('watcher', 'EXEC'),
  ]);
}

compareLive('changes are counted as in Redis', async ({ sendBoth }) => {
  const counts = async (): Promise<readonly [number, number]> => {
    const { redis, sorrel } = await sendBoth('INFO persistence', { ignore: 'only one line matters' });
    return [changesIn(redis), changesIn(sorrel)];
  };
  for (const command of commands) {
    await sendBoth('DEL s new');
    for (const line of setup) await sendBoth(line);
    const before = await counts();
    await sendBoth(command);
    const after = await counts();
    assert.equal(after[1] - before[1], after[0] - before[0], command);
  }
});

function changesIn(info: Reply): number {
  return Number(/rdb_changes_since_last_save:(\d+)/.exec(info.raw.toString())?.[1]);
}
