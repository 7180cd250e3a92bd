/**
 * The calls that are tested while the server is unreachable: of the store, and of each component of the kit. Add a row to
 * `PARTICIPANTS` for a new component.
 */

import { tmpdir } from 'node:os';
import { dictionary, recentContacts } from '../../../src/kit/autocomplete/index.js';
import { configuration } from '../../../src/kit/configuration/index.js';
import { counters } from '../../../src/kit/counters/index.js';
import { durableWrites } from '../../../src/kit/durable-write/index.js';
import { files } from '../../../src/kit/files/index.js';
import { ids } from '../../../src/kit/ids/index.js';
import { exampleData, ipLookup } from '../../../src/kit/ip-lookup/index.js';
import { locks } from '../../../src/kit/locks/index.js';
import { logProcessor } from '../../../src/kit/log-processing/index.js';
import { logs } from '../../../src/kit/logs/index.js';
import { type Market, market } from '../../../src/kit/market/index.js';
import { chats, mailboxes } from '../../../src/kit/messaging/index.js';
import { packedRecords, unsigned } from '../../../src/kit/packed-records/index.js';
import { defineTask, queue } from '../../../src/kit/queue/index.js';
import { rateLimiter } from '../../../src/kit/rate-limiter/index.js';
import { readerPool } from '../../../src/kit/reader-pool/index.js';
import { semaphores } from '../../../src/kit/semaphores/index.js';
import { shardedHash } from '../../../src/kit/sharded-hash/index.js';
import { shardedList } from '../../../src/kit/sharded-list/index.js';
import { shardedSet } from '../../../src/kit/sharded-set/index.js';
import { sharding } from '../../../src/kit/sharding/index.js';
import { statistics } from '../../../src/kit/statistics/index.js';
import { stock } from '../../../src/kit/stock/index.js';
import { uniqueVisitors } from '../../../src/kit/unique-visitors/index.js';
import type { Store } from '../../../src/store/index.js';
import { MATCHING_PARTICIPANTS } from './matching-participants.js';
import { SOCIAL_PARTICIPANTS } from './social-participants.js';
import { WEB_PARTICIPANTS } from './web-participants.js';

type Calls<Args extends unknown[] = []> = Readonly<Record<string, (...args: Args) => Promise<unknown>>>;

/** The calls of a component, grouped by the way they end. */
export interface Abilities {
  /** End at the store's time limit, with `TIMEOUT` or `UNREACHABLE`. */
  readonly calls?: Calls;
  /** Take a wait in ms, and end with `TIMEOUT` after it. */
  readonly waits?: Calls<[wait: number]>;
  /** End with `ABORTED` when the signal aborts. */
  readonly signals?: Calls<[signal: AbortSignal]>;
  /** End without an error when the signal aborts. */
  readonly loops?: Calls<[signal: AbortSignal]>;
  /** Take a limit in ms, and end within it without an error. */
  readonly ends?: Calls<[within: number]>;
  /** Succeeds when the server is back. */
  works(): Promise<unknown>;
}

export interface Participant {
  readonly name: string;
  /** Called while the server is reachable. `space` is part of every key, so that tests do not share keys. */
  prepare(store: Store, space: string): Promise<Abilities>;
}

