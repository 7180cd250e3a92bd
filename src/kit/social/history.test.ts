/** Random histories, also of processes and workers that die anywhere, against plain tables. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type EmbeddedStore, ManualClock, open } from '../../store/index.js';
import { type NetworkOptions, type SocialNetwork, socialNetwork } from './index.js';

const USERS = ['ann', 'bob', 'cem', 'dan', 'eve'] as const;
const LEASE = 3_000;
const SIZE = 4;
const OPTIONS = { timelineSize: SIZE, passSize: 2, lease: LEASE, onError: () => {} } satisfies NetworkOptions;

/** A store that stops to answer at the given call: before or after the server has run it. As if the process had died. */
function dying(store: EmbeddedStore, call: number, isRun: boolean): EmbeddedStore {
  let calls = 0;
  return intercepted(store, (run) => async (...args) => {
    calls++;
    if (calls > call || (calls === call && !isRun)) throw new Error('the process died');
    const result = await run(...args);
    if (calls >= call) throw new Error('the process died');
    return result;
  });
}

/** A store whose calls take a while, each another one: so they overtake each other. */
function slowed(store: EmbeddedStore, delays: Iterator<number>): EmbeddedStore {
  const pause = async (): Promise<void> => {
    for (let left = delays.next().value as number; left > 0; left--) await new Promise<void>(setImmediate);
  };
  return intercepted(store, (run) => async (...args) => {
    await pause();
    const result = await run(...args);
    await pause();
    return result;
  });
}

type Call = (...args: never[]) => unknown;

/** A store each of whose calls goes through a function. */
function intercepted(store: EmbeddedStore, around: (run: Call) => Call): EmbeddedStore {
  return new Proxy(store, {
    get(target, name): unknown {
      const value: unknown = Reflect.get(target, name, target);
      if (name === 'bytes' || name === 'exact') return intercepted(value as EmbeddedStore, around);
      if (name === 'with') return (view: never) => intercepted(target.with(view), around);
      if (name === 'script') return (definition: never) => around(target.script(definition) as Call);
      if (typeof value !== 'function') return value;
      return String(name).endsWith('scan')
        ? iterated(value.bind(target), around)
        : around(value.bind(target));
    },
  });
}

/** A call that returns an iterator, for example ZSCAN: what is around it happens before the first element. */
function iterated(run: (...args: never[]) => AsyncIterable<unknown>, around: (run: Call) => Call): Call {
  const pass = around(() => {});
  return async function* (...args) {
    await pass();
    yield* run(...args);
  };
}

type Step =
  | { kind: 'follow' | 'unfollow' | 'block' | 'unblock'; user: number; other: number }
  | { kind: 'post' | 'createList' | 'refill'; user: number }
  | { kind: 'delete' | 'deleteList'; pick: number }
  | { kind: 'addToList' | 'removeFromList' | 'like' | 'unlike'; pick: number; user: number };

interface Planned {
  readonly step: Step;
  /** The call at which the process dies; 0: it does not. */
  readonly diesAt: number;
  readonly isRun: boolean;
  /** Turns of the event loop before it begins, if others run at the same time. */
  readonly begin: number;
}

const user = fc.nat(USERS.length - 1);
const pick = fc.nat(50);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('follow'), user, other: user }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom('post'), user }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('unfollow', 'unblock'), user, other: user }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('block'), user, other: user }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('createList', 'refill'), user }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('delete'), pick }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('deleteList'), pick }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('addToList', 'removeFromList', 'like', 'unlike'),
      pick,
      user,
    }),
  },
);
const planned = (isMortal: boolean): fc.Arbitrary<Planned> =>
  fc.record({
    step,
    diesAt: isMortal ? fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 14 })) : fc.constant(0),
    isRun: fc.boolean(),
    begin: fc.nat(100),
  });

/** What decides, in plain tables. */
class Model {
  readonly sources = new Map<string, Set<string>>(USERS.map((name) => [name, new Set()]));
  readonly blocked = new Map<string, Set<string>>(USERS.map((name) => [name, new Set()]));
  readonly posts = new Map<string, Set<string>>(USERS.map((name) => [name, new Set()]));
  readonly likes = new Map<string, Set<string>>();

  isBlocked(one: string, other: string): boolean {
    return this.blocked.get(one)?.has(other) === true || this.blocked.get(other)?.has(one) === true;
  }

  of(table: Map<string, Set<string>>, name: string): Set<string> {
    const found = table.get(name) ?? new Set();
    table.set(name, found);
    return found;
  }

