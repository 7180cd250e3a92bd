import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer, type TestClient } from './support.js';

const MB = 1 << 20;

/** Makes the client use about `bytes` bytes, by sending the beginning of an argument that never ends. */
function fill(client: TestClient, bytes: number): void {
  client.socket.write(`*1\r\n$${bytes + MB}\r\n${'x'.repeat(bytes)}`);
}

/** The fields of a client's line in CLIENT LIST. */
async function fieldsOf(asking: TestClient, name: string): Promise<Map<string, string> | undefined> {
  const lines = String(await asking.call('CLIENT', 'LIST')).split('\n');
  const line = lines.find((each) => each.includes(` name=${name} `));
  return line === undefined
    ? undefined
    : new Map(line.split(' ').map((field) => field.split('=') as [string, string]));
}

test('the largest clients are dropped until the total is below maxmemory-clients', async (t) => {
  const { engine, connect } = await startServer(t);
  const control = await connect();
  for (const size of [1, 4, 2, 5]) {
    const client = await connect();
    await client.call('CLIENT', 'SETNAME', `of-${size}`);
    fill(client, size * MB);
    while (Number((await fieldsOf(control, `of-${size}`))?.get('qbuf')) < size * MB);
  }
  assert.ok(Number((await fieldsOf(control, 'of-4'))?.get('tot-mem')) >= 4 * MB);
  await control.call('CONFIG', 'SET', 'maxmemory-clients', '7mb');
  const left: number[] = [];
  for (const size of [1, 2, 4, 5]) {
    if ((await fieldsOf(control, `of-${size}`)) !== undefined) left.push(size);
  }
  assert.deepEqual(left, [1, 2]);
  assert.equal(engine.statistics.evictedClients, 2);
  assert.match(String(await control.call('INFO', 'stats')), /evicted_clients:2\r\n/);
});

test('a client that grows too large is dropped at once, unless it is protected', async (t) => {
  const { connect } = await startServer(t, { 'maxmemory-clients': `${2 * MB}` });
  const control = await connect();
  const queueing = await connect();
  await queueing.call('MULTI');
  for (let i = 0; i < 5; i++) queueing.send('SET', 'key', Buffer.alloc(MB >> 1));
  await queueing.closed();
  const watching = await connect();
  await watching.call('CLIENT', 'SETNAME', 'protected');
  await watching.call('CLIENT', 'NO-EVICT', 'on');
  fill(watching, 3 * MB);
  while (Number((await fieldsOf(control, 'protected'))?.get('qbuf')) < 3 * MB);
  assert.equal(watching.isClosed, false);
});

test("clients' buffers count as used memory, so that keys are evicted for them", async (t) => {
  const { engine, connect } = await startServer(t, {
    maxmemory: '8mb',
    'maxmemory-policy': 'allkeys-random',
  });
  const control = await connect();
  for (let i = 0; i < 20; i++) await control.call('SET', `key:${i}`, Buffer.alloc(100_000));
  assert.equal(await control.call('DBSIZE'), 20);
  const before = engine.usedMemory;
  const greedy = await connect();
  await greedy.call('CLIENT', 'SETNAME', 'greedy');
  fill(greedy, 6 * MB);
  while (Number((await fieldsOf(control, 'greedy'))?.get('qbuf')) < 6 * MB);
  assert.ok(((await control.call('DBSIZE')) as number) < 20);
  greedy.socket.destroy();
  while ((await fieldsOf(control, 'greedy')) !== undefined);
  assert.ok(engine.usedMemory < before);
});