/** Reads to the end. */
async function drain(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

const store: Participant = {
  name: 'the store',
  prepare: async (store, space) => {
    const key = `{${space}}key`;
    const script = store.script({ keys: ['k'], lua: `return redis.call('INCR', k)` });
    await script({ k: key });
    const view = (signal: AbortSignal): Store => store.with({ signal });
    return {
      calls: {
        set: () => store.set(key, 1),
        get: () => store.get(key),
        pipeline: () => store.pipeline((batch) => [batch.incr(key), batch.get(key)]),
        transaction: () => store.transaction((batch) => [batch.incr(key)]),
        'transaction with watch': () => store.transaction({ watch: [key] }, (batch) => [batch.incr(key)]),
        script: () => script({ k: key }),
        scan: () => drain(store.scan()),
        subscribe: () => store.subscribe(`${space}:news`),
        'blpop for half a second': () => store.blpop(`${key}:list`, 0.5),
        duplicate: () => store.duplicate(),
      },
      waits: {
        'with a timeout': (timeout) => store.with({ timeout }).set(key, 1).catch(asTimeout),
      },
      signals: {
        set: (signal) => view(signal).set(key, 1),
        'blpop without a timeout': (signal) => view(signal).blpop(`${key}:list`, 0),
        'xread without a timeout': (signal) =>
          view(signal).send('XREAD', 'BLOCK', 0, 'STREAMS', `${key}:stream`, '$'),
        pipeline: (signal) => view(signal).pipeline((batch) => [batch.incr(key)]),
        transaction: (signal) => view(signal).transaction((batch) => [batch.incr(key)]),
        'transaction with watch': (signal) =>
          store.transaction({ watch: [key], signal }, (batch) => [batch.incr(key)]),
        scan: (signal) => drain(view(signal).scan()),
        subscribe: (signal) => store.subscribe(`${space}:news`, { signal }),
      },
      works: async () => {
        await store.set(key, 1);
        await store.transaction({ watch: [key] }, (batch) => [batch.incr(key)]);
        await store.rpush(`${key}:list`, 'element');
        await store.blpop(`${key}:list`, 10);
        await using news = await store.subscribe(`${space}:news`);
        await store.publish(`${space}:news`, 'back');
        await news.next();
      },
    };
  },
};

/** Without a connection, a store's time limit ends a call with `UNREACHABLE`. */
function asTimeout(error: unknown): never {
  const { code } = error as { code?: string };
  throw code === 'UNREACHABLE' ? Object.assign(error as object, { code: 'TIMEOUT' }) : error;
}

const lock: Participant = {
  name: 'locks',
  prepare: async (store, space) => {
    const all = locks(store, { prefix: space });
    const held = await all.acquire('held', { renew: false });
    return {
      calls: {
        tryAcquire: () => all.tryAcquire('a'),
        release: () => held.release(),
        status: () => all.status('a'),
        forceRelease: () => all.forceRelease('a'),
      },
      waits: {
        acquire: (wait) => all.acquire('a', { wait }),
        'acquire, fair': (wait) => all.acquire('b', { wait, fair: true }),
        acquireAll: (wait) => all.acquireAll(['c', 'd'], { wait }),
        run: (wait) => all.run('e', () => 1, { wait }),
        read: (wait) => all.readWrite('f').read({ wait }),
      },
      signals: {
        acquire: (signal) => all.acquire('g', { wait: Number.POSITIVE_INFINITY, signal }),
        tryAcquire: (signal) => all.tryAcquire('h', { signal }),
      },
      works: () => all.run('works', () => 1),
    };
  },
};

const semaphore: Participant = {
  name: 'semaphores',
  prepare: async (store, space) => {
    const all = semaphores(store, { limit: 1, prefix: space });
    const held = await all.acquire('held', { renew: false });
    return {
      calls: {
        tryAcquire: () => all.tryAcquire('a'),
        release: () => held.release(),
        status: () => all.status('a'),
        setLimit: () => all.setLimit('a', 2),
      },
      waits: { acquire: (wait) => all.acquire('b', { wait }) },
      signals: { acquire: (signal) => all.acquire('c', { wait: Number.POSITIVE_INFINITY, signal }) },
      works: () => all.run('works', () => 1),
    };
  },
};

const limiter: Participant = {
  name: 'rateLimiter',
  prepare: async (store, space) => {
    const limits = rateLimiter(store, { limit: 10, per: 1_000, prefix: space });
    await limits.take('a');
    return {
      calls: {
        take: () => limits.take('a'),
        look: () => limits.look('a'),
        penalize: () => limits.penalize('a'),
        reset: () => limits.reset('a'),
      },
      waits: { wait: (within) => limits.wait('a', { within }) },
      signals: { wait: (signal) => limits.wait('a', { signal, within: Number.POSITIVE_INFINITY }) },
      ends: {
        'take with insurance': (patience) =>
          rateLimiter(store, { limit: 10, per: 1_000, prefix: space, insurance: { patience } }).take('a'),
      },
      works: () => limits.take('a'),
    };
  },
};

const tasks: Participant = {
  name: 'queue',
  prepare: async (store, space) => {
    const task = defineTask<number, number>('task');
    const idle = queue(store, `${space}-idle`);
    const busy = queue(store, `${space}-busy`);
    const waiting = queue(store, `${space}-waiting`);
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const idleWorker = idle.work(
      task.handle(async (n) => n),
      QUIET,
    );
    const busyWorker = busy.work(
      task.handle((_n, { signal }) => {
        begin();
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }),
      QUIET,
    );
    await busy.add(task, 1);
    const added = await waiting.add(task, 1);
    await begun;
    await (await idle.add(task, 1)).result();
    return {
      calls: {
        add: () => waiting.add(task, 1),
        addAll: () => waiting.addAll(task, [[1], [2]]),
        counts: () => waiting.counts(),
        list: () => waiting.list('waiting'),
        pause: () => waiting.pause(),
        clean: () => waiting.clean('dead'),
        obliterate: () => waiting.obliterate(),
        update: () => waiting.update(added.id, task, 2),
      },
      waits: { result: (wait) => added.result({ wait }) },
      signals: { result: (signal) => added.result({ signal }) },
      loops: { events: (signal) => drain(waiting.events({ signal })) },
      ends: {
        'stop of an idle worker': (within) => idleWorker.stop({ within }),
        'stop of a busy worker': (within) => busyWorker.stop({ within }),
      },
      works: async () => {
        await using worker = waiting.work(task.handle(async (n) => n));
        await (await waiting.add(task, 1)).result();
        await worker.stop();
      },
    };
  },
};

const QUIET = { onError: () => {} };

const messages: Participant = {
  name: 'messaging',
  prepare: async (store, space) => {
    const boxes = mailboxes<string>(store, { prefix: `${space}-box` });
    const talk = chats<string>(store, { prefix: `${space}-chat` });
    await talk.create('team', ['ann']);
    return {
      calls: {
        send: () => boxes.send('ann', 'hello'),
        read: () => boxes.read('ann'),
        status: () => boxes.status('ann'),
        post: () => talk.post('team', 'ann', 'hello'),
        unread: () => talk.unread('team', 'ann'),
      },
      loops: {
        'receive mail': (signal) => drain(boxes.receive('bob', { signal })),
        'receive a chat': (signal) => drain(talk.receive('team', 'ann', { signal })),
      },
      works: async () => {
        await boxes.send('ann', 'hello');
        await talk.post('team', 'ann', 'hello');
      },
    };
  },
};

const shipping: Participant = {
  name: 'files',
  prepare: async (store, space) => {
    const ship = files(store, { prefix: space });
    const source = [Buffer.from('block')];
    await ship.create('begun', { readers: ['ann'] });
    return {
      calls: {
        create: () => ship.create('new', { readers: ['ann'] }),
        send: () => ship.send('sent', source, { readers: ['ann'] }),
        status: () => ship.status('begun'),
      },
      signals: {
        send: (signal) => ship.send('begun', source, { signal }),
        receive: (signal) => drain(ship.receive('begun', 'ann', { signal })),
      },
      works: async () => {
        await ship.send('works', source, { readers: ['ann'] });
        await drain(ship.receive('works', 'ann'));
      },
    };
  },
};

const list: Participant = {
  name: 'shardedList',
  prepare: async (store, space) => {
    const elements = shardedList(store, 'list', { prefix: space });
    return {
      calls: {
        push: () => elements.pushRight('a'),
        pop: () => elements.popLeft(),
        length: () => elements.length(),
        get: () => elements.get(0),
        range: () => elements.range(0, -1),
        iterate: () => drain(elements),
        clear: () => elements.clear(),
      },
      waits: { take: (wait) => elements.takeLeft({ wait }) },
      signals: { take: (signal) => elements.takeLeft({ signal }) },
      works: async () => {
        await elements.pushRight('a');
        await elements.takeLeft();
      },
    };
  },
};

const counting: Participant = {
  name: 'counters',
  prepare: async (store, space) => {
    const hits = counters(store, { prefix: space });
    return {
      calls: {
        count: () => hits.count('a'),
        series: () => hits.series('a'),
        remove: () => hits.remove('a'),
      },
      works: () => hits.count('a'),
    };
  },
};

const lookup: Participant = {
  name: 'ipLookup',
  prepare: async (store, space) => {
    const { locations, ipv4 } = exampleData(10);
    const places = ipLookup(store, { prefix: space, maxAge: 0 });
    await places.import({ locations, blocks: [ipv4] });
    return {
      calls: {
        find: () => places.find('10.0.0.1'),
        import: () => places.import({ locations, blocks: [ipv4] }),
        remove: () => places.remove(),
      },
      works: () => places.import({ locations, blocks: [ipv4] }),
    };
  },
};

const logging: Participant = {
  name: 'logs',
  prepare: async (store, space) => {
    const log = logs(store, { prefix: space });
    return {
      calls: {
        write: () => log.write('a', 'x'),
        writeAll: () => log.writeAll('a', [{ message: 'x' }]),
        recent: () => log.recent('a'),
        common: () => log.common('a'),
      },
      works: () => log.write('a', 'x'),
    };
  },
};

const figures: Participant = {
  name: 'statistics',
  prepare: async (store, space) => {
    const stats = statistics(store, { prefix: space, onError: () => {} });
    return {
      calls: {
        record: () => stats.record('a', 'x', 1),
        recordAll: () => stats.recordAll('b', 'x', [1, 2]),
        read: () => stats.read('a', 'x'),
        slowest: () => stats.slowest(),
      },
      ends: { timed: () => stats.timed('c', async () => 1) },
      works: () => stats.record('a', 'x', 1),
    };
  },
};

const settings: Participant = {
  name: 'configuration',
  prepare: async (store, space) => {
    const shared = configuration(store, { prefix: space });
    await shared.set('known', 1);
    const part = shared.component('part');
    return {
      calls: {
        get: () => shared.get('unknown'),
        set: () => shared.set('a', 1),
        update: () => shared.update('b', () => 1),
        remove: () => shared.remove('a'),
        'maintenance.begin': () => shared.maintenance.begin(),
        'maintenance.status': () => shared.maintenance.status(),
        'use of a component': () => part.use(() => 1),
      },
      loops: {
        watch: (signal) => drain(shared.watch('known', { signal })),
        'maintenance.watch': (signal) => drain(shared.maintenance.watch({ signal })),
      },
      works: () => shared.set('a', 1),
    };
  },
};

const completion: Participant = {
  name: 'autocomplete',
  prepare: async (store, space) => {
    const words = dictionary(store, space);
    const contacts = recentContacts(store, { prefix: space });
    await words.add('word', 5);
    return {
      calls: {
        add: () => words.add('word', 6),
        addAll: () => words.addAll(['other']),
        boost: () => words.boost('word'),
        remove: () => words.remove('none'),
        complete: () => words.complete('w'),
        size: () => words.size(),
        'add a contact': () => contacts.add('ann', 'bob'),
        'complete a contact': () => contacts.complete('ann', 'b'),
      },
      works: () => words.complete('w'),
    };
  },
};

const supply: Participant = {
  name: 'stock and ids',
  prepare: async (store, space) => {
    const sale = stock(store, { prefix: space });
    await sale.offer('tv', 5);
    const numbers = ids(store, space, { block: 1 });
    return {
      calls: {
        offer: () => sale.offer('tv', 5),
        reserve: () => sale.reserve('tv', 'ann'),
        confirm: () => sale.confirm('tv', 'ann', 'x'),
        cancel: () => sale.cancel('tv', 'ann', 'x'),
        status: () => sale.status('tv'),
        next: () => numbers.next(),
      },
      works: async () => {
        await sale.reserve('tv', 'ann');
        await numbers.next();
      },
    };
  },
};

const trade: Participant = {
  name: 'market',
  prepare: async (store, space) => {
    const [own, watching] = (['script', 'watch'] as const).map((variant) =>
      market(store, space, { variant }),
    ) as [Market, Market];
    await own.give('ann', 'sword', 5);
    return {
      calls: {
        deposit: () => own.deposit('ann', 1),
        give: () => own.give('ann', 'sword'),
        list: () => own.list('ann', 'sword', 1),
        purchase: () => own.purchase('ann', 'none', 1),
        browse: () => own.browse(),
        'list with WATCH': () => watching.list('ann', 'sword', 1),
        'purchase with WATCH': () => watching.purchase('ann', 'none', 1),
      },
      waits: {
        'purchase with a lock': (wait) =>
          market(store, space, { variant: 'lock', wait }).purchase('ann', 'none', 1),
      },
      works: () => own.list('ann', 'sword', 1),
    };
  },
};

const reading: Participant = {
  name: 'log processing',
  prepare: async (store, space) => {
    const logs = logProcessor(store, space, { folder: tmpdir(), match: /^no such file$/ });
    return {
      calls: {
        process: () => logs.process(() => {}),
        counts: () => logs.counts('x'),
        top: () => logs.top('x'),
        status: () => logs.status(),
        clear: () => logs.clear(),
      },
      signals: { process: (signal) => logs.process(() => {}, { signal }) },
      loops: { follow: async (signal) => [await logs.follow(() => {}, { signal })] },
      works: () => logs.process(() => {}),
    };
  },
};

const pool: Participant = {
  name: 'readerPool',
  prepare: async (store, space) => {
    const key = `{${space}}name`;
    const ann = readerPool(store, [store]).client('ann');
    await ann.write((primary) => primary.set(key, 1));
    return {
      calls: {
        write: () => ann.write((primary) => primary.set(key, 2)),
        read: () => ann.read((reader) => reader.get(key)),
        position: () => ann.position(),
      },
      works: async () => {
        await ann.write((primary) => primary.set(key, 3));
        await ann.read((reader) => reader.get(key));
      },
    };
  },
};

const durability: Participant = {
  name: 'durable writes',
  prepare: async (store, space) => {
    const writes = durableWrites(store, { prefix: space, replicas: 0, timeout: 100 });
    await writes.confirm('key');
    return {
      calls: { confirm: () => writes.confirm('key') },
      signals: { confirm: (signal) => writes.confirm('key', { timeout: 60_000, signal }) },
      works: () => writes.confirm('key'),
    };
  },
};

const structures: Participant = {
  name: 'sharded structures',
  prepare: async (store, space) => {
    const hash = shardedHash(store, space, { expected: 10 });
    const set = shardedSet(store, space, { expected: 10 });
    const visitors = uniqueVisitors(store, space, { expected: 10 });
    const records = packedRecords(store, space, { fields: { n: unsigned(7) } });
    const work = async (): Promise<void> => {
      await hash.set('a', 1);
      await set.add('a');
      await visitors.visit('a');
      await records.set(1, { n: 1 });
    };
    await work();
    return {
      calls: {
        'set of a hash': () => hash.set('a', 1),
        'size of a hash': () => hash.size(),
        'iterate over a hash': () => drain(hash),
        'add to a set': () => set.add('a'),
        'has of a set': () => set.has('a'),
        visit: () => visitors.visit('a'),
        'count of visitors': () => visitors.count(),
        'update of a record': () => records.update(1, { n: 2 }),
        'tally of records': () => records.tally('n'),
        'remove a record': () => records.remove(2),
      },
      works: work,
    };
  },
};

const division: Participant = {
  name: 'sharding',
  prepare: async (store, space) => {
    const users = sharding(store, 'users', { prefix: space });
    // A new copy of the shard map is needed for each call.
    await users.create(['memory:'], { lease: 20 });
    await users.store.set('a', 1);
    return {
      calls: {
        'a command': () => users.store.get('a'),
        use: () => users.use('a', () => 1),
        gather: () => users.gather(async () => 1),
        status: () => users.status(),
        create: () => users.create(['memory:']),
        reshard: () => users.reshard({ add: ['memory:'] }),
      },
      works: () => users.status(),
    };
  },
};

/** One row per component. */
export const PARTICIPANTS: readonly Participant[] = [
  store,
  lock,
  semaphore,
  limiter,
  tasks,
  messages,
  shipping,
  list,
  structures,
  division,
  counting,
  figures,
  logging,
  lookup,
  settings,
  completion,
  ...WEB_PARTICIPANTS,
  ...SOCIAL_PARTICIPANTS,
  ...MATCHING_PARTICIPANTS,
  supply,
  trade,
  reading,
  pool,
  durability,
];
