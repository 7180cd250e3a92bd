import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { console as serveConsole } from '../../src/console/index.js';
import { open } from '../../src/store/index.js';
import { TestBrowser, whenChromiumIsInstalled } from './support/browser.js';

describe('The overview in a browser', whenChromiumIsInstalled, () => {
  let browser: TestBrowser;
  before(async () => {
    browser = await TestBrowser.start();
  });
  after(() => browser[Symbol.asyncDispose]());

  it('shows live figures of an embedded store, without an error or an accessibility violation', async () => {
    await using store = await open();
    await store.set('greeting', 'hello');
    await using served = await serveConsole(store, { title: 'test store' });
    await using visit = await browser.open(served.address);
    const { page } = visit;
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.getByText('Commands per second').waitFor();
    await page.locator('.plot canvas').first().waitFor();
    await page.getByText('Nothing is written to disk').waitFor();
    assert.equal(await page.getByText('test store').count(), 1);
    assert.equal(new URL(page.url()).hash, '#/', 'the token is no longer in the address');
    assert.deepEqual(await visit.accessibilityProblems(), []);
    assert.deepEqual(visit.errors, []);
  });

  it('asks for the token if the address has none, refuses another, and accepts it', async () => {
    await using store = await open();
    await using served = await serveConsole(store);
    const [address = '', token = ''] = served.address.split('#token=');
    await using visit = await browser.open(address);
    const { page } = visit;
    await page.getByText('Open the address that the console printed').waitFor();
    assert.equal(await page.getByText('This token is not valid.').count(), 0);
    await page.getByLabel('Token').fill(`${token}x`);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('This token is not valid.').waitFor();
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  it('follows a change of the address right after the language has changed', async () => {
    await using store = await open();
    await using served = await serveConsole(store);
    await using visit = await browser.open(served.address);
    const { page } = visit;
    await page.getByText('Commands per second').waitFor();
    // As soon as the page has been rendered in Chinese, before it is painted.
    await page.evaluate(`new MutationObserver((_, observer) => {
      if (!document.body.textContent.includes('概览')) return;
      observer.disconnect();
      location.hash = '#/keys';
    }).observe(document.body, { childList: true, subtree: true, characterData: true })`);
    await page.getByLabel('Language').selectOption('zh');
    await page.getByRole('heading', { level: 1, name: '键' }).waitFor({ timeout: 10_000 });
    assert.deepEqual(visit.errors, []);
  });

  const looks = { dark: { dark: true }, 'Chinese on a phone': { locale: 'zh-CN', width: 390, height: 780 } };
  for (const [look, options] of Object.entries(looks)) {
    it(`has no accessibility violation in ${look}, and fits its width`, async () => {
      await using store = await open();
      await store.set('user:1', 'hello');
      await using served = await serveConsole(store, { readOnly: true });
      await using visit = await browser.open(served.address, options);
      const { page } = visit;
      await page.locator('.plot canvas').first().waitFor();
      assert.deepEqual(await visit.accessibilityProblems(), []);
      await page.evaluate("location.hash = '#/keys?key=user:1'");
      await page.getByText('hello').waitFor();
      assert.deepEqual(await visit.accessibilityProblems(), []);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0);
      assert.deepEqual(visit.errors, []);
    });
  }
});
