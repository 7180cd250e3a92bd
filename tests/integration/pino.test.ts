/** pino's own thread loads our transport and writes to a server. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import transport, { logs } from '../../src/kit/logs/index.js';
import { open } from '../../src/store/index.js';
import { startRedis, whenRedisIsInstalled } from '../support/fleet/index.js';

const TARGET = fileURLToPath(new URL('support/pino-target.mjs', import.meta.url));

describe('The transport for pino', () => {
  it('writes from the thread of pino into the store, and has written everything when it ends', {
    ...whenRedisIsInstalled,
    timeout: 120_000,
  }, async () => {
    // In another process: pino blocks this thread while it ends.
    const server = await startRedis();
    const address = `redis://127.0.0.1:${server.port}`;
    const thread = pino.transport({ target: TARGET, options: { address, name: 'shop' } });
    const logger = pino({ level: 'debug' }, thread);
    await once(thread, 'ready');
    for (let i = 0; i < 20; i++) logger.info({ i }, 'paid');
    logger.error('broken');
    thread.end();
    await once(thread, 'close');
    await using store = await open(address);
    const log = logs(store);
    assert.deepEqual(await log.common('shop'), [{ message: 'paid', count: 20 }]);
    assert.deepEqual((await log.recent('shop'))[0]?.message, 'paid');
    assert.equal((await log.recent('shop', { severity: 'error' }))[0]?.message, 'broken');
    await store.close();
    await server.stop();
  });

  it('reports the missing or invalid option', async () => {
    await assert.rejects(transport({} as never), { code: 'OPTION', message: /needs `address`/ });
    await assert.rejects(transport({ address: 'memory:', maxRecnt: 1 } as never), { code: 'OPTION' });
  });
});
