import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type EmbeddedStore, ManualClock, open } from '../../store/index.js';
import { type NewArticle, type Ranking, type RankingOptions, ranking } from './index.js';

const NOW = 1_700_000_000_000;
const WEEK = 7 * 86_400_000;

interface Bench extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly store: EmbeddedStore;
  readonly news: Ranking;
}

async function bench(options: RankingOptions = {}): Promise<Bench> {
  const clock = new ManualClock(NOW);
  const store = await open('memory:', { clock });
  return { clock, store, news: ranking(store, 'news', options), [Symbol.asyncDispose]: () => store.close() };
}

function article(author = 'ann', groups: string[] = []): NewArticle {
  return { author, title: `by ${author}`, link: 'https://a.example', groups };
}

const idsOf = (articles: readonly { id: string }[]): string[] => articles.map(({ id }) => id);

describe('An article', () => {
  it('begins with the vote of its author, and the score of its time', async () => {
    await using on = await bench();
    assert.equal(await on.news.post(article('ann', ['b', 'a'])), '1');
    assert.deepEqual(await on.news.get('1'), {
      id: '1',
      author: 'ann',
      title: 'by ann',
      link: 'https://a.example',
      postedAt: new Date(NOW),
      up: 1,
      down: 0,
      score: NOW / 1_000 + 432,
      groups: ['b', 'a'],
    });
    assert.equal(await on.news.vote('1', 'ann'), 'repeated');
    assert.equal(await on.news.get('2'), undefined);
  });

  it('has the id that is given, once', async () => {
    await using on = await bench();
    assert.equal(await on.news.post({ ...article(), id: '1' }), '1');
    await assert.rejects(on.news.post({ ...article('bob'), id: '1' }), { code: 'EXISTS' });
    assert.equal(await on.news.post(article()), '2', 'numbers that are taken are left out');
    assert.equal((await on.news.get('1'))?.author, 'ann');
  });

  it('tells unknown, repeated, changed and late votes apart', async () => {
    await using on = await bench();
    const id = await on.news.post(article());
    const score = async (): Promise<number> => ((await on.news.get(id))?.score ?? 0) - NOW / 1_000;
    assert.equal(await on.news.vote('none', 'bob'), 'unknown');
    assert.equal(await on.news.vote(id, 'bob'), 'counted');
    assert.equal(await score(), 864);
    assert.equal(await on.news.vote(id, 'bob', 'up'), 'repeated');
    assert.equal(await score(), 864);
    assert.equal(await on.news.vote(id, 'bob', 'down'), 'changed');
    assert.equal(await score(), 0);
    assert.equal(await on.news.vote(id, 'cat', 'down'), 'counted');
    assert.equal(await score(), -432);
    const { up, down } = (await on.news.get(id)) as { up: number; down: number };
    assert.deepEqual([up, down], [1, 2]);
    on.clock.advance(WEEK - 1);
    assert.equal(await on.news.vote(id, 'dan'), 'counted');
    on.clock.advance(1);
    assert.equal(await on.news.vote(id, 'eve'), 'late');
    assert.equal(await on.news.vote(id, 'bob'), 'late', 'also for those who had voted');
    on.clock.advance(1);
    assert.equal(
      await on.store.send('EXISTS', 'ranking:{news}:votes:1'),
      0,
      'the votes are not kept forever',
    );
  });

  it('counts two votes of a user at once as one', async () => {
    await using on = await bench();
    const id = await on.news.post(article());
    const outcomes = await Promise.all([1, 2, 3].map(() => on.news.vote(id, 'bob')));
    assert.deepEqual(outcomes.sort(), ['counted', 'repeated', 'repeated']);
    assert.equal((await on.news.get(id))?.up, 2);
  });

  it('is gone with its votes when it is removed', async () => {
    await using on = await bench();
    const id = await on.news.post(article('ann', ['code']));
    await on.news.page({ group: 'code' });
    assert.equal(await on.news.remove(id), true);
    assert.equal(await on.news.remove(id), false);
    assert.deepEqual(await on.news.page({ group: 'code' }), []);
    assert.deepEqual(await on.store.send('KEYS', '*'), ['ranking:{news}:last']);
  });
});

