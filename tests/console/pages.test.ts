import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { serversOf } from '../../src/store/servers.js';
import { noRedisReason, stopAllServers } from '../support/fleet/index.js';
import { TestBrowser, type Visit, whenChromiumIsInstalled } from './support/browser.js';
import { type ConsoleSite, SITES } from './support/sites.js';

const save = async ({ page }: Visit, button: string): Promise<void> => {
  await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
};

/** None of the test's keys is in it. */
const EMPTY_SLOT = 16_000;

/** What a person does on each page; `site` has some keys. */
const USES: Readonly<Record<string, (visit: Visit, site: ConsoleSite) => Promise<void>>> = {
  Memory: async ({ page }) => {
    await page.getByRole('button', { name: 'Measure' }).click();
    await page.getByText('300 of 300 keys').waitFor();
    await page.getByRole('img', { name: 'Areas by memory' }).getByText('user:', { exact: true }).waitFor();
    await page.getByText('What a larger hash-max-listpack-entries would save').waitFor();
  },
  Clients: async ({ page }, { store }) => {
    await page.getByRole('table').waitFor();
    if (store.kind === 'embedded') return;
    await page.getByLabel('Filter').fill('nothing like this');
    await page.getByText('0 connections').waitFor();
  },
  'Slow log': async ({ page }, { store }) => {
    await store.send('CONFIG SET', 'slowlog-log-slower-than', 0);
    await store.send('SET', 'slow', '<img src=x>');
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('cell', { name: 'SET slow <img src=x>', exact: true }).waitFor();
    await store.send('CONFIG SET', 'slowlog-log-slower-than', 10_000);
  },
  Monitor: async ({ page }, { store }) => {
    await page.getByRole('button', { name: 'Watch for 30 s' }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    // MONITOR begins at some moment after the button was pressed.
    const seen = page.getByRole('cell', { name: /dbsize/i }).first();
    const isSeen = seen.waitFor().then(
      () => true,
      () => false,
    );
    // All masters of a Cluster get it.
    while ((await Promise.race([isSeen, store.send('DBSIZE').then(() => setTimeout(20))])) === undefined);
    assert.equal(await isSeen, true);
    await page.getByRole('button', { name: 'Stop' }).click();
  },
  'Publish/subscribe': async ({ page }) => {
    await page.getByRole('button', { name: 'Listen' }).click();
    await page.getByText('Listening.').waitFor();
    await page.getByLabel('Channel', { exact: true }).fill('news');
    await page.getByLabel('Message', { exact: true }).fill('rain <b>');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('cell', { name: 'rain <b>' }).waitFor();
  },
  Functions: async (visit) => {
    const { page } = visit;
    await page.getByRole('button', { name: 'Load a library' }).click();
    await save(visit, 'Load');
    await page.getByText('hello', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await save(visit, 'Delete');
    await page.getByText('No library is loaded.').waitFor();
  },
  Users: async (visit) => {
    const { page } = visit;
    await page.getByRole('button', { name: 'New user' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('ann');
    await save(visit, 'Save');
    await page.getByRole('cell', { name: 'ann', exact: true }).waitFor();
    assert.equal(await page.getByText(/#[0-9a-f]{64}/).count(), 0, 'digests of passwords are not shown');
    await page.getByRole('button', { name: 'Remove ann' }).click();
    await save(visit, 'Delete');
    await page.getByRole('cell', { name: 'ann', exact: true }).waitFor({ state: 'detached' });
  },
  Settings: async (visit, { store }) => {
    const { page } = visit;
    await page.getByLabel('Filter').fill('hz');
    await page.getByRole('button', { name: 'Edit hz' }).click();
    await page.getByRole('dialog').getByLabel('Value').fill('20');
    await save(visit, 'Save');
    await page.getByRole('cell', { name: '20', exact: true }).waitFor();
    assert.deepEqual(await store.send('CONFIG GET', 'hz'), ['hz', '20']);
  },
  Persistence: async ({ page }) => {
    await page.getByText('Last snapshot').first().waitFor();
  },
  Replication: async ({ page }) => {
    await page.getByRole('img', { name: 'Masters above' }).waitFor();
  },
  Cluster: async ({ page }, { store }) => {
    await page.getByText('16,384 / 16,384').waitFor();
    await page.getByRole('img', { name: 'The slots' }).waitFor();
    // An empty slot gets another master: the page shows it without a reload.
    const ids = await Promise.all(serversOf(store).map((server) => server.send('CLUSTER MYID', [])));
    const owner = await Promise.all(
      serversOf(store).map((server) => server.send('CLUSTER COUNTKEYSINSLOT', [EMPTY_SLOT])),
    );
    assert.deepEqual(owner.map(Number), [0, 0, 0]);
    for (const server of serversOf(store)) {
      await server.send('CLUSTER SETSLOT', [EMPTY_SLOT, 'NODE', String(ids[1])]);
    }
    await page
      .getByText('5,462 slots now, 5,461 before')
      .or(page.getByText('5,463 slots now, 5,462 before'))
      .waitFor();
  },
};

describe('The pages about servers', whenChromiumIsInstalled, () => {
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
    it(`of ${kind} can be used, without an error or an accessibility violation`, { skip }, async () => {
      await using site = await start();
      const { store } = site;
      for (let i = 0; i < 99; i++) {
        await store.send('SET', `user:${i}:a`, 'x'.repeat(i));
        await store.send('SET', `order:${i}:a`, 'y');
        await store.send('SET', `plain${i}`, 'z');
      }
      await store.send(
        'HSET',
        'user:big:a',
        ...Array.from({ length: 600 }, (_, i) => [`field${i}`, i]).flat(),
      );
      await store.send('SET', 'user:1:more', '');
      await store.send('SET', 'user:2:more', '');
      await using visit = await browser.open(site.served.address);
      for (const [title, use] of Object.entries(USES)) {
        if (title === 'Cluster' && store.kind !== 'cluster') continue;
        await visit.choose(title);
        await use(visit, site);
        // The pages are the same for all stores, but for the one about the Cluster.
        if (store.kind === 'embedded' || title === 'Cluster') {
          assert.deepEqual(await visit.accessibilityProblems(), [], title);
        }
      }
      assert.deepEqual(visit.errors, []);
    });
  }
});
