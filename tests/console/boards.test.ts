import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { console as serveConsole } from '../../src/console/index.js';
import { locks } from '../../src/kit/locks/index.js';
import { defineTask, flow, queue } from '../../src/kit/queue/index.js';
import { open } from '../../src/store/index.js';
import { TestBrowser, whenChromiumIsInstalled } from './support/browser.js';

const email = defineTask<{ to: string }, string>('email', undefined, { attempts: 1 });

describe('Boards in a browser', whenChromiumIsInstalled, () => {
  let browser: TestBrowser;
  before(async () => {
    browser = await TestBrowser.start();
  });
  after(() => browser[Symbol.asyncDispose]());

  it('a queue: found, looked into, paused, a dead task replayed, a flow drawn', async () => {
    await using store = await open();
    const mail = queue(store, 'mail', { keepMetrics: 60 });
    const hostile = '<img src=x onerror=alert(1)>';
    await mail.add(email, { to: hostile }, { delay: 3_600_000, id: 'later' });
    await mail.addFlow(flow(defineTask('page'), {}, { picture: flow(defineTask('resize'), {}) }));
    const dead = await mail.add(email, { to: 'unknown' });
    {
      await using _worker = mail.work(
        email.handle(async (_, task) => {
          await task.log('looking for the mailbox');
          throw new Error('no such mailbox');
        }),
      );
      await assert.rejects(dead.result());
    }
    await using served = await serveConsole(store);
    await using visit = await browser.open(served.address);
    const { page } = visit;
    await visit.choose('Components');
    await page.getByRole('link', { name: /Queues/ }).click();
    await page.getByRole('link', { name: 'mail', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'mail' }).waitFor();

    await page.getByRole('link', { name: /^Dead/ }).click();
    await page.getByRole('link', { name: dead.id }).click();
    await page.getByText('looking for the mailbox').waitFor();
    await page.getByText('no such mailbox').first().waitFor();
    assert.deepEqual(await visit.accessibilityProblems(), []);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByText('The queue is paused.').waitFor();
    await page.getByRole('button', { name: 'Replay all dead' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay all dead' }).click();
    await page.getByText('Replayed: 1.').waitFor();
    assert.equal((await mail.counts()).dead, 0);

    await page.getByRole('link', { name: /^Delayed/ }).click();
    await page.getByRole('link', { name: 'later' }).click();
    await page.getByText(hostile, { exact: false }).first().waitFor();
    assert.equal(await page.locator('main img').count(), 0, 'values are never HTML');
    await page.getByRole('button', { name: 'Change the data' }).click();
    await page.getByRole('textbox', { name: 'Data' }).fill('{"to":"ann"}');
    await page.getByRole('dialog').getByRole('button', { name: 'Change the data' }).click();
    await page.getByText('The data is changed.').waitFor();
    assert.deepEqual((await mail.get('later'))?.data, { to: 'ann' });

    await page.getByRole('link', { name: /^Blocked/ }).click();
    await page.getByRole('link', { name: /^\d{16}$/ }).click();
    await page.locator('.graph').getByText('resize').waitFor();
    assert.deepEqual(await visit.accessibilityProblems(), []);
    assert.deepEqual(visit.errors, []);
  });

  it('a board is shown although the answers take longer than the time between two of them', async () => {
    await using store = await open();
    await queue(store, 'mail').add(email, { to: 'ann' });
    await using served = await serveConsole(store);
    await using visit = await browser.open(served.address);
    const { page } = visit;
    await page.route('**/api/boards/view*', async (route) => {
      await sleep(2_500);
      await route.continue();
    });
    await page.evaluate("location.hash = '#/kit/queue?prefix=queue&name=mail&table=waiting'");
    await page.getByRole('cell', { name: 'email' }).waitFor({ timeout: 8_000 });
    assert.deepEqual(visit.errors, []);
  });

  it('a waiting task gets another priority, and a schedule other times', async () => {
    await using store = await open();
    const mail = queue(store, 'mail');
    const { id } = await mail.add(email, { to: 'ann' });
    await mail.schedule('nightly', email, { to: 'bob' }, { cron: '0 3 * * *' });
    await using served = await serveConsole(store);
    await using visit = await browser.open(served.address);
    const { page } = visit;
    const dialog = page.getByRole('dialog');
    await page.evaluate("location.hash = '#/kit/queue?prefix=queue&name=mail&table=waiting'");
    await page.getByRole('button', { name: 'Reorder' }).click();
    await dialog.getByLabel('Priority').fill('7');
    assert.deepEqual(await visit.accessibilityProblems(), []);
    await dialog.getByRole('button', { name: 'Reorder' }).click();
    await page.getByText('The order is changed.').waitFor();
    assert.equal((await mail.get(id))?.priority, 7);

    await page.getByRole('link', { name: /^Schedules/ }).click();
    await page.getByRole('button', { name: 'Change the schedule' }).click();
    assert.equal(await dialog.getByLabel('Cron expression').inputValue(), '0 3 * * *');
    assert.equal(await dialog.getByLabel('Data').inputValue(), '{"to":"bob"}');
    await dialog.getByLabel('Cron expression').fill('30 4 * * *');
    await dialog.getByLabel('Data').fill('{"to":"cem"}');
    await dialog.getByRole('button', { name: 'Change the schedule' }).click();
    await page.getByText('The schedule is changed.').waitFor();
    await page.getByRole('cell', { name: '30 4 * * * (UTC)' }).waitFor();
    assert.equal((await mail.schedules())[0]?.cron, '30 4 * * *');
    assert.deepEqual(visit.errors, []);
  });

  it('an experiment: parameters are moved, it runs, and its curves are drawn', async () => {
    await using store = await open();
    await using served = await serveConsole(store);
    await using visit = await browser.open(served.address);
    const { page } = visit;
    await visit.choose('Labs');
    await page.getByLabel('Clients').fill('1,2');
    await page.getByLabel('Seconds for each').fill('0.02');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('The experiment is done.').waitFor();
    assert.equal(await page.locator('.curve').count(), 5);
    await page.getByRole('cell', { name: 'published, script' }).waitFor();
    assert.deepEqual(await visit.accessibilityProblems(), []);
    await page.getByLabel('Clients').fill('no number');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText(/clients must be up to 20 whole numbers/).waitFor();
    assert.equal(await store.send('DBSIZE'), 0);
  });

  it('a read-only console shows everything and offers no action', async () => {
    await using store = await open();
    await using _lock = await locks(store).acquire('stock');
    await using served = await serveConsole(store, { readOnly: true });
    await using visit = await browser.open(served.address);
    const { page } = visit;
    await visit.choose('Components');
    await page.getByRole('link', { name: /Locks/ }).click();
    await page.getByRole('link', { name: 'stock' }).click();
    await page.getByRole('cell', { name: 'exclusive' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Take it away' }).count(), 0);
  });
});

describe('The API of boards', () => {
  async function withApi(
    options: { readonly readOnly?: boolean },
    work: (call: (path: string, body?: object) => Promise<{ status: number; body: never }>) => Promise<void>,
  ): Promise<void> {
    await using store = await open();
    const mail = queue(store, 'mail');
    await mail.add(email, { to: 'ann' });
    await using served = await serveConsole(store, options);
    const [address = '', token = ''] = served.address.split('#token=');
    await work(async (path, body) => {
      const headers = {
        authorization: `Bearer ${token}`,
        'x-sorrel-console': '1',
        'content-type': 'application/json',
      };
      const given = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const response = await fetch(`${address}api/${path}`, { headers, ...given });
      const text = await response.text();
      return { status: response.status, body: (text.startsWith('{') ? JSON.parse(text) : text) as never };
    });
  }

  const place = { kind: 'queue', prefix: 'queue', name: 'mail' };

  it('refuses every action of a read-only console, and reads as before', () =>
    withApi({ readOnly: true }, async (call) => {
      const view = await call('boards/view?kind=queue&prefix=queue&name=mail');
      assert.equal(view.status, 200);
      for (const { id } of (view.body as { actions: { id: string }[] }).actions) {
        const { status } = await call('boards/act', { ...place, action: id, inputs: {}, id: 'x' });
        assert.equal(status, 403, id);
      }
      assert.equal((await call('boards/rows', { ...place, table: 'waiting' })).status, 200);
      const search = { kind: 'search', prefix: 'search', name: 'books', table: 'results', search: 'a' };
      assert.equal((await call('boards/rows', search)).status, 403, 'a search keeps its result');
      for (const where of ['store', 'engine']) {
        assert.match(String((await call(`labs/run?lab=locks&place=${where}`)).body), /READONLY/);
      }
    }));

  it('says what is wrong with a request', () =>
    withApi({}, async (call) => {
      const refusals: readonly (readonly [string, object | undefined, number])[] = [
        ['boards/view?kind=nothing&name=a', undefined, 400],
        ['boards/view?kind=queue&prefix=a%7B&name=a', undefined, 400],
        ['boards/view?kind=queue&prefix=queue', undefined, 400],
        ['boards/rows', { ...place, table: 'nothing' }, 422],
        ['boards/rows', { ...place, table: 'waiting', limit: 100_000 }, 400],
        ['boards/act', { ...place, action: 'explode' }, 422],
        ['boards/act', { ...place, action: 'pause', inputs: { a: 1 } }, 400],
        ['boards/act', { ...place, action: 'pause', inputs: [] }, 400],
      ];
      for (const [path, body, status] of refusals) {
        assert.equal((await call(path, body)).status, status, `${path} ${JSON.stringify(body)}`);
      }
    }));

  it('finds the components of a store, and counts their instances', () =>
    withApi({}, async (call) => {
      const events = String((await call('boards/discover')).body);
      assert.match(events, /"kind":"queue","title":"Queues".*?"count":1/);
      assert.match(events, /event: end/);
      const { body } = await call('boards/instances?kind=queue');
      assert.equal((body as { total: number }).total, 1);
    }));
});
