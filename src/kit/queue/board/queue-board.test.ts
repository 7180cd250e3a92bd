import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type QueueTools, withQueue } from '../../../../tests/support/kit-queue.js';
import type { Board, Section } from '../../foundation/index.js';
import { boards } from '../board.js';
import { defineTask, flow } from '../index.js';

const job = defineTask<{ n: number }, number>('job', undefined, { attempts: 2 });

function withBoard(body: (tools: QueueTools & { readonly board: Board }) => Promise<void>): Promise<void> {
  return withQueue(
    async (tools) => {
      const board = boards[0]?.open(tools.store, { prefix: 'queue', name: 'mail', parts: [] });
      assert.ok(board !== undefined);
      await body({ ...tools, board });
    },
    { keepMetrics: 60 },
  );
}

async function ids(board: Board, table: string): Promise<string[]> {
  return (await board.rows(table, { limit: 100 })).rows.map(({ id }) => id);
}

async function figure(board: Board, label: string): Promise<unknown> {
  return (await board.view()).figures.find((one) => one.label === label)?.value;
}

const act = (board: Board, action: string, id?: string, inputs: Record<string, string> = {}) =>
  board.act?.(action, id === undefined ? { inputs } : { id, inputs });

function sectionOf<Kind extends Section['kind']>(
  sections: readonly Section[],
  kind: Kind,
  title: string,
): Extract<Section, { kind: Kind }> {
  const found = sections.find((one) => one.kind === kind && one.title === title);
  assert.ok(found !== undefined, `there is a section ${title}`);
  return found as Extract<Section, { kind: Kind }>;
}

