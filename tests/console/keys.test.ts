import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Store } from '../../src/store/index.js';
import { noRedisReason, stopAllServers } from '../support/fleet/index.js';
import { TestBrowser, type Visit, whenChromiumIsInstalled } from './support/browser.js';
import { type ConsoleSite, SITES } from './support/sites.js';

/** One key of each type, and some in folders. */
async function fill(store: Store): Promise<void> {
  await store.send('SET', 'text', 'hello');
  await store.send('SET', 'json', '{"name":"ann","tags":[1,2]}');
  await store.send('SET', 'binary', Buffer.from([0, 255, 104, 105]));
  await store.send('HSET', 'profile', 'name', 'ann', 'city', 'Bern');
  await store.send('RPUSH', 'tasks', 'first', 'second', 'third');
  await store.send('SADD', 'tags', 'red', 'green');
  await store.send('ZADD', 'ranking', 10, 'ann', 20, 'bob');
  await store.send('GEOADD', 'cities', 7.44, 46.95, 'Bern', 8.54, 47.38, 'Zurich');
  await store.send('XADD', 'events', '1-1', 'kind', 'login');
  await store.send('XGROUP', 'CREATE', 'events', 'readers', '0');
  await store.send('XREADGROUP', 'GROUP', 'readers', 'one', 'COUNT', 1, 'STREAMS', 'events', '>');
  await store.send('PFADD', 'visitors', 'a', 'b', 'c');
  for (let i = 0; i < 30; i++) await store.send('SET', `user:${i % 3}:field${i}`, i, 'EX', 1000);
}

const openKey = async ({ page }: Visit, name: string): Promise<void> => {
  await page.getByRole('treeitem', { name }).click();
  await page.getByRole('heading', { level: 2, name, exact: true }).waitFor();
};

const save = async ({ page }: Visit, button: string): Promise<void> => {
  await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
};

