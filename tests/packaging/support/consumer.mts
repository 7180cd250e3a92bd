/** A program that uses every public entry, for compilers: as an ES module and, renamed, as a CommonJS one. */
import { type EmbeddedStore, ManualClock, open, openWorker, type Store, StoreError } from 'sorrel';
import { Engine } from 'sorrel/engine';
import { files } from 'sorrel/kit/files';
import { locks } from 'sorrel/kit/locks';
import { mailboxes } from 'sorrel/kit/messaging';
import { queue } from 'sorrel/kit/queue';
import { rateLimiter } from 'sorrel/kit/rate-limiter';
import { semaphores } from 'sorrel/kit/semaphores';
import { shardedList } from 'sorrel/kit/sharded-list';
import { serve } from 'sorrel/server';
import { replaceIoredis, setupStore } from 'sorrel/testing';

export async function use(): Promise<string | null> {
  const embedded: EmbeddedStore = await open('memory:', { clock: new ManualClock() });
  const remote: Store = await open('redis://localhost');
  const worker = await openWorker();
  const lock = await locks(remote).acquire('report', { wait: 10 });
  await lock.release();
  await semaphores(remote, { limit: 1 }).acquire('report');
  await mailboxes<{ subject: string }>(remote).send('ann', { subject: 'lunch?' });
  await files(remote).send('log', [Buffer.from('text')], { readers: ['ann'] });
  await shardedList(remote, 'events', { shardSize: 2 }).pushRight('a');
  await rateLimiter(remote, { limit: 1, per: 1000 }).take('ann');
  queue(remote, 'mail');
  new Engine().close();
  const store: EmbeddedStore = setupStore({ beforeEach: () => {}, afterAll: () => {} });
  const replaced: { Redis: typeof Map } = replaceIoredis({ Redis: Map }, store);
  new replaced.Redis();
  const server = await serve({ port: 0 });
  await server.close();
  await worker.close();
  // @ts-expect-error a number is not a key's value
  const wrong: number = await embedded.get('key');
  if (wrong === 1) throw new StoreError('ERR', 'no');
  return embedded.sync.get('key');
}
