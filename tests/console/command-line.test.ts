import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { serversOf } from '../../src/store/servers.js';
import { stopAllServers, whenRedisIsInstalled } from '../support/fleet/index.js';
import { TestBrowser, whenChromiumIsInstalled } from './support/browser.js';
import { SITES } from './support/sites.js';

describe('The command line in a browser', whenChromiumIsInstalled, () => {
  let browser: TestBrowser;
  before(async () => {
    browser = await TestBrowser.start();
  });
  after(async () => {
    await browser[Symbol.asyncDispose]();
    await stopAllServers();
  });

  it('completes, documents and runs commands, and recalls them', whenRedisIsInstalled, async () => {
    await using site = await SITES['a redis-server']!();
    await using visit = await browser.open(site.served.address);
    const { page } = visit;
    await visit.choose('Command line');
    const input = page.getByRole('combobox', { name: 'Command' });
    await input.fill('config g');
    await page.getByRole('option', { name: 'CONFIG GET' }).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await input.inputValue(), 'CONFIG GET ');
    await page.getByRole('complementary', { name: 'Documentation' }).getByText('Get the values').waitFor();
    await input.pressSequentially('maxmemory*');
    await page.keyboard.press('Enter');
    await page.getByText('maxmemory-policy').waitFor();
    await input.fill('SET "a b" "x\\x00"');
    await page.keyboard.press('Enter');
    await page.getByText('OK', { exact: true }).waitFor();
    assert.equal(await site.store.get('a b'), 'x\0');
    await input.fill('INCR "a b"');
    await page.keyboard.press('Enter');
    await page.getByText('ERR value is not an integer or out of range').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    assert.equal(await input.inputValue(), 'SET "a b" "x\\x00"');
    assert.deepEqual(await visit.accessibilityProblems(), []);

    await page.getByRole('tab', { name: 'Script' }).click();
    await page.getByLabel('Lua').fill("return { redis.call('STRLEN', key), 'done' }");
    await page.getByLabel('Value').fill('a b');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('done', { exact: true }).waitFor();
    assert.deepEqual(await visit.accessibilityProblems(), []);
    assert.deepEqual(visit.errors, []);
  });

  it('asks one node of a Cluster by itself, and lets no other call wait', whenRedisIsInstalled, async () => {
    await using site = await SITES['a Redis Cluster']!();
    await using visit = await browser.open(site.served.address);
    const { page } = visit;
    await visit.choose('Command line');
    const input = page.getByRole('combobox', { name: 'Command' });
    for (const { name } of serversOf(site.store)) {
      await page.getByLabel('Server').selectOption(name);
      for (const line of ['GET {a}', 'BLPOP {a} 0']) {
        await input.fill(line);
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'Run' }).and(page.locator(':enabled')).waitFor();
      }
    }
    await page.getByText('this command may wait for keys').nth(2).waitFor();
    await page
      .getByText(/^MOVED 15495 /)
      .nth(1)
      .waitFor();
    assert.deepEqual(visit.errors, ERRORS_OF_REFUSALS);
  });
});

/** What the browser reports for the requests that were refused. */
const ERRORS_OF_REFUSALS = Array<string>(3).fill(
  'Failed to load resource: the server responded with a status of 400 (Bad Request)',
);
