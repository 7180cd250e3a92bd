/**
 * One function for each public entry of the package, and for each feature of it that once depended on a file. The tests
 * bundle this module, and run it under test runners. Each returns a string with its
 * result. Plain JavaScript without `await using`, as users write it for Node 20.
 */
import { connect } from 'node:net';
import { open, openWorker } from 'sorrel';
import { Bytes, Engine, RespWriter, silentSink } from 'sorrel/engine';
import { dictionary } from 'sorrel/kit/autocomplete';
import { cached } from 'sorrel/kit/cache';
import { counters } from 'sorrel/kit/counters';
import { files } from 'sorrel/kit/files';
import { ids } from 'sorrel/kit/ids';
import { jobIndex } from 'sorrel/kit/jobs';
import { locks } from 'sorrel/kit/locks';
import { mailboxes } from 'sorrel/kit/messaging';
import { choice, packedRecords, unsigned } from 'sorrel/kit/packed-records';
import { defineTask, queue } from 'sorrel/kit/queue';
import { rateLimiter } from 'sorrel/kit/rate-limiter';
import { semaphores } from 'sorrel/kit/semaphores';
import { shardedHash } from 'sorrel/kit/sharded-hash';
import { shardedList } from 'sorrel/kit/sharded-list';
import { socialNetwork } from 'sorrel/kit/social';
import { stock } from 'sorrel/kit/stock';
import { serve } from 'sorrel/server';
import { sharedStore } from 'sorrel/testing';

/** A validator that accepts every value. */
const anything = { '~standard': { version: 1, vendor: 'tests', validate: (value) => ({ value }) } };

/** Components of the kit, each with the entry it is of. Each gets an open store. */
export const components = {
  'sorrel/kit/autocomplete': {
    gives: 'Zürich',
    run: async (store) => {
      const cities = dictionary(store, 'cities');
      await cities.add('Zürich', 420_000);
      const { entries } = await cities.complete('zur', { limit: 5 });
      return entries.map(({ text }) => text).join();
    },
  },
  'sorrel/kit/cache': {
    gives: '16,16 1',
    run: async (store) => {
      let calls = 0;
      const produce = async (n) => {
        calls++;
        return n * n;
      };
      const square = cached(store, produce, { name: 'square', ttl: 60_000 });
      const results = await Promise.all([square(4), square(4)]);
      return `${results} ${calls}`;
    },
  },
  'sorrel/kit/counters': {
    gives: '3',
    run: async (store) => {
      await counters(store).count('sales', 3);
      const { samples } = await counters(store).series('sales', { precision: 60_000 });
      return `${samples.reduce((sum, { count }) => sum + count, 0)}`;
    },
  },
  'sorrel/kit/files': {
    gives: '6 bytes',
    run: async (store) => {
      const shipping = files(store);
      await shipping.send('log', [Buffer.from('one'), Buffer.from('two')], { readers: ['ann'] });
      let bytes = 0;
      for await (const block of shipping.receive('log', 'ann')) bytes += block.length;
      return `${bytes} bytes`;
    },
  },
  'sorrel/kit/ids': {
    gives: '1,2,3',
    run: async (store) => `${await ids(store, 'orders', { start: 1 }).take(3)}`,
  },
  'sorrel/kit/jobs': {
    gives: '1',
    run: async (store) => {
      const openings = jobIndex(store, 'openings');
      await openings.add('1', { skills: ['SQL'], locations: ['Zürich'] });
      return `${(await openings.find({ skills: ['sql'] })).total}`;
    },
  },
  'sorrel/kit/locks': {
    gives: 'undefined, true',
    run: async (store) => {
      const lock = await locks(store).acquire('report', { wait: 1000 });
      const other = await locks(store).tryAcquire('report');
      return `${other}, ${await lock.release()}`;
    },
  },
  'sorrel/kit/messaging': {
    gives: 'lunch?',
    run: async (store) => {
      const mail = mailboxes(store);
      await mail.send('ann', { subject: 'lunch?' });
      for await (const { message } of mail.receive('ann')) return message.subject;
      return 'none';
    },
  },
  'sorrel/kit/packed-records': {
    gives: 'USA 30',
    run: async (store) => {
      const fields = { country: choice(['DEU', 'USA'], { bits: 8 }), age: unsigned(7) };
      const users = packedRecords(store, 'users', { fields });
      await users.set(42, { country: 'USA', age: 30 });
      const { country, age } = await users.get(42);
      return `${country} ${age}`;
    },
  },
  'sorrel/kit/queue': {
    gives: 'sent to ann, 49',
    run: async (store) => {
      const mail = queue(store, 'mail');
      const email = defineTask('email', anything);
      const square = defineTask('square', anything);
      const module = new URL('data:text/javascript,export default (n) => n * n');
      const worker = mail.work([
        email.handle(async ({ to }) => `sent to ${to}`),
        square.sandbox(module, { kind: 'thread' }),
      ]);
      const task = await mail.add(email, { to: 'ann' });
      const result = `${await task.result()}, ${await (await mail.add(square, 7)).result()}`;
      await worker.stop();
      return result;
    },
  },
  'sorrel/kit/rate-limiter': {
    gives: 'true, false',
    run: async (store) => {
      const calls = rateLimiter(store, { limit: 100, per: 3_600_000, burst: 1 });
      return `${(await calls.take('ann')).isAllowed}, ${(await calls.take('ann')).isAllowed}`;
    },
  },
  'sorrel/kit/semaphores': {
    gives: 'undefined',
    run: async (store) => {
      const permits = semaphores(store, { limit: 1 });
      const permit = await permits.acquire('reports', { wait: 1000 });
      const other = await permits.tryAcquire('reports');
      await permit.release();
      return `${other}`;
    },
  },
  'sorrel/kit/sharded-hash': {
    gives: 'true New York',
    run: async (store) => {
      const cities = shardedHash(store, 'cities', { expected: 300_000 });
      return `${await cities.set('5128581', 'New York')} ${await cities.get('5128581')}`;
    },
  },
  'sorrel/kit/sharded-list': {
    gives: 'a 2',
    run: async (store) => {
      const list = shardedList(store, 'events', { shardSize: 2 });
      await list.pushRight('a', 'b', 'c');
      return `${await list.popLeft()} ${await list.length()}`;
    },
  },
  'sorrel/kit/social': {
    gives: 'ann undefined',
    run: async (store) => {
      const network = socialNetwork(store);
      const { id } = await network.signUp('Ann');
      return `${id} ${await network.signUp('ANN')}`;
    },
  },
  'sorrel/kit/stock': {
    gives: 'sold-out 1',
    run: async (store) => {
      await stock(store).offer('tv', 1);
      await stock(store).reserve('tv', 'ann');
      const { outcome } = await stock(store).reserve('tv', 'bob');
      return `${outcome} ${(await stock(store).status('tv')).reserved}`;
    },
  },
};

