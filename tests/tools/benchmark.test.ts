import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { runBenchmark } from '../../src/cli/benchmark/benchmark.js';
import { fetchNodes, type LoadNode } from '../../src/cli/benchmark/cluster-nodes.js';
import { Load } from '../../src/cli/benchmark/load.js';
import { startMainThread } from '../../src/cli/main-thread.js';
import { openCluster } from '../../src/server/index.js';
import { type EmbeddedStore, open } from '../../src/store/index.js';
import { Certificates, noOpensslReason } from '../support/certificates.js';
import { ask } from '../support/fleet/index.js';
import { Terminal } from './terminal.js';

let store: EmbeddedStore;
let port: string;
before(async () => {
  store = await open();
  port = (await store.listen({ port: 0 })).address.replace(/.*:/, '');
});
after(() => store.close());

async function benchmark(
  ...parameters: string[]
): Promise<{ readonly code: number; readonly out: string; readonly errors: string }> {
  const written = { 1: '', 2: '' };
  const code = await runBenchmark(
    parameters,
    { help: 'the help', version: 'the version', startThread: startMainThread },
    {
      environment: {},
      input: Readable.from([Buffer.from('from input')]),
      isOutputTerminal: false,
      write: (fd, bytes) => {
        written[fd] += bytes.toString();
      },
    },
  );
  return { code, out: written[1], errors: written[2] };
}

const onServer = (...parameters: string[]) => benchmark('-p', port, '-c', '5', '-n', '200', ...parameters);

test('every named test runs and is reported in a line', async () => {
  const { code, out, errors } = await onServer('-q', '-r', '50', '-P', '4');
  assert.equal(errors, '');
  assert.equal(code, 0);
  const titles = out
    .trim()
    .split('\n')
    .map((line) => line.replace(/: [\d.]+ requests per second, p50=[\d.]+ msec$/, ''));
  assert.equal(titles.length, 20);
  assert.deepEqual(titles.slice(0, 4), ['PING_INLINE', 'PING_MBULK', 'SET', 'GET']);
  assert.equal(titles.at(-1), 'MSET (10 keys)');
  assert.ok((await store.send<number>('LLEN', 'mylist')) >= 200);
});

test('the server gets as many requests as were ordered, with random numbers and data in their places', async () => {
  await store.send('DEL', 'list');
  const command = ['lpush', 'list', 'n__rand_int__', 'd__data__'];
  const { out } = await onServer('-r', '1000', '-d', '5', '--csv', ...command);
  assert.match(out, /^"test","rps",.*\n"lpush list n__rand_int__ d__data__","[\d.]+"(?:,"[\d.]+"){6}\n$/);
  const items = await store.send<string[]>('LRANGE', 'list', '0', '-1');
  assert.equal(items.length, 400);
  const numbers = new Set(items.filter((item) => item.startsWith('n')));
  assert.ok(numbers.size > 50, 'random numbers differ');
  for (const item of items) assert.match(item, /^(?:n0{9}\d{3}|dxxxxx)$/);
});

test('the full report has the words of redis-benchmark', async () => {
  const { out } = await onServer('-t', 'set', '--precision', '2');
  assert.match(
    out,
    /^====== SET ======\n {2}200 requests completed in [\d.]+ seconds\n {2}5 parallel clients\n/,
  );
  assert.match(out, /host configuration "appendonly": no\n {2}multi-thread: no\n/);
  assert.match(out, /\n100\.000% <= [\d.]+ milliseconds \(cumulative count 200\)\n/);
  assert.match(out, /throughput summary: [\d.]+ requests per second\n/);
  assert.match(out, /\n {10}avg {7}min {7}p50 {7}p95 {7}p99 {7}max\n/);
});

test('threads, new connections, databases, RESP3 and input work', async () => {
  await store.send('DEL', 'counter:__rand_int__');
  assert.match((await onServer('--threads', '2', '-t', 'incr', '-q')).out, /^INCR: [\d.]+ requests/);
  assert.equal(await store.send('GET', 'counter:__rand_int__'), '200');
  assert.match((await onServer('-k', '0', '-n', '20', '-t', 'ping_mbulk', '-q')).out, /^PING_MBULK/);
  assert.match((await onServer('-3', '--dbnum', '2', '-x', '-q', 'set', 'k')).out, /^set k: /);
  const other = await open(`redis://127.0.0.1:${port}/2`);
  assert.equal(await other.send('GET', 'k'), 'from input');
  await other.close();
});

test('more threads than clients share all requests', async () => {
  await store.send('DEL', 'counter:__rand_int__');
  await onServer('--threads', '10', '-n', '11', '-t', 'incr', '-q');
  assert.equal(await store.send('GET', 'counter:__rand_int__'), '11');
});

/** Connections that stay open would keep the program running. */
async function noneConnected(): Promise<void> {
  const isConnected = async (): Promise<boolean> =>
    /addr=127\.0\.0\.1/.test(String(await store.send('CLIENT', 'LIST')));
  for (let turns = 0; turns < 1000 && (await isConnected()); turns++) await setImmediate();
  assert.equal(await isConnected(), false);
}

test('idle connections that the server does not accept are an error', async () => {
  await store.send('CONFIG', 'SET', 'maxclients', '3');
  const { code, errors } = await onServer('-I');
  await store.send('CONFIG', 'SET', 'maxclients', '10000');
  assert.match(errors, /^Error/m);
  assert.equal(code, 1);
  await noneConnected();
});

