/**
 * Writes the screenshots of the console that the documentation shows into docs/images. Needs Chromium, and redis-server for the
 * Cluster. Run it with `npm run screenshots`.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Store } from '../src/store/index.js';
import { TestBrowser, type Visit } from '../tests/console/support/browser.js';
import { SITES } from '../tests/console/support/sites.js';
import { stopAllServers } from '../tests/support/fleet/index.js';

const target = process.argv[2] ?? fileURLToPath(new URL('../docs/images', import.meta.url));
mkdirSync(target, { recursive: true });

/** Some keys of a shop, with realistic names and sizes. */
async function fillShop(store: Store): Promise<void> {
  const cities: readonly (readonly [string, number, number])[] = [
    ['Zurich', 8.54, 47.38],
    ['Bern', 7.44, 46.95],
    ['Geneva', 6.14, 46.2],
    ['Basel', 7.59, 47.56],
    ['Lugano', 8.95, 46.0],
    ['Lucerne', 8.31, 47.05],
    ['St. Gallen', 9.37, 47.42],
    ['Sion', 7.36, 46.23],
  ];
  for (let i = 0; i < 400; i++) {
    await store.send(
      'HSET',
      `user:${i}`,
      'name',
      `User ${i}`,
      'mail',
      `user${i}@example.com`,
      'orders',
      i % 7,
    );
    await store.send('SET', `session:${(i * 7919) % 10_000}`, `token-${i}`, 'EX', 600 + i);
    if (i % 2 === 0) await store.send('SET', `cache:page:${i}`, '<html>'.repeat(20 + (i % 50)), 'EX', 60 + i);
    if (i % 4 === 0) await store.send('RPUSH', `cart:${i}`, 'apple', 'pear', 'plum');
  }
  for (let i = 0; i < 60; i++) await store.send('ZADD', 'ranking:week', (i * 37) % 1000, `user:${i}`);
  for (const [name, longitude, latitude] of cities)
    await store.send('GEOADD', 'shops', longitude, latitude, name);
  for (let i = 0; i < 40; i++)
    await store.send(
      'XADD',
      'orders',
      '*',
      'user',
      `user:${i}`,
      'total',
      10 + i,
      'state',
      i % 3 === 0 ? 'paid' : 'open',
    );
  await store.send('XGROUP', 'CREATE', 'orders', 'shipping', '0');
  await store.send('XREADGROUP', 'GROUP', 'shipping', 'worker-1', 'COUNT', 12, 'STREAMS', 'orders', '>');
  await store.send(
    'SET',
    'config:features',
    JSON.stringify({ search: true, limits: { cart: 50, requests: 120 }, regions: ['eu', 'us'] }),
  );
  await store.send('PFADD', 'visitors:today', ...Array.from({ length: 500 }, (_, i) => `visitor${i}`));
  await store.send('SADD', 'tags', 'red', 'green', 'blue', 'new', 'sale');
  await store.send(
    'HSET',
    'stock',
    ...Array.from({ length: 900 }, (_, i) => [`article${i}`, (i * 13) % 200]).flat(),
  );
}

/** Commands of a normal day, until it is stopped. */
function work(store: Store): () => Promise<void> {
  let isStopped = false;
  const done = (async () => {
    for (let i = 0; !isStopped; i++) {
      const calls = 60 + Math.round(40 * Math.sin(i / 6));
      await Promise.all(
        Array.from({ length: calls }, (_, n) =>
          n % 5 === 0
            ? store.send('INCR', `counter:${n % 9}`)
            : // A tenth of these sessions does not exist.
              store.send('GET', `session:${(((n + i) % 440) * 7919) % 10_000}`),
        ),
      );
      await store.send('SET', `tmp:${i}`, 'x', 'PX', 1500);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  return async () => {
    isStopped = true;
    await done;
  };
}

const shoot = async ({ page, errors }: Visit, name: string): Promise<void> => {
  await page.screenshot({ path: join(target, `console-${name}.png`) });
  console.log(name, errors.join(' '));
};
const show = async ({ page }: Visit, hash: string, until: string): Promise<void> => {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.getByText(until).first().waitFor();
};

await using browser = await TestBrowser.start();
{
  await using site = await SITES['a redis-server']!({ title: 'shop' });
  await fillShop(site.store);
  const stop = work(site.store);
  await using visit = await browser.open(site.served.address, { height: 860 });
  const { page } = visit;
  await page.getByText('Commands per second').waitFor();
  await page.waitForTimeout(25_000);
  await shoot(visit, 'overview');
  await page.getByLabel('Colours').selectOption('dark');
  await page.waitForTimeout(1500);
  await shoot(visit, 'overview-dark');
  await page.getByLabel('Colours').selectOption('light');
  await stop();
  await visit.choose('Keys');
  await page.getByRole('treeitem', { name: 'orders' }).click();
  await page.getByText('Newest first').waitFor();
  await page.waitForTimeout(800);
  await page.getByRole('tab', { name: 'Groups' }).click();
  await page.getByRole('button', { name: 'Pending entries of shipping' }).click();
  await page.getByText('worker-1').first().waitFor();
  await shoot(visit, 'stream');
  await page.getByRole('treeitem', { name: 'shops' }).click();
  await page.getByRole('tab', { name: 'Map' }).click();
  await page.getByText('Zurich', { exact: true }).waitFor();
  await page.waitForTimeout(5500);
  await shoot(visit, 'map');
  await visit.choose('Memory');
  await page.getByRole('button', { name: 'Measure' }).click();
  await page.getByText('What a larger').first().waitFor();
  await shoot(visit, 'memory');
  await visit.choose('Command line');
  for (const line of ['ZRANGE ranking:week 0 2 WITHSCORES', 'CONFIG GET maxmemory*', 'INCR tags']) {
    await page.getByRole('combobox', { name: 'Command' }).fill(line);
    await page.keyboard.press('Enter');
    await page.waitForTimeout(300);
  }
  await page.getByRole('combobox', { name: 'Command' }).fill('zrangeb');
  await page.waitForTimeout(300);
  await shoot(visit, 'command-line');
  await page.getByLabel('Language').selectOption('zh');
  await show(visit, '#/', '每秒命令数');
  await page.waitForTimeout(1500);
  await shoot(visit, 'chinese');
  await using phone = await browser.open(site.served.address, { width: 390, height: 780 });
  await phone.page.getByText('Commands per second').waitFor();
  await phone.page.waitForTimeout(2500);
  await shoot(phone, 'phone');
}
{
  await using site = await SITES['a Redis Cluster']!({ title: 'cluster' });
  await fillShop(site.store);
  await using visit = await browser.open(site.served.address, { height: 620 });
  await visit.choose('Cluster');
  await visit.page.getByText('16,384 / 16,384').waitFor();
  await shoot(visit, 'cluster');
}
await stopAllServers();