  /** Statuses of a feed, newest first. */
  ideal(feed: string): string[] {
    const all = [...this.of(this.sources, feed)].flatMap((author) => [...this.of(this.posts, author)]);
    const numberOf = (id: string): number => Number(id.slice(id.indexOf('/') + 1));
    return all.sort((one, other) => numberOf(other) - numberOf(one) || (one < other ? 1 : -1));
  }
}

class World implements AsyncDisposable {
  readonly clock = new ManualClock(1_700_000_000_000);
  readonly model = new Model();
  readonly statuses: string[] = [];
  readonly lists: string[] = [];
  store!: EmbeddedStore;
  network!: SocialNetwork;

  static async create(): Promise<World> {
    const world = new World();
    world.store = await open('memory:', { clock: world.clock });
    world.network = socialNetwork(world.store, OPTIONS);
    for (const name of USERS) await world.network.signUp(name);
    return world;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store.close();
  }

  /** Runs a step; returns what it returned, and what the tables say that it should. */
  async take(network: SocialNetwork, step: Step): Promise<[unknown, unknown]> {
    const { model } = this;
    const nameOf = (index: number): string => USERS[index] as string;
    switch (step.kind) {
      case 'follow':
      case 'addToList': {
        const isHome = step.kind === 'follow';
        const feed = 'pick' in step ? this.lists[step.pick % this.lists.length] : nameOf(step.user);
        const other = nameOf('pick' in step ? step.user : step.other);
        if (feed === undefined || feed === other) return [0, 0];
        const owner = feed.split('/')[0] as string;
        const sources = model.of(model.sources, feed);
        const isBlocked = model.isBlocked(owner, other);
        const expected = isBlocked ? 'blocked' : sources.has(other) ? 'already' : 'followed';
        if (!isBlocked) sources.add(other);
        return [await (isHome ? network.follow(feed, other) : network.addToList(feed, other)), expected];
      }
      case 'unfollow':
      case 'removeFromList': {
        const isHome = step.kind === 'unfollow';
        const feed = 'pick' in step ? this.lists[step.pick % this.lists.length] : nameOf(step.user);
        const other = nameOf('pick' in step ? step.user : step.other);
        if (feed === undefined) return [0, 0];
        const expected = model.of(model.sources, feed).delete(other);
        return [
          await (isHome ? network.unfollow(feed, other) : network.removeFromList(feed, other)),
          expected,
        ];
      }
      case 'block': {
        const [name, other] = [nameOf(step.user), nameOf(step.other)];
        if (name === other) return [0, 0];
        const expected = !model.of(model.blocked, name).has(other);
        model.of(model.blocked, name).add(other);
        for (const [feed, sources] of model.sources) {
          const owner = feed.split('/')[0];
          if (owner === name) sources.delete(other);
          if (owner === other) sources.delete(name);
        }
        return [await network.block(name, other), expected];
      }
      case 'unblock': {
        const [name, other] = [nameOf(step.user), nameOf(step.other)];
        const expected = model.of(model.blocked, name).delete(other);
        return [await network.unblock(name, other), expected];
      }
      case 'post': {
        const { id } = await network.post(nameOf(step.user), 'text');
        this.statuses.push(id);
        model.of(model.posts, nameOf(step.user)).add(id);
        return [0, 0];
      }
      case 'delete': {
        const id = this.statuses[step.pick % this.statuses.length];
        if (id === undefined) return [0, 0];
        const author = id.split('/')[0] as string;
        const expected = model.of(model.posts, author).delete(id);
        model.likes.delete(id);
        return [await network.deleteStatus(author, id), expected];
      }
      case 'createList': {
        const id = await network.createList(nameOf(step.user), 'list');
        this.lists.push(id);
        model.of(model.sources, id);
        return [0, 0];
      }
      case 'deleteList': {
        const [id] = this.lists.splice(step.pick % Math.max(1, this.lists.length), 1);
        if (id === undefined) return [0, 0];
        model.sources.delete(id);
        return [await network.deleteList(id), true];
      }
      case 'refill':
        return [await network.refill(nameOf(step.user)), undefined];
      case 'like':
      case 'unlike': {
        const id = this.statuses[step.pick % this.statuses.length];
        const name = nameOf(step.user);
        const author = id?.split('/')[0] as string;
        if (id === undefined) return [0, 0];
        const likes = model.of(model.likes, id);
        if (step.kind === 'unlike') return [await network.unlike(name, id), likes.delete(name)];
        const isThere = model.of(model.posts, author).has(id);
        const code = !isThere
          ? 'UNKNOWN_STATUS'
          : model.of(model.blocked, author).has(name)
            ? 'BLOCKED'
            : undefined;
        const expected = code ?? !likes.has(name);
        if (code === undefined) likes.add(name);
        else if (!isThere) model.likes.delete(id);
        return [await network.like(name, id).catch((error: { code: string }) => error.code), expected];
      }
    }
  }