test('connections by TLS that succeed after one was refused are closed', {
  skip: noOpensslReason ?? false,
}, async () => {
  const certificates = new Certificates();
  const secure = createTlsServer(certificates.issue('server'));
  const accepted: Socket[] = [];
  const server = createServer((socket) => {
    accepted.push(socket.on('error', () => {}));
    if (accepted.length === 2) void refuseFirst();
  });
  const refuseFirst = async (): Promise<void> => {
    accepted[0]?.destroy();
    for (let turns = 0; turns < 20; turns++) await setImmediate();
    secure.emit('connection', accepted[1]);
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port: secured } = server.address() as AddressInfo;
  const { code, errors } = await benchmark('-p', String(secured), '--tls', '--insecure', '-c', '2', '-I');
  assert.match(errors, /^Error: Connection reset by peer$/m);
  assert.equal(code, 1);
  // Ends when all connections are closed.
  await once(server.close(), 'close');
  certificates.remove();
});

test('two servers are compared in alternating rounds; the embedded engine is measured without a server', async () => {
  const against = await onServer('--against', `127.0.0.1:${port}`, '--rounds', '3', '-t', 'get');
  assert.match(
    against.out,
    /^GET: [\d.]+ against [\d.]+ requests per second, ratio [\d.]+ \([\d.]+ to [\d.]+, 3 rounds\)\n$/,
  );
  const embedded = await benchmark('--embedded', '-n', '500', '--json', '-t', 'set');
  const [result] = JSON.parse(embedded.out) as { test: string; requests: number; latency: object }[];
  assert.equal(result?.test, 'SET');
  assert.equal(result?.requests, 500);
});

test('the load of a cluster reaches the slots of all masters, and follows slots that have moved', async () => {
  await using cluster = await openCluster({ masters: 3 });
  await using clusterStore = await open(cluster.address);
  const onCluster = (...parameters: string[]) =>
    benchmark('--cluster', '-p', `${cluster.ports[0]}`, '-c', '6', '-n', '600', ...parameters);

  const full = await onCluster('-t', 'set,mset', '-P', '4', '-r', '1000');
  assert.equal(full.errors, '');
  assert.equal(full.code, 0);
  assert.match(full.out, /^Cluster has 3 master nodes:\n\nMaster 0: [0-9a-f]{40} 127\.0\.0\.1:\d+\n/);
  assert.match(full.out, /cluster mode: yes \(3 masters\)\n {2}node \[0\] configuration:\n {4}save: /);
  assert.match(full.out, /multi-thread: yes\n {2}threads: 3\n/);
  const sizes = await Promise.all(cluster.ports.map(async (each) => Number(await ask(each, 'DBSIZE'))));
  for (const size of sizes) assert.ok(size > 150, `${sizes}`);
  for (const key of await clusterStore.send<string[]>('KEYS', '*'))
    assert.match(key, /^key:\{\w{3}\}:\d{12}$/);

  const all = await onCluster('-q', '--threads', '1');
  assert.equal(all.errors, '');
  assert.equal(all.out.match(/requests per second/g)?.length, 20);

  const plain = await onCluster('-q', 'set', 'key', 'value');
  assert.match(plain.errors, /^Error from server 127\.0\.0\.1:\d+: MOVED 12539 127\.0\.0\.1:\d+\n$/);

  // What the nodes know is newer than what the load was planned with.
  const endpoint = { host: '127.0.0.1', port: cluster.ports[0] as number };
  const [first, second, third] = (await fetchNodes(endpoint, [])) as [LoadNode, LoadNode, LoadNode];
  const nodes = [{ ...first, slots: second.slots }, { ...second, slots: first.slots }, third];
  const test = { title: 'set', args: ['SET', 'moved:{tag}', 'value'] };
  const load = new Load({
    endpoint,
    nodes,
    firstNode: 0,
    test,
    clients: 3,
    requests: 3000,
    pipeline: 1,
    range: 0,
    keepAlive: true,
    greeting: [],
    seed: 1,
  });
  await load.connect();
  await load.run();
  assert.equal(load.answered, 3000);
  const moved = await clusterStore.send<string[]>('KEYS', 'moved:*');
  assert.ok(moved.length > 1500, `${moved.length} of 3000 requests reached their node`);
});

test('errors end the benchmark with advice and exit code 1', async () => {
  const cases: [string[], RegExp][] = [
    [['nonsense'], /^Error from server: ERR unknown command 'nonsense'/],
    [['-t', 'nonsense'], /there is no test 'nonsense': -t takes ping_inline/],
    [['-c', '0'], /-c takes a whole number from 1 on, not '0'/],
    [['--nonsense'], /Invalid option "--nonsense"/],
    [['-a', 'wrong', '-q'], /AUTH/],
    [['-p', '1', '-q'], /^Could not connect to Redis at 127\.0\.0\.1:1: Connection refused/],
    [
      ['--cluster'],
      /^Cluster node 127\.0\.0\.1:\d+ replied with error:\nERR This instance has cluster support/,
    ],
    [['--cluster', '--embedded'], /--cluster measures the nodes of one cluster/],
    [['--cluster', '--dbnum', '1'], /a cluster has only database 0/],
  ];
  for (const [parameters, expected] of cases) {
    const { code, errors } = await onServer(...parameters);
    assert.match(errors, expected);
    assert.equal(code, 1);
  }
});

test('at a terminal it shows progress, and Ctrl-C prints what was measured', {
  skip: spawnSync('python3', ['--version']).status === 0 ? false : 'python3 is not installed',
}, async () => {
  const terminal = new Terminal(['benchmark', '-p', port, '-n', '100000000', '-t', 'get', '-q']);
  await terminal.shows(/GET: rps=[1-9][\d.]* \(overall: /);
  terminal.type('\x03');
  await terminal.shows(/GET: [\d.]+ requests per second/);
  assert.equal(await terminal.ended(), 130);
});
