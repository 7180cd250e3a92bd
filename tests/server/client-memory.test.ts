import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer, type TestClient } from './support.js';

const MB = 1 << 20;

/** Makes the client use about `bytes` bytes, by sending the beginning of an argument that never ends. */
function fill(client: TestClient, bytes: number): void {
  client.socket.write(`*1\r\n$${bytes + MB}\r\n${'x'.repeat(bytes)}`);
}

/** Repeats the question until the answer is right. */
async function until(isRight: () => Promise<boolean>): Promise<void> {
  while (!(await isRight()));
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

/** Some fields of a client's line, as CLIENT LIST prints them. */
async function figuresOf(asking: TestClient, name: string, ...fields: readonly string[]): Promise<string> {
  const found = await fieldsOf(asking, name);
  return fields.map((field) => `${field}=${found?.get(field)}`).join(' ');
}

test('CLIENT LIST shows what a client has sent and queued, as Redis counts it', async (t) => {
  const { connect } = await startServer(t);
  const control = await connect();
  const client = await connect();
  await client.call('CLIENT', 'SETNAME', 'client');
  const input = () => figuresOf(control, 'client', 'qbuf', 'argv-mem', 'multi-mem');
  assert.equal(await input(), 'qbuf=0 argv-mem=0 multi-mem=0');
  client.socket.write('*3\r\n$3\r\nSET\r\n$3\r\nabc\r\n$5\r\nab');
  await until(async () => (await input()) === 'qbuf=2 argv-mem=6 multi-mem=0');
  client.socket.write('cde\r\n');
  assert.equal(await client.next(), 'OK');
  assert.equal(await input(), 'qbuf=0 argv-mem=0 multi-mem=0');
  await client.call('MULTI');
  await client.call('SET', 'a', 'bbbb');
  assert.equal(await input(), 'qbuf=0 argv-mem=0 multi-mem=32');
  await client.call('SET', 'a', 'bbbb');
  assert.equal(await input(), 'qbuf=0 argv-mem=0 multi-mem=64');
  await client.call('DISCARD');
  assert.equal(await input(), 'qbuf=0 argv-mem=0 multi-mem=0');
  client.socket.write('PING\r\nPING\r\nCLIENT INFO\r\n');
  assert.deepEqual([await client.next(), await client.next()], ['PONG', 'PONG']);
  assert.match(String(await client.next()), / qbuf=25 qbuf-free=20449 argv-mem=10 .* obl=14 oll=0 omem=0 /);
});

test('CLIENT LIST shows replies that are about to be sent, and those that a client does not read', async (t) => {
  const { connect } = await startServer(t);
  const control = await connect();
  const client = await connect();
  await client.call('CLIENT', 'SETNAME', 'client');
  await client.call('SUBSCRIBE', 'news');
  control.send('MULTI');
  control.send('PUBLISH', 'news', 'hello');
  control.send('CLIENT', 'LIST');
  for (let i = 0; i < 3; i++) await control.next();
  const [, list] = (await control.call('EXEC')) as [number, string];
  assert.match(list, / name=client .* obl=38 oll=0 omem=0 /);
  client.socket.pause();
  for (let i = 0; i < 40; i++) await control.call('PUBLISH', 'news', 'x'.repeat(100_000));
  const fields = await fieldsOf(control, 'client');
  assert.equal(fields?.get('obl'), '0');
  assert.ok(Number(fields?.get('oll')) > 0 && Number(fields?.get('omem')) > 1_000_000);
  assert.ok(Number(fields?.get('tot-mem')) > Number(fields?.get('omem')));
  assert.equal(fields?.get('events'), 'rw');
});

test('the size of the reply buffer follows the replies, and DEBUG REPLYBUFFER tunes it', async (t) => {
  const { connect, engine, clock } = await startServer(t, { 'enable-debug-command': 'yes' });
  const control = await connect();
  const client = await connect();
  const tick = (): void => {
    clock.advance(101);
    engine.background.tick();
  };
  await client.call('CLIENT', 'SETNAME', 'client');
  const size = () => figuresOf(control, 'client', 'rbs', 'rbp');
  assert.equal(await control.call('DEBUG', 'REPLYBUFFER', 'PEAK-RESET-TIME', '100'), 'OK');
  for (let i = 0; i < 2; i++) tick();
  assert.equal(await size(), 'rbs=1024 rbp=0', 'of an idle client');
  await control.call('SET', 'large', 'x'.repeat(32_768));
  assert.equal(await control.call('DEBUG', 'REPLYBUFFER', 'PEAK-RESET-TIME', 'never'), 'OK');
  for (const expected of [2048, 4096, 8192, 16_384, 16_384]) {
    await client.call('GET', 'large');
    tick();
    assert.equal((await size()).split(' ')[0], `rbs=${expected}`);
  }
  assert.equal(await control.call('DEBUG', 'REPLYBUFFER', 'RESIZING', '0'), 'OK');
  assert.equal(await control.call('DEBUG', 'REPLYBUFFER', 'PEAK-RESET-TIME', 'reset'), 'OK');
  clock.advance(6000);
  for (let i = 0; i < 3; i++) tick();
  assert.equal(await size(), 'rbs=16384 rbp=16384');
  assert.equal(await control.call('DEBUG', 'REPLYBUFFER', 'RESIZING', '1'), 'OK');
  for (let i = 0; i < 2; i++) tick();
  assert.equal(await size(), 'rbs=1024 rbp=0');
  assert.match(
    String(await control.call('INFO', 'stats')),
    /reply_buffer_shrinks:[1-9]\d*\r\nreply_buffer_expands:4\r/,
  );
});

test('the size of the input buffer follows the input, as Redis counts it', async (t) => {
  const { connect, engine, clock } = await startServer(t);
  const control = await connect();
  const client = await connect();
  const tick = (ms: number): void => {
    clock.advance(ms);
    engine.background.tick();
  };
  const size = () => figuresOf(control, 'client', 'qbuf', 'qbuf-free');
  await client.call('CLIENT', 'SETNAME', 'client');
  assert.equal(await size(), 'qbuf=0 qbuf-free=20474');
  const before = await figuresOf(control, 'client', 'tot-mem');
  tick(3000);
  assert.equal(await size(), 'qbuf=0 qbuf-free=0', 'of an idle client');
  assert.equal(await figuresOf(control, 'client', 'tot-mem'), before, 'it stands for no memory');
  await client.call('SET', 'key', 'x'.repeat(400_000));
  const [, large] = (await size()).split('qbuf-free=');
  assert.ok(Number(large) >= 400_000, `${large} bytes`);
  for (let i = 0; i < 2; i++) {
    await client.call('SET', 'key', 'short');
    tick(100);
  }
  await client.call('PING');
  assert.equal(await size(), 'qbuf=0 qbuf-free=20474', 'after shorter input');
});

test('the input buffer of an idle client is trimmed', async (t) => {
  const { connect, engine, clock } = await startServer(t);
  const control = await connect();
  const client = await connect();
  await client.call('CLIENT', 'SETNAME', 'client');
  fill(client, 300_000);
  await until(async () => (await figuresOf(control, 'client', 'qbuf')) === 'qbuf=300000');
  assert.notEqual(await figuresOf(control, 'client', 'qbuf-free'), 'qbuf-free=0');
  clock.advance(3000);
  engine.background.tick();
  const [used, free] = (await figuresOf(control, 'client', 'qbuf', 'qbuf-free')).match(/\d+/g) as string[];
  assert.equal(used, '300000');
  assert.ok(Number(free) < 4096, `${free} unused bytes`);
  client.socket.write(`${'x'.repeat(MB)}\r\n`);
  assert.match(String(await client.next()), /^ERR unknown command 'x{128}'/);
});

test('clients that only wait for something are evicted for what that needs', async (t) => {
  const { connect, server } = await startServer(t, { 'maxmemory-clients': '200000' });
  const ways: readonly ((i: number) => string[])[] = [
    (i) => ['WATCH', ...names('', i)],
    (i) => ['PSUBSCRIBE', ...names('', i)],
    (i) => ['SUBSCRIBE', ...names('', i)],
    (i) => ['SSUBSCRIBE', ...names('', i)],
    (i) => ['CLIENT', 'TRACKING', 'ON', 'BCAST', ...names('p:', i).flatMap((name) => ['PREFIX', `${name}:`])],
  ];
  for (const [i, command] of ways.entries()) {
    const client = await connect();
    for (let j = 0; j < 200 && !client.isClosed; j++) client.send(...command(j));
    await client.closed();
    assert.equal(server.engine.statistics.evictedClients, i + 1, command(0)[0]);
  }
});

/** A hundred names, different for each `i`. */
function names(prefix: string, i: number): string[] {
  return Array.from({ length: 100 }, (_, j) => `${prefix}${i * 100 + j}`.padStart(9, '0'));
}

test('a client that exceeds its output limit is dropped for that, and no other is evicted for it', async (t) => {
  const { connect, engine } = await startServer(t, {
    'maxmemory-clients': `${10 * MB}`,
    'client-output-buffer-limit': `normal ${3 * MB} 0 0`,
  });
  const control = await connect();
  await control.call('SETRANGE', 'k', String(4 * MB), 'v');
  const holding = await connect();
  await holding.call('CLIENT', 'SETNAME', 'holding');
  fill(holding, 6 * MB);
  await until(async () => Number((await fieldsOf(control, 'holding'))?.get('qbuf')) === 6 * MB);
  const reading = [await connect(), await connect()];
  for (const client of reading) client.send('GET', 'k');
  await Promise.all(reading.map((client) => client.closed()));
  assert.equal(engine.statistics.evictedClients, 0);
  assert.equal(holding.isClosed, false);
});

test('DEBUG CLIENT-EVICTION counts clients by their memory', async (t) => {
  const { connect } = await startServer(t, { 'enable-debug-command': 'yes' });
  const control = await connect();
  assert.equal(await control.call('DEBUG', 'CLIENT-EVICTION'), 'ERR maxmemory-clients is disabled.');
  const client = await connect();
  await client.call('CLIENT', 'SETNAME', 'client');
  fill(client, 300_000);
  await until(async () => (await figuresOf(control, 'client', 'qbuf')) === 'qbuf=300000');
  await control.call('CONFIG', 'SET', 'maxmemory-clients', '100mb');
  const lines = String(await control.call('DEBUG', 'CLIENT-EVICTION')).split('\n');
  assert.equal(lines.length, 20);
  assert.match(lines[0] as string, /^bucket {10}0 - {6}32767: tot-mem: +\d+, clients: 1$/);
  const larger = lines.slice(1).filter((line) => line.endsWith('clients: 1'));
  assert.equal(larger.length, 1);
  assert.ok(Number(/tot-mem: +(\d+)/.exec(larger[0] as string)?.[1]) > 300_000);
  assert.match(lines[18] as string, /^bucket 4294967296\+ {12}: tot-mem: {10}0, clients: 0$/);
});