  /** The tables as the store has them: after a process has died, its progress is not known otherwise. */
  async adopt(): Promise<void> {
    const { model, store } = this;
    const fill = async (
      table: Map<string, Set<string>>,
      name: string,
      key: string,
      head = '',
    ): Promise<void> => {
      const found = (await store.send('ZRANGE', key, 0, -1)) as string[];
      table.set(name, new Set(found.map((member) => head + member)));
    };
    this.lists.length = 0;
    model.sources.clear();
    model.likes.clear();
    for (const name of USERS) {
      const head = `social:{${name}}:`;
      await fill(model.sources, name, `${head}following`);
      await fill(model.blocked, name, `${head}blocked`);
      await fill(model.posts, name, `${head}posts`, `${name}/`);
      for (const { id } of await this.network.lists(name)) {
        this.lists.push(id);
        await fill(model.sources, id, `${head}members:${id.split('list-')[1]}`);
      }
      for (const id of model.of(model.posts, name)) {
        if (!this.statuses.includes(id)) this.statuses.push(id);
        await fill(model.likes, id, `${head}likes:${id.split('/')[1]}`);
      }
    }
  }

  /** Lets workers finish what is in the queue. `killed` are the calls at which the first ones die. */
  async drain(killed: readonly Planned[] = []): Promise<void> {
    const quiet = { onError: () => {} };
    for (const { diesAt, isRun } of killed) {
      const worker = socialNetwork(dying(this.store, diesAt + 3, isRun), OPTIONS).work(quiet);
      await this.clock.run(LEASE + 1);
      const stopping = worker.stop({ within: 1 });
      await this.clock.run(2 * LEASE);
      await stopping;
    }
    const worker = this.network.work(quiet);
    for (let round = 0; ; round++) {
      await this.clock.run(LEASE + 1);
      const { waiting, active, delayed, dead } = await this.network.queue.counts();
      assert.equal(dead, 0, 'no task is dead');
      if (waiting + active + delayed === 0) break;
      assert.ok(round < 200, `the queue does not become empty: ${waiting} ${active} ${delayed}`);
    }
    const stopping = worker.stop();
    await this.clock.run(10);
    await stopping;
  }

  /** Everything that follows from the tables that decide. */
  async check(): Promise<void> {
    const { model, network, store } = this;
    const members = async (key: string): Promise<string[]> =>
      ((await store.send('ZRANGE', key, 0, -1)) as string[]).sort();
    const feeds = [...model.sources.keys()];
    for (const name of USERS) {
      const [head, about] = [`social:{${name}}:`, await network.user(name)];
      const followersOf = (isList: boolean): string[] =>
        feeds
          .filter((feed) => feed.includes('/') === isList && model.of(model.sources, feed).has(name))
          .sort();
      assert.deepEqual(await members(`${head}followers`), followersOf(false), `followers of ${name}`);
      assert.deepEqual(await members(`${head}listed`), followersOf(true), `lists of ${name}`);
      assert.deepEqual(await members(`${head}following`), [...model.of(model.sources, name)].sort());
      assert.deepEqual(
        (await network.blocked(name)).users.toSorted(),
        [...model.of(model.blocked, name)].sort(),
      );
      const profile = await network.profile(name, { count: 1_000 });
      assert.deepEqual(profile.statuses.map(({ id }) => id).sort(), [...model.of(model.posts, name)].sort());
      for (const { id, likes } of profile.statuses) assert.equal(likes, model.of(model.likes, id).size, id);
      assert.deepEqual(
        [about?.followers, about?.following, about?.posts],
        [followersOf(false).length, model.of(model.sources, name).size, model.of(model.posts, name).size],
      );
      assert.equal(await store.send('EXISTS', `${head}pending`), 0, 'no call is unfinished');
    }
    for (const feed of feeds) {
      const [owner, list] = feed.split('/list-') as [string, string?];
      const head = `social:{${owner}}:`;
      const part = list === undefined ? '' : `:${list}`;
      const timeline = (await store.send(
        'ZRANGE',
        `${head}${list === undefined ? 'home' : 'statuses'}${part}`,
        0,
        -1,
        'REV',
      )) as string[];
      const ideal = model.ideal(feed);
      assert.deepEqual(
        timeline,
        ideal.slice(0, timeline.length),
        `the timeline of ${feed} is the newest part`,
      );
      assert.ok(timeline.length <= SIZE, `${feed} is not too long`);
      const isComplete = timeline.length === Math.min(ideal.length, SIZE);
      assert.ok(
        isComplete || timeline.length >= 0.75 * SIZE,
        `${feed}: ${timeline.length} of ${ideal.length}`,
      );
    }
    const left = ((await store.send('KEYS', 'social:*')) as string[]).filter((key) =>
      /members:|statuses:|floor:/.test(key),
    );
    for (const key of left) {
      assert.ok(
        this.lists.some((id) => key.endsWith(`:${id.split('list-')[1]}`)),
        `${key} is of no list`,
      );
    }
  }
}