describe('The keys in a browser', whenChromiumIsInstalled, () => {
  let browser: TestBrowser;
  before(async () => {
    browser = await TestBrowser.start();
  });
  after(async () => {
    await browser[Symbol.asyncDispose]();
    await stopAllServers();
  });

  for (const [kind, start] of Object.entries(SITES)) {
    const skip = kind === 'an embedded store' ? false : (noRedisReason ?? false);
    it(`of ${kind} are found, shown and edited, each type`, { skip }, async () => {
      await using site: ConsoleSite = await start();
      const { store } = site;
      await fill(store);
      await using visit = await browser.open(`${site.served.address}`);
      const { page } = visit;
      await visit.choose('Keys');
      await page.getByText('40 keys').waitFor();
      assert.match((await page.getByRole('treeitem', { name: 'user' }).textContent()) ?? '', /30/);

      await openKey(visit, 'text');
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await page.getByLabel('Value').fill('good-bye <b>');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('good-bye <b>').waitFor();
      assert.equal(await store.get('text'), 'good-bye <b>');

      await openKey(visit, 'json');
      await page.getByText('"name": "ann"').waitFor();
      await openKey(visit, 'binary');
      await page.getByText('00 ff 68 69').waitFor();

      await openKey(visit, 'profile');
      await page.getByRole('button', { name: 'Edit city' }).click();
      await page.getByRole('dialog').getByLabel('Value').fill('Basel');
      await save(visit, 'Save');
      await page.getByRole('cell', { name: 'Basel', exact: true }).waitFor();
      assert.equal(await store.hget('profile', 'city'), 'Basel');

      await openKey(visit, 'tasks');
      await page.getByRole('button', { name: 'Remove 1' }).click();
      await save(visit, 'Remove');
      await page.getByRole('cell', { name: 'second', exact: true }).waitFor({ state: 'detached' });
      assert.deepEqual(await store.lrange('tasks', 0, -1), ['first', 'third']);

      await openKey(visit, 'tags');
      await page.getByRole('button', { name: 'Add a member' }).click();
      await page.getByRole('dialog').getByLabel('Member').fill('blue');
      await save(visit, 'Save');
      await page.getByRole('cell', { name: 'blue', exact: true }).waitFor();

      await openKey(visit, 'ranking');
      await page.getByRole('button', { name: 'Edit ann' }).click();
      await page.getByRole('dialog').getByLabel('Score').fill('30.5');
      await save(visit, 'Save');
      await page.getByRole('cell', { name: '30.5', exact: true }).waitFor();
      assert.equal(await store.zscore('ranking', 'ann'), 30.5);

      await openKey(visit, 'cities');
      await page.getByRole('tab', { name: 'Map' }).click();
      await page.getByRole('img', { name: '2 places' }).waitFor();
      await openKey(visit, 'visitors');
      await page.getByText('Different elements, about').waitFor();

      await openKey(visit, 'events');
      await page.getByText('login', { exact: true }).waitFor();
      await page.getByRole('tab', { name: 'Groups' }).click();
      await page.getByRole('button', { name: 'Pending entries of readers' }).click();
      await page.getByRole('button', { name: 'Confirm 1-1' }).click();
      await page.getByRole('button', { name: 'Confirm 1-1' }).waitFor({ state: 'detached' });

      if (store.kind === 'embedded') assert.deepEqual(await visit.accessibilityProblems(), []);
      assert.deepEqual(visit.errors, []);
    });
  }

  it('streams show entries whose IDs are no times', async () => {
    await using site = await SITES['an embedded store']!();
    await site.store.send('XADD', 'orders', '9000000000000000-1', 'total', 7);
    await using visit = await browser.open(site.served.address);
    await visit.choose('Keys');
    await openKey(visit, 'orders');
    await visit.page.getByRole('cell', { name: '9000000000000000-1', exact: true }).waitFor();
    assert.deepEqual(visit.errors, []);
  });

  it('streams show their groups without scrolling sideways at a width of 1280', async () => {
    await using site = await SITES['an embedded store']!();
    const { store } = site;
    for (let i = 0; i < 2_000; i++) void store.send('XADD', 'orders', `1795013164371-${i}`, 'total', i);
    await store.send('XGROUP', 'CREATE', 'orders', 'shipping', '0');
    await store.send('XREADGROUP', 'GROUP', 'shipping', 'worker-1', 'COUNT', 1_200, 'STREAMS', 'orders', '>');
    await using visit = await browser.open(site.served.address);
    const { page } = visit;
    await visit.choose('Keys');
    await openKey(visit, 'orders');
    await page.getByRole('tab', { name: 'Groups' }).click();
    await page.getByRole('button', { name: '1,200 pending entries of shipping' }).waitFor();
    const excess =
      "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.table-frame'))";
    assert.equal(await page.evaluate(excess), 0);
  });

  it('are created, renamed, given a time to live and deleted', async () => {
    await using site = await SITES['an embedded store']!();
    const { store } = site;
    await using visit = await browser.open(site.served.address);
    const { page } = visit;
    await visit.choose('Keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('note:1');
    await page.getByRole('dialog').getByLabel('Value').fill('milk');
    await save(visit, 'Create');
    await page.getByRole('heading', { level: 2, name: 'note:1' }).waitFor();
    assert.equal(await store.get('note:1'), 'milk');

    await page.getByRole('button', { name: 'Time to live' }).click();
    await page.getByLabel('The key expires').check();
    await page.getByLabel('In seconds').fill('500');
    await save(visit, 'Save');
    await page.getByText('8 min').first().waitFor();
    assert.ok((await store.ttl('note:1')) > 490);

    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('New name').fill('note:2');
    await save(visit, 'Rename');
    await page.getByRole('heading', { level: 2, name: 'note:2' }).waitFor();

    await page.getByRole('button', { name: 'Delete' }).click();
    await save(visit, 'Delete');
    await page.getByText('0 keys').waitFor();
    assert.equal(await store.dbsize(), 0);
    assert.deepEqual(visit.errors, []);
  });

  it('are exported to a file and imported from it, with every byte', async () => {
    await using site = await SITES['an embedded store']!();
    const { store } = site;
    const name = Buffer.from([107, 58, 255]);
    await store.bytes.send('SET', name, Buffer.from([0, 200]), 'EX', 900);
    await store.send('SET', 'k:plain', 'x');
    await using visit = await browser.open(`${site.served.address}`);
    const { page } = visit;
    await visit.choose('Keys');
    await page.getByRole('treeitem', { name: 'k' }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const path = await (await downloading).path();
    await store.send('FLUSHALL');
    await page.getByRole('button', { name: 'Import' }).click();
    await page.getByLabel('File').setInputFiles(path);
    await save(visit, 'Import');
    await page.getByText('2 keys', { exact: true }).waitFor();
    assert.deepEqual(await store.bytes.send('GET', name), Buffer.from([0, 200]));
    assert.ok(Number(await store.send('TTL', name)) > 890);
  });

  it('can be used with the keyboard alone', async () => {
    await using site = await SITES['an embedded store']!();
    await site.store.send('SET', 'a:b', 'value of b');
    await using visit = await browser.open(`${site.served.address}`);
    const { page } = visit;
    await visit.choose('Keys');
    await page.getByRole('treeitem', { name: 'a' }).waitFor();
    await page.getByRole('tree').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('value of b').waitFor();
  });
});
