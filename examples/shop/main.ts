/**
 * Starts the shop: `npm run shop -- [ADDRESS] [--port=8080]`. Without an address the data is in this process. Ctrl-C stops it.
 */
import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { open } from 'sorrel';
import { openForBusiness } from './products.js';
import { sendReceipts } from './receipts.js';
import { createShopServer } from './server.js';
import { createShop } from './shop.js';

const parameters = process.argv.slice(2);
const address = parameters.find((parameter) => !parameter.startsWith('--')) ?? 'memory:';
const port = Number(parameters.find((parameter) => parameter.startsWith('--port='))?.slice(7) ?? 8080);

const store = await open(address).catch((error: Error) => giveUp(error.message));
const shop = createShop(store, {
  // Several processes need the same secret; one can make its own.
  secret: process.env['SHOP_SECRET'] ?? randomBytes(32).toString('hex'),
  secureCookies: false,
});
await openForBusiness(shop);
const receipts = sendReceipts(shop);
const { server, live } = createShopServer(shop);
server.on('error', (error: NodeJS.ErrnoException) => {
  giveUp(
    error.code === 'EADDRINUSE' ? `port ${port} is in use: choose another one by --port=…` : error.message,
  );
});
server.listen(port, '127.0.0.1', () => {
  const { port: own } = server.address() as AddressInfo;
  console.log(`The shop is open at http://127.0.0.1:${own} (data: ${address})`);
});

function giveUp(reason: string): never {
  console.error(`The shop cannot open: ${reason}`);
  process.exit(1);
}

let isStopping = false;
async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  live.close();
  server.close();
  server.closeAllConnections();
  await receipts.stop({ within: 5_000 });
  // If the server is away, the times of the last requests are lost.
  await shop.times.flush().catch((error: Error) => console.error(error.message));
  await shop.settings.close();
  await store.close();
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop());
