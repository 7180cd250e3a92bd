import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type EmbeddedStore, ManualClock, open } from '../../store/index.js';
import { type Cached, cached } from './index.js';

interface Bench extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly store: EmbeddedStore;
  readonly here: Cached<[string], string>;
  readonly there: Cached<[string], string>;
  /** How many commands the store has got. */
  commands(): Promise<number>;
  change(): void;
}

async function bench(local = 10): Promise<Bench> {
  const clock = new ManualClock(1_700_000_000_000);
  const store = await open('memory:', { clock });
  let version = 0;
  const read = async (id: string): Promise<string> => `${id} ${version}`;
  const options = { name: 'read', jitter: 0, local, tags: () => ['all'] };
  const here = cached(store, read, options);
  const other = await store.duplicate();
  const there = cached(other, read, options);
  // The first calls begin to listen; values are kept from then on.
  for (const one of [here, there]) {
    await one('warm-up');
    await clock.run(10);
  }
  return {
    clock,
    store,
    here,
    there,
    commands: async () => {
      const info = (await store.send('INFO', 'stats')) as string;
      return Number(/total_commands_processed:(\d+)/.exec(info)?.[1]);
    },
    change: () => {
      version++;
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await other.close();
    },
  };
}

/** How many commands a call needs, besides the one that counts. */
async function cost(on: Bench, call: () => Promise<unknown>): Promise<number> {
  const before = await on.commands();
  await call();
  return (await on.commands()) - before - 1;
}

describe('Results in the memory of a process', () => {
  it('are returned without asking the store', async () => {
    await using on = await bench();
    await on.here('a');
    await on.here('a');
    assert.equal(await cost(on, () => on.here('a')), 0);
  });

  it('are dropped everywhere when they are invalidated, also by tag', async () => {
    await using on = await bench();
    for (const one of [on.here, on.there, on.here, on.there]) await one('a');
    on.change();
    await on.there.invalidate('a');
    assert.equal(await on.there('a'), 'a 1', 'at once where it was invalidated');
    await turn();
    assert.equal(await on.here('a'), 'a 1');
    on.change();
    await on.there.invalidateTag('all');
    assert.equal(await on.there('a'), 'a 2');
    await turn();
    assert.equal(await on.here('a'), 'a 2');
    on.change();
    await on.there.refresh('a');
    await turn();
    assert.equal(await on.here('a'), 'a 3');
  });

  it('are changed by their callers without harm', async () => {
    await using on = await bench();
    const list = cached(on.store, async () => [1, 2, 3], { name: 'list', local: 10 });
    await list();
    await on.clock.run(10);
    await list();
    (await list()).push(4);
    assert.deepEqual(await list(), [1, 2, 3]);
  });

  it('end when they are no longer fresh', async () => {
    await using on = await bench();
    await on.here('a');
    await on.here('a');
    on.change();
    await on.clock.run(299_999);
    await on.here('a');
    await on.clock.run(10);
    assert.equal(await on.here('a'), 'a 1');
  });

  it('are dropped within a second or two if a message was lost', async () => {
    await using on = await bench();
    for (const one of [on.here, on.here]) await one('a');
    on.change();
    // As if the connection was made again while another process invalidated it: no message arrives.
    await on.store.send('DEL', 'cache:{read:["a"]}:entry');
    await on.store.send('HSET', 'cache-news:{all}:news', 'told', `${on.clock.now() * 1_000}`);
    assert.equal(await on.here('a'), 'a 0', 'nothing tells it yet');
    await on.clock.run(1_200);
    assert.equal(await on.here('a'), 'a 1');
  });

  it('are dropped at once if a message shows that another one was lost', async () => {
    await using on = await bench();
    for (const id of ['a', 'b', 'a', 'b']) await on.here(id);
    on.change();
    await on.store.send('DEL', 'cache:{read:["a"]}:entry');
    await on.store.send('HSET', 'cache-news:{all}:news', 'told', `${on.clock.now() * 1_000}`);
    await on.there.invalidate('other');
    await turn();
    assert.equal(await on.here('a'), 'a 1');
  });

  it('are not used while the last number cannot be read', async () => {
    await using on = await bench();
    for (const one of [on.here, on.here]) await one('a');
    assert.equal(await cost(on, () => on.here('a')), 0);
    await on.store.send('DEL', 'cache-news:{all}:news');
    await on.store.send('SET', 'cache-news:{all}:news', 'not a hash: reading it fails');
    await on.clock.run(2_100);
    assert.ok((await cost(on, () => on.here('a'))) > 0);
    await on.store.send('DEL', 'cache-news:{all}:news');
    await on.clock.run(1_100);
    await on.here('a');
    assert.equal(await cost(on, () => on.here('a')), 0, 'and again when it can be read');
  });

  it('are bounded, the least recently used one goes first', async () => {
    await using on = await bench(2);
    for (const id of ['a', 'b', 'a', 'c', 'a', 'c']) await on.here(id);
    assert.equal(await cost(on, () => on.here('a')), 0);
    assert.equal(await cost(on, () => on.here('c')), 0);
    assert.ok((await cost(on, () => on.here('b'))) > 0);
  });

  it('are not kept, and nothing listens, after a while without use', async () => {
    await using on = await bench();
    await on.clock.run(10_000);
    assert.deepEqual(await on.store.send('PUBSUB', 'CHANNELS'), []);
    await on.here('a');
    await on.here.close();
    await on.there.close();
    await on.clock.run(10);
    assert.deepEqual(await on.store.send('PUBSUB', 'CHANNELS'), []);
  });
});