const RUNS = Number(process.env['SORREL_RUNS'] ?? 1);

describe('A social network', () => {
  it('is what plain tables are, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(planned(false), { minLength: 20, maxLength: 60, size: 'max' }),
        async (plan) => {
          await using world = await World.create();
          for (const [index, { step }] of plan.entries()) {
            const [found, expected] = await world.take(world.network, step);
            assert.deepEqual(found, expected, `step ${index}: ${JSON.stringify(step)}`);
            if (index % 7 === 0) world.clock.advance(1);
          }
          await world.drain();
          await world.check();
        },
      ),
      { numRuns: 6 * RUNS },
    );
  });

  it('comes to agree with itself, wherever processes and workers die', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(planned(true), { minLength: 15, maxLength: 40, size: 'max' }),
        fc.array(planned(true), { maxLength: 3 }),
        async (plan, killed) => {
          await using world = await World.create();
          for (const { step, diesAt, isRun } of plan) {
            const network =
              diesAt === 0 ? world.network : socialNetwork(dying(world.store, diesAt, isRun), OPTIONS);
            await world.take(network, step).catch((error: unknown) => {
              assert.match(String(error), /the process died|UNKNOWN/);
            });
            await world.adopt();
          }
          await world.drain(killed);
          // A worker may have finished a block, which ends relations.
          await world.adopt();
          await world.check();
          for (const [name, others] of world.model.blocked) {
            for (const [feed, sources] of world.model.sources) {
              const owner = feed.split('/')[0] as string;
              if (owner === name) for (const other of others) assert.ok(!sources.has(other));
              if (others.has(owner)) assert.ok(!sources.has(name), `${name} has blocked ${owner}`);
            }
          }
        },
      ),
      { numRuns: 6 * RUNS },
    );
  });

  it('forgets all members of a list, wherever the process that deletes it dies', async () => {
    for (let diesAt = 1; diesAt <= 16; diesAt++) {
      for (const isRun of [false, true]) {
        await using world = await World.create();
        const list = await world.network.createList('ann', 'friends');
        for (const name of ['bob', 'cem', 'dan']) await world.network.addToList(list, name);
        const mortal = socialNetwork(dying(world.store, diesAt, isRun), OPTIONS);
        await mortal.deleteList(list).catch((error: unknown) => {
          assert.match(String(error), /the process died/);
        });
        await world.drain();
        await world.adopt();
        await world.check();
      }
    }
  });

  it('comes to agree with itself when many processes change it at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(planned(true), { minLength: 4, maxLength: 16, size: 'max' }), {
          minLength: 2,
          maxLength: 5,
          size: 'max',
        }),
        fc.infiniteStream(fc.nat(12)),
        async (rounds, delays) => {
          await using world = await World.create();
          const slow = slowed(world.store, delays);
          const worker = socialNetwork(slow, OPTIONS).work({ onError: () => {}, concurrency: 8 });
          for (const plan of rounds) {
            await Promise.all(
              plan.map(async ({ step, diesAt, isRun, begin }) => {
                for (let left = begin; left > 0; left--) await new Promise<void>(setImmediate);
                const store = diesAt === 0 ? slow : dying(slow, diesAt, isRun);
                return world.take(socialNetwork(store, OPTIONS), step).catch(() => {});
              }),
            );
            await world.adopt();
          }
          const stopping = worker.stop();
          await world.clock.run(10);
          await stopping;
          await world.drain();
          await world.adopt();
          await world.check();
        },
      ),
      { numRuns: 6 * RUNS },
    );
  });
});
