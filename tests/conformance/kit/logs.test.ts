import assert from 'node:assert/strict';
import { logs } from '../../../src/kit/logs/index.js';
import { onEveryStore, prepareServers } from './support.js';

prepareServers();

/** Longer than the tests take, so that no period ends in the middle of one. */
const YEARS = 100 * 365 * 86_400_000;

onEveryStore('Logs', (test) => {
  test('all clients write into the same lists and counts', async (store, { space, another }) => {
    const options = { prefix: space, maxRecent: 20, period: YEARS };
    const clients = [store, await another(), await another()].map((one) => logs(one, options));
    const writes = Array.from({ length: 60 }, (_, i) =>
      clients[i % 3]!.write('shop', `m${i % 5}`, { severity: 'error', details: { i } }),
    );
    await Promise.all(writes);
    const common = await clients[0]!.common('shop', { severity: 'error' });
    assert.deepEqual(common.map(({ message, count }) => `${message} ${count}`).sort(), [
      ...['m0 12', 'm1 12', 'm2 12', 'm3 12', 'm4 12'],
    ]);
    const recent = await clients[1]!.recent('shop', { severity: 'error' });
    assert.equal(recent.length, 20);
    assert.ok(
      recent.every(({ at }, i) => i === 0 || at <= recent[i - 1]!.at),
      'newest first',
    );
    assert.deepEqual(await clients[2]!.recent('shop'), []);
  });

  test('binary text and several severities are written in one call', async (store, { space }) => {
    const log = logs(store, { prefix: space, period: YEARS });
    const messages = ['für', '数', '😀', 'a\nb', ''];
    await log.writeAll('n', [
      ...messages.map((message) => ({ message })),
      { message: 'x', severity: 'debug' },
    ]);
    assert.deepEqual((await log.recent('n')).map(({ message }) => message).reverse(), messages);
    assert.equal((await log.recent('n', { severity: 'debug' })).length, 1);
  });
});