/** Stores and their commands. */
export const embedded = {
  'sorrel: commands': {
    gives: 'hello hello',
    run: async (store) => {
      await store.set('greeting', 'hello', { ex: 60 });
      return `${await store.get('greeting')} ${store.sync.get('greeting')}`;
    },
  },
  'sorrel: scripts': {
    gives: 'hello',
    run: async (store) => {
      await store.set('greeting', 'hello');
      return store.eval("return redis.call('GET', KEYS[1])", ['greeting'], []);
    },
  },
  'sorrel: commands on demand': {
    gives: '1,2 true',
    run: async (store) => {
      await store.rpush('list', ['2', '1']);
      const information = await store.send('INFO', 'server');
      return `${await store.send('SORT', 'list')} ${information.includes('redis_version:7.0.15')}`;
    },
  },
};

/** Features of other stores and entries; they get the address of a Redis and their own folder. */
export const others = {
  'sorrel: in a folder (file:)': {
    gives: 'hello',
    run: async ({ folder }) => {
      const store = await open(`file:${folder}`);
      await store.set('greeting', 'hello');
      await store.close();
      const again = await open(`file:${folder}`);
      const greeting = await again.get('greeting');
      await again.close();
      return greeting;
    },
  },
  'sorrel: a server (redis://)': {
    gives: 'hello',
    run: async ({ redis }) => {
      const store = await open(redis);
      await store.set('greeting', 'hello');
      const lock = await locks(store).acquire('report');
      const greeting = await store.eval("return redis.call('GET', KEYS[1])", ['greeting'], []);
      await lock.release();
      await store.close();
      return greeting;
    },
  },
  'sorrel: a thread (openWorker)': {
    gives: 'hello',
    run: async () => {
      const worker = await openWorker();
      const store = await worker.open();
      await store.set('greeting', 'hello');
      const greeting = await store.eval("return redis.call('GET', KEYS[1])", ['greeting'], []);
      await store.close();
      await worker.close();
      return greeting;
    },
  },
  'sorrel: store.listen': {
    gives: 'hello',
    run: async () => {
      const store = await open();
      const listener = await store.listen({ port: 0 });
      const client = await open(listener.address);
      await client.set('greeting', 'hello');
      const greeting = await store.get('greeting');
      await client.close();
      await listener.close();
      await store.close();
      return greeting;
    },
  },
  'sorrel/engine': {
    gives: '$5\r\nhello\r\n',
    run: async () => {
      const engine = new Engine();
      const replies = new RespWriter();
      engine.execute(engine.openSession(silentSink), [Bytes.of('ECHO'), Bytes.of('hello')], 2, replies);
      engine.close();
      return replies.copyFrom(0).toString();
    },
  },
  'sorrel/testing': {
    gives: 'hello',
    run: async () => {
      sharedStore().sync.set('greeting', 'hello');
      return sharedStore().sync.get('greeting');
    },
  },
  'sorrel/server': {
    gives: '+PONG\r\n',
    run: async ({ port }) => {
      const server = await serve({ port });
      const client = connect(server.port, '127.0.0.1');
      client.write('PING\r\n');
      const reply = await new Promise((resolve) => client.once('data', resolve));
      client.destroy();
      await server.close();
      return reply.toString();
    },
  },
};

/** Runs a feature on its own embedded store. */
export async function onStore({ run }) {
  const store = await open();
  try {
    return await run(store);
  } finally {
    await store.close();
  }
}
