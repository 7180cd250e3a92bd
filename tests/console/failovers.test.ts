import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { openCluster } from '../../src/server/cluster/open-cluster.js';
import { openSentinels } from '../../src/server/open-sentinels.js';
import { open } from '../../src/store/index.js';
import { startRedis, whenRedisIsInstalled } from '../support/fleet/index.js';
import { TestBrowser, whenChromiumIsInstalled } from './support/browser.js';
import { siteOf } from './support/sites.js';

describe('A failover in a browser', whenChromiumIsInstalled, () => {
  let browser: TestBrowser;
  before(async () => {
    browser = await TestBrowser.start();
  });
  after(() => browser[Symbol.asyncDispose]());

  it('of a cluster is shown while it happens', async () => {
    await using cluster = await openCluster({ masters: 3, replicas: 1 });
    const [master = 0] = cluster.ports;
    const replica = cluster.nodes.find(({ masterPort }) => masterPort === master)?.port ?? 0;
    await using site = await siteOf(await open(cluster.address));
    await using visit = await browser.open(site.served.address);
    const { page } = visit;
    await visit.choose('Cluster');
    const changes = page.getByRole('region', { name: 'Changes' });
    await page.getByRole('region', { name: 'Nodes' }).getByText(`127.0.0.1:${master}`).waitFor();
    await cluster.crash(master);
    while (cluster.nodes.find(({ port }) => port === replica)?.isMaster === false) await setTimeout(50);
    await changes.getByText(`127.0.0.1:${replica} is a master now.`).waitFor();
    await page.getByText('16,384 / 16,384').waitFor();
    assert.deepEqual(visit.errors, []);
  });

  it('by Sentinels is shown while it happens', async () => {
    await using group = await openSentinels({ sentinels: 3, replicas: 2 });
    const former = group.masterPort;
    await using site = await siteOf(await open(group.address));
    await site.store.set('greeting', 'hello');
    await using visit = await browser.open(site.served.address);
    const { page } = visit;
    await visit.choose('Replication');
    const servers = page.getByRole('region', { name: 'Servers' });
    await servers.getByRole('row', { name: `127.0.0.1:${former} master` }).waitFor();
    await group.crash();
    const port = await group.switchedFrom(former);
    await servers.getByRole('row', { name: `127.0.0.1:${port} master` }).waitFor();
    assert.equal(await site.store.get('greeting'), 'hello');
    assert.deepEqual(visit.errors, []);
  });

  it('is not needed to see that a server has gone', whenRedisIsInstalled, async () => {
    const server = await startRedis();
    await using site = await siteOf(await open(`redis://127.0.0.1:${server.port}`));
    await using visit = await browser.open(site.served.address);
    const { page } = visit;
    await page.locator('.plot canvas').first().waitFor();
    await server.stop();
    await page.getByRole('alert').getByText('INFO could not be sent').waitFor();
    await visit.choose('Command line');
    await page.getByRole('combobox', { name: 'Command' }).fill('PING');
    await page.keyboard.press('Enter');
    await page.getByText('> PING', { exact: true }).waitFor();
    await page.getByRole('status').getByText('The server does not answer…').waitFor();
    assert.deepEqual(visit.errors, []);
  });
});
