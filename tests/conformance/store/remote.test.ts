/** Stores on a server: databases, time limits, unreachable servers. */
import assert from 'node:assert/strict';
import { open } from '../../../src/store/index.js';
import { ask } from '../../support/fleet/index.js';
import { onEveryKind, rejectsWith } from './suite.js';

onEveryKind(
  'A store with options',
  (test) => {
    test('uses the given database', async (store, { site }) => {
      await using other = await open(site.address as string, { database: 3 });
      await other.set('k', 'in 3');
      assert.equal(await store.get('k'), null);
      assert.equal(
        await other.duplicate().then(async (twin) => {
          const value = await twin.get('k');
          await twin.close();
          return value;
        }),
        'in 3',
      );
    });

    test('fails when the server does not answer within the time limit, and not before', async (store, {
      site,
    }) => {
      await using hasty = await open(site.address as string, { commandTimeout: 2000 });
      await store.set('k', 'before');
      await site.askAll('CLIENT', 'PAUSE', '600000', 'WRITE');
      try {
        await rejectsWith(hasty.set('k', 'after'), 'TIMEOUT');
        assert.equal(await store.get('k'), 'before');
      } finally {
        await site.askAll('CLIENT', 'UNPAUSE');
      }
    });

    test('says that no server answers', async () => {
      await assert.rejects(ask(1, 'PING'));
      await rejectsWith(
        open('redis://127.0.0.1:1', { connectTimeout: 500 }),
        'UNREACHABLE',
        /127\.0\.0\.1:1/,
      );
    });
  },
  (kind) => !kind.isEmbedded && !kind.isCluster && !kind.name.includes('client'),
);