describe('The board of a queue', () => {
  it('shows a task with its data, progress, attempts, error and log', () =>
    withBoard(async ({ mail, clock, board }) => {
      const { id } = await mail.add(job, { n: 1 }, { id: 'own' });
      await using _worker = mail.work(
        job.handle(async (_, task) => {
          await task.progress({ percent: 50 });
          await task.log('first line');
          throw new Error('no luck');
        }),
      );
      await clock.run(10);
      const [row] = (await board.rows('dead', { limit: 10 })).rows;
      assert.equal(row?.id, 'own');
      assert.deepEqual(row.actions, ['retry', 'update', 'duplicate', 'remove']);
      const detail = await board.detail?.('dead', id);
      assert.ok(detail !== undefined);
      assert.ok(detail.figures.some(({ label, value }) => label === 'Failed attempts' && value === '2 of 2'));
      assert.deepEqual(JSON.parse(sectionOf(detail.sections, 'json', 'Data').text), { n: 1 });
      assert.match(sectionOf(detail.sections, 'lines', 'Last error').lines[0] ?? '', /no luck/);
      assert.deepEqual(sectionOf(detail.sections, 'lines', 'Log').lines, ['first line', 'first line']);
      assert.deepEqual((await board.rows('waiting', { limit: 10, search: 'own' })).rows[0]?.id, 'own');
      assert.equal(await board.detail?.('dead', 'no such task'), undefined);
    }));

  it('draws a flow, from any of its tasks', () =>
    withBoard(async ({ mail, board }) => {
      const child = flow(job, { n: 2 });
      const { children } = await mail.addFlow(
        flow(job, { n: 1 }, { left: child, right: flow(job, { n: 3 }) }),
      );
      const detail = await board.detail?.('waiting', children[0]?.id ?? '');
      const { graph } = sectionOf(detail?.sections ?? [], 'graph', 'Flow');
      assert.deepEqual(graph.nodes.map(({ state }) => state).sort(), ['blocked', 'waiting', 'waiting']);
      assert.deepEqual(graph.edges.map(({ label }) => label).sort(), ['left', 'right']);
    }));

  it('has charts of rates and times, by minute', () =>
    withBoard(async ({ mail, clock, store, board }) => {
      await mail.addAll(job, [[{ n: 1 }], [{ n: 2 }]]);
      await clock.run(500);
      await using _worker = mail.work(
        job.handle(async ({ n }) => {
          await store.time.sleep(20);
          return n;
        }),
        { concurrency: 2 },
      );
      await clock.run(100);
      const [rates, times] = (await board.view()).charts;
      assert.equal(rates?.series[0]?.values.at(-1), 2);
      assert.deepEqual(
        times?.series.map(({ values }) => values.at(-1)),
        [500, 20],
      );
    }));

  it('pauses, adds, changes, retries, promotes, removes and cleans', () =>
    withBoard(async ({ mail, clock, board }) => {
      await act(board, 'pause');
      assert.equal(await figure(board, 'State'), 'paused');
      const added = await act(board, 'add', undefined, {
        kind: 'job',
        data: '{"n":7}',
        options: '{"delay":1000}',
      });
      assert.match(added?.message ?? '', /is added/);
      const [id = ''] = await ids(board, 'delayed');
      await act(board, 'update', id, { data: '{"n":8}' });
      assert.deepEqual((await mail.get(id))?.data, { n: 8 });
      await act(board, 'promote', id);
      await act(board, 'duplicate', id);
      assert.equal((await ids(board, 'waiting')).length, 2);
      await act(board, 'remove', id);
      await act(board, 'resume');
      await using _worker = mail.work(
        job.handle(() => {
          throw new Error('no luck');
        }),
      );
      await clock.run(10);
      assert.equal(await figure(board, 'Dead'), 1);
      await act(board, 'pause');
      assert.deepEqual(await act(board, 'replay'), {
        message: 'Replayed: 1.',
        count: 1,
        hasMore: false,
      });
      assert.deepEqual(await act(board, 'drain'), { message: 'Removed: 1.', count: 1, hasMore: false });
      assert.equal(await figure(board, 'Waiting'), 0);
    }));

  it('gives a task that has not started another priority and time', () =>
    withBoard(async ({ mail, clock, board }) => {
      const { id } = await mail.add(job, { n: 1 });
      const [row] = (await board.rows('waiting', { limit: 10 })).rows;
      assert.ok(row?.actions?.includes('reorder'));
      const changed = await act(board, 'reorder', id, { priority: '3', delay: '60000' });
      assert.equal(changed?.message, 'The order is changed.');
      const task = await mail.get(id);
      assert.deepEqual([task?.state, task?.priority], ['delayed', 3]);
      assert.equal(task?.at?.getTime(), clock.now() + 60_000);
      await act(board, 'reorder', id, { priority: '', delay: '0' });
      assert.deepEqual((await mail.get(id))?.state, 'waiting');
      await assert.rejects(async () => act(board, 'reorder', id, {}), { code: 'OPTION' });
      const missing = await act(board, 'reorder', 'missing', { priority: '1' });
      assert.equal(missing?.message, 'The task is not waiting or delayed any more.');
    }));

  it('changes the times and data of a schedule, and keeps the options of its tasks', () =>
    withBoard(async ({ mail, clock, board }) => {
      await mail.schedule('nightly', job, { n: 1 }, { cron: '0 3 * * *' }, { attempts: 5, key: 'night' });
      const [row] = (await board.rows('schedules', { limit: 10 })).rows;
      assert.deepEqual(row?.inputs, {
        cron: '0 3 * * *',
        timeZone: '',
        every: '',
        until: '',
        data: '{"n":1}',
      });
      const inputs = {
        ...row.inputs,
        cron: '',
        every: '60000',
        data: '{"n":2}',
        until: '2100-01-01T00:00:00Z',
      };
      const changed = await act(board, 'reschedule', 'nightly', inputs);
      assert.equal(changed?.message, 'The schedule is changed.');
      const [schedule] = await mail.schedules();
      assert.deepEqual(
        [schedule?.cron, schedule?.every, schedule?.until?.getUTCFullYear()],
        [undefined, 60_000, 2100],
      );
      const seen: unknown[] = [];
      await using _worker = mail.work(job.handle(({ n }) => seen.push(n)));
      await clock.run(60_000);
      assert.deepEqual(seen, [2]);
      const [task] = await mail.list('completed');
      assert.deepEqual([task?.attempts, task?.key], [5, 'night']);
      const refusals = [{ cron: 'x' }, { cron: '0 3 * * *', every: '5' }, {}, { every: '5', until: 'soon' }];
      for (const refused of refusals)
        await assert.rejects(async () => act(board, 'reschedule', 'nightly', refused), { code: 'OPTION' });
      assert.match((await act(board, 'reschedule', 'missing', inputs))?.message ?? '', /has ended/);
    }));

  it('lists a schedule that is no JSON, so that it can be ended', () =>
    withBoard(async ({ store, mail, clock, board }) => {
      await store.send('HSET', 'queue:{mail}:schedules', 'broken', 'no JSON', 'odd', '{"until":"x"}');
      await store.send('ZADD', 'queue:{mail}:occurrences', clock.now(), 'broken', clock.now() + 1, 'odd');
      const { rows } = await board.rows('schedules', { limit: 10 });
      assert.deepEqual(
        rows.map(({ id, actions }) => [id, actions]),
        [
          ['broken', ['unschedule']],
          ['odd', ['reschedule', 'unschedule']],
        ],
      );
      await act(board, 'unschedule', 'broken');
      assert.equal((await mail.counts()).schedules, 1);
    }));

  it('does long work in steps', () =>
    withBoard(async ({ mail, board }) => {
      await mail.addAll(
        job,
        Array.from({ length: 1_200 }, (_, n) => [{ n }, { delay: 1_000 }] as const),
      );
      const counts: (number | undefined)[] = [];
      for (let hasMore = true; hasMore; ) {
        const step = await act(board, 'promoteAll');
        counts.push(step?.count);
        hasMore = step?.hasMore === true;
      }
      assert.deepEqual(counts, [500, 500, 200]);
    }));

  it('refuses what it does not understand, and changes nothing', () =>
    withBoard(async ({ mail, board }) => {
      await mail.add(job, { n: 1 });
      const refusals: readonly (readonly [string, Record<string, string>])[] = [
        ['explode', {}],
        ['toString', {}],
        ['add', { kind: 'job', data: '{' }],
        ['add', { kind: '', data: '{}' }],
        ['add', { kind: 'job', data: '{}', options: '{"dealy":1}' }],
        ['limit', { tasks: 'many' }],
        ['clean', { state: 'active' }],
      ];
      for (const [action, inputs] of refusals) {
        await assert.rejects(async () => act(board, action, undefined, inputs), { code: 'OPTION' }, action);
      }
      assert.equal((await mail.counts()).waiting, 1);
    }));

  it('lists events page by page, also those of one large step', () =>
    withBoard(async ({ mail, board }) => {
      for (let step = 0; step < 30; step++) {
        await mail.addAll(
          job,
          Array.from({ length: 7 }, (_, n) => [{ n }] as const),
        );
      }
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await board.rows('events', { limit: 25, ...(cursor === undefined ? {} : { cursor }) });
        assert.ok(page.rows.length <= 25);
        seen.push(...page.rows.map(({ id }) => id));
        cursor = page.next;
      } while (cursor !== undefined);
      assert.equal(seen.length, 210);
      assert.equal(new Set(seen).size, 210);
    }));

  it('lists groups with their limits, page by page', () =>
    withBoard(async ({ mail, board }) => {
      await mail.limitGroups({ tasks: 2 });
      await act(board, 'limitGroups', undefined, { tasks: '5', group: 'b' });
      for (const group of ['a', 'b', 'b', 'c']) await mail.add(job, { n: 1 }, { group });
      const first = await board.rows('groups', { limit: 2 });
      const second = await board.rows('groups', { limit: 2, cursor: first.next ?? '' });
      assert.deepEqual(
        [...first.rows, ...second.rows].map(({ cells }) => cells),
        [
          ['a', 'job', 1, 0, 2],
          ['b', 'job', 2, 0, 5],
          ['c', 'job', 1, 0, 2],
        ],
      );
      assert.equal(second.next, undefined);
    }));
});