describe('A page', () => {
  it('has 25 articles, by score unless it is said otherwise', async () => {
    await using on = await bench();
    for (let i = 0; i < 30; i++) {
      await on.news.post(article());
      on.clock.advance(1_000);
    }
    await on.news.vote('3', 'bob');
    assert.equal((await on.news.page()).length, 25);
    assert.deepEqual(idsOf(await on.news.page()).slice(0, 3), ['3', '30', '29']);
    assert.deepEqual(idsOf(await on.news.page({ order: 'time' })).slice(0, 3), ['30', '29', '28']);
    assert.deepEqual(idsOf(await on.news.page({ page: 2 })), ['6', '5', '4', '2', '1']);
    assert.deepEqual(await on.news.page({ page: 3 }), []);
    await assert.rejects(on.news.page({ order: 'socre' } as object), {
      code: 'OPTION',
      message: /`order` must be one of score, time, not 'socre'/,
    });
  });

  it('of a group is kept for a minute, and has the articles of that group', async () => {
    await using on = await bench();
    for (let i = 0; i < 4; i++) {
      await on.news.post(article('ann', i % 2 === 0 ? ['even'] : ['odd']));
      on.clock.advance(1_000);
    }
    assert.deepEqual(idsOf(await on.news.page({ group: 'even' })), ['3', '1']);
    await on.news.vote('1', 'bob');
    assert.deepEqual(idsOf(await on.news.page({ group: 'even' })), ['3', '1'], 'still the old order');
    on.clock.advance(60_001);
    assert.deepEqual(idsOf(await on.news.page({ group: 'even' })), ['1', '3']);
    assert.deepEqual(idsOf(await on.news.page({ group: 'odd', order: 'time' })), ['4', '2']);
    assert.deepEqual(await on.news.page({ group: 'unknown' }), []);
    await on.news.regroup('2', { add: ['even'], remove: ['odd'] });
    assert.deepEqual(
      idsOf(await on.news.page({ group: 'even' })),
      ['1', '3', '2'],
      'changed groups are not old',
    );
    assert.deepEqual((await on.news.get('2'))?.groups, ['even']);
    assert.equal(await on.news.regroup('9', { add: ['even'] }), false);
  });

  it('of a group keeps the order of scores below one', async () => {
    await using on = await bench({ points: 1e9 });
    for (let i = 0; i < 3; i++) await on.news.post(article('ann', ['all']));
    for (const [id, votes] of [
      ['1', 5],
      ['2', 9],
      ['3', 7],
    ] as const) {
      for (let i = 0; i < votes; i++) await on.news.vote(id, `user ${i}`, 'down');
    }
    assert.deepEqual(idsOf(await on.news.page({ group: 'all' })), ['1', '3', '2']);
  });
});

describe('A ranking and a plain list of articles', () => {
  const id = fc.integer({ min: 1, max: 6 }).map(String);
  const group = fc.constantFrom('x', 'y');
  const step = fc.oneof(
    fc.record({ kind: fc.constant('post' as const), user: fc.nat(3), groups: fc.uniqueArray(group) }),
    fc.record({ kind: fc.constant('vote' as const), id, user: fc.nat(3), isUp: fc.boolean() }),
    fc.record({ kind: fc.constant('regroup' as const), id, group, isAdded: fc.boolean() }),
    fc.record({ kind: fc.constant('remove' as const), id }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(400_000) }),
  );

  it('are the same after any history', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        await using on = await bench({ window: 1_000_000, groupCache: 1 });
        interface Plain {
          readonly id: string;
          readonly posted: number;
          readonly votes: Map<string, number>;
          groups: Set<string>;
        }
        let list: Plain[] = [];
        let posts = 0;
        for (const step of steps) {
          on.clock.advance(2);
          const now = on.clock.now();
          const known = 'id' in step ? list.find((one) => one.id === step.id) : undefined;
          if (step.kind === 'post') {
            const user = `user ${step.user}`;
            posts++;
            assert.equal(await on.news.post(article(user, step.groups)), `${posts}`);
            const votes = new Map([[user, 1]]);
            list.push({ id: `${posts}`, posted: now, votes, groups: new Set(step.groups) });
          } else if (step.kind === 'vote') {
            const [user, choice] = [`user ${step.user}`, step.isUp ? 1 : -1];
            const before = known?.votes.get(user);
            const expected =
              known === undefined
                ? 'unknown'
                : now >= known.posted + 1_000_000
                  ? 'late'
                  : before === undefined
                    ? 'counted'
                    : before === choice
                      ? 'repeated'
                      : 'changed';
            assert.equal(await on.news.vote(step.id, user, step.isUp ? 'up' : 'down'), expected);
            if (expected !== 'late') known?.votes.set(user, choice);
          } else if (step.kind === 'regroup') {
            const change = step.isAdded ? { add: [step.group] } : { remove: [step.group] };
            assert.equal(await on.news.regroup(step.id, change), known !== undefined);
            if (step.isAdded) known?.groups.add(step.group);
            else known?.groups.delete(step.group);
          } else if (step.kind === 'remove') {
            assert.equal(await on.news.remove(step.id), known !== undefined);
            list = list.filter((one) => one !== known);
          } else on.clock.advance(step.ms);
        }
        on.clock.advance(2);
        const score = ({ posted, votes }: Plain): number =>
          posted / 1_000 + 432 * [...votes.values()].reduce((sum, vote) => sum + vote, 0);
        for (const wanted of [undefined, 'x', 'y']) {
          const own = list.filter(({ groups }) => wanted === undefined || groups.has(wanted));
          const given = wanted === undefined ? {} : { group: wanted };
          const byScore = await on.news.page(given);
          assert.deepEqual(
            byScore.map((one) => one.score),
            own.map(score).sort((a, b) => b - a),
          );
          const byTime = await on.news.page({ ...given, order: 'time' });
          assert.deepEqual(idsOf(byTime), idsOf(own.sort((a, b) => b.posted - a.posted)));
          for (const one of byTime) {
            const known = own.find(({ id }) => id === one.id) as Plain;
            const votes = [...known.votes.values()];
            assert.deepEqual(
              [one.up, one.down],
              [votes.filter((v) => v > 0).length, votes.filter((v) => v < 0).length],
            );
            assert.deepEqual([...one.groups].sort(), [...known.groups].sort());
          }
        }
      }),
      { numRuns: Number(process.env['SORREL_RUNS'] ?? 1) * 40 },
    );
  });
});
