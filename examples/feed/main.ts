/**
 * Starts the feed: `npm run feed -- [ADDRESS] [--port=8081]`. Without an address the data is in this process. Ctrl-C stops it.
 */
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { open } from 'sorrel';
import { addAds, createFeed } from './feed.js';
import { createFeedServer } from './server.js';

const parameters = process.argv.slice(2);
const address = parameters.find((parameter) => !parameter.startsWith('--')) ?? 'memory:';
const port = Number(parameters.find((parameter) => parameter.startsWith('--port='))?.slice(7) ?? 8081);

const store = await open(address);
const feed = createFeed(store, {
  // Several processes need the same secret; one can make its own.
  secret: process.env['FEED_SECRET'] ?? randomBytes(32).toString('hex'),
  secureCookies: false,
});
await addAds(feed);
const worker = feed.network.work();
const server = createFeedServer(feed);
server.listen(port, '127.0.0.1', () => {
  const { port: own } = server.address() as AddressInfo;
  console.log(`The feed is at http://127.0.0.1:${own} (data: ${address})`);
});

let isStopping = false;
async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  await feed.live.close();
  server.close();
  server.closeAllConnections();
  await worker.stop({ within: 5_000 });
  await store.close();
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop());
