import assert from 'node:assert/strict';
import { writeSync } from 'node:fs';
import { test } from 'node:test';
import { startServer, type TestClient } from './support.js';

/** Writes at once, while the event loop stands still. */
function writeNow({ socket }: TestClient, text: string): void {
  const { fd } = (socket as unknown as { readonly _handle: { readonly fd: number } })._handle;
  assert.equal(writeSync(fd, text), text.length);
}

/**
 * Two clients, and a function that lets the second one send first, and then the first one, while the server is still busy with that
 * one's last command. The kernel then names the first one first.
 */
async function overtaking(t: Parameters<typeof startServer>[0]) {
  const { engine, connect } = await startServer(t);
  const asking = await connect();
  const other = await connect();
  await other.call('CLIENT', 'SETNAME', 'other');
  let whileBusy: (() => void) | undefined;
  let length = 200;
  engine.settings.onChange('slowlog-max-len', () => whileBusy?.());
  async function ask(question: string, before: () => void): Promise<unknown> {
    whileBusy = () => {
      before();
      writeNow(asking, `${question}\r\n`);
    };
    await asking.call('CONFIG', 'SET', 'slowlog-max-len', `${length++}`);
    whileBusy = undefined;
    return asking.next();
  }
  return { asking, other, ask };
}

test('CLIENT LIST shows input that another client has sent before', async (t) => {
  const { other, ask } = await overtaking(t);
  const list = await ask('CLIENT LIST', () => writeNow(other, '*1\r\n$1000\r\nbeginning'));
  assert.match(String(list), / name=other .* qbuf=[1-9]/);
});

test('INFO and PUBSUB do not count what a client has given up before', async (t) => {
  const { other, ask } = await overtaking(t);
  await other.call('SUBSCRIBE', 'news');
  const count = await ask('PUBSUB NUMSUB news', () => writeNow(other, 'UNSUBSCRIBE news\r\n'));
  assert.deepEqual(count, ['news', 0]);
  const info = await ask('INFO clients', () => writeNow(other, 'SUBSCRIBE a\r\nQUIT\r\n'));
  assert.match(String(info), /connected_clients:1\r\n/);
});

test('commands behind one that waits for others keep their order, also in a transaction', async (t) => {
  const { asking, other, ask } = await overtaking(t);
  const first = await ask('PUBSUB NUMPAT\r\nPING\r\nMULTI\r\nPUBSUB NUMPAT\r\nEXEC\r\nPUBSUB NUMPAT', () => {
    writeNow(other, 'PSUBSCRIBE a*\r\n');
  });
  assert.equal(first, 1);
  const others: unknown[] = [];
  for (let i = 0; i < 5; i++) others.push(await asking.next());
  assert.deepEqual(others, ['PONG', 'OK', 'QUEUED', [1], 1]);
});

test('a client that closes its connection while it waits for others is forgotten', async (t) => {
  const { asking, other, ask } = await overtaking(t);
  const reply = ask('PUBSUB NUMPAT', () => setImmediate(() => asking.socket.destroy()));
  assert.ok([0, undefined].includes((await reply) as 0 | undefined));
  assert.match(String(await other.call('INFO', 'clients')), /connected_clients:1\r\n/);
  assert.equal(await other.call('PING'), 'PONG');
});
