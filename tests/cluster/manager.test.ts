import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, test } from 'node:test';
import { until } from '../replication/support.js';
import { type Outcome, ours, theirs } from '../support/cli-outcome.js';
import { ask, startSorrel, stopAllServers, whenRedisIsInstalled } from '../support/fleet/index.js';
import { freePort } from '../support/fleet/server-process.js';
import { NodeProcess } from './mixed-cluster.js';

/**
 * `sorrel cli --cluster` and redis-cli on the same cluster of our nodes and redis-servers. What changes nothing, or is declined, must
 * print the same; what ours changes must satisfy redis-cli.
 */

const manage = (...words: string[]): Promise<Outcome> => ours(['--cluster', ...words], '');

async function same(words: readonly string[], input = ''): Promise<Outcome> {
  const theirOutcome = comparable(await theirs(['--cluster', ...words], input));
  const ourOutcome = comparable(await ours(['--cluster', ...words], input));
  const label = words.join(' ');
  assert.deepEqual(ourOutcome.stdout.split('\n'), theirOutcome.stdout.split('\n'), label);
  assert.deepEqual(ourOutcome, theirOutcome, label);
  return ourOutcome;
}

/** When replicas cannot be on other hosts than their masters, redis-cli exchanges them by chance. */
function comparable({ stdout, ...rest }: Outcome): Outcome {
  const isPlan = stdout.includes('anti-affinity');
  return { ...rest, stdout: isPlan ? stdout.replace(/^ {3}replicates .*$/gm, '') : stdout };
}

async function succeeds(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await manage(...words);
  assert.equal(code, 0, `${words.join(' ')}:\n${stdout}\n${stderr}`);
  return stdout;
}

describe('sorrel cli --cluster', whenRedisIsInstalled, () => {
  let nodes: NodeProcess[] = [];
  let places: string[] = [];
  let folder: string;
  const first = (): string => places[0] as string;

  /** All nodes agree, every slot has an owner, and redis-cli says so. */
  async function isWell(): Promise<void> {
    await until(
      'redis-cli --cluster check',
      () => theirs(['--cluster', 'check', first()], ''),
      ({ code }) => code === 0,
    );
  }

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sorrel-manager-'));
    const kinds = ['sorrel', 'redis', 'sorrel', 'redis', 'sorrel', 'redis', 'sorrel'] as const;
    nodes = await Promise.all(
      kinds.map((kind) =>
        NodeProcess.start(kind, { 'cluster-node-timeout': '15000', 'enable-debug-command': 'yes' }),
      ),
    );
    places = nodes.map(({ port }) => `127.0.0.1:${port}`);
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await stopAllServers();
    rmSync(folder, { recursive: true });
  });

  it('refuses what redis-cli refuses', async () => {
    await same(['help']);
    await same(['none']);
    await same(['check']);
    await same(['check', 'nowhere']);
    await same(['check', '127.0.0.1:1']);
    await same(['add-node', first()]);
    await same(['set-timeout', first(), '10']);
    await same(['import', first()]);
    await same(['create', 'nowhere']);
    await same(['create', 'nowhere', first()]);
    await same(['create', ...places.slice(0, 4), '--cluster-replicas', '1']);
    const alone = await startSorrel();
    await same(['check', `127.0.0.1:${alone.port}`]);
  });

  it('creates the cluster that redis-cli would', async () => {
    const six = places.slice(0, 6);
    await same(['create', ...places.slice(0, 3)], 'no\n');
    await same(['create', ...six, '--cluster-replicas', '1'], 'no\n');
    const shown = await succeeds('create', ...six, '--cluster-replicas', '1', '--cluster-yes');
    assert.match(shown, /\[OK\] All 16384 slots covered\.\n$/);
    await isWell();
    const slots = await until(
      'replicas are known',
      async () => (await ask(nodes[4]!.port, 'CLUSTER', 'SLOTS')) as unknown[][],
      (ranges) => ranges.every((range) => range.length === 4),
    );
    assert.deepEqual(
      slots.map(([start, end]) => [start, end]),
      [
        [0, 5460],
        [5461, 10922],
        [10923, 16383],
      ],
    );
    await until(
      'all nodes serve',
      () => Promise.all(nodes.slice(0, 6).map((node) => node.ask('CLUSTER', 'INFO'))),
      (states) => states.every((state) => String(state).includes('cluster_state:ok')),
    );
  });

  it('shows the cluster as redis-cli does, and sends commands to all nodes', async () => {
    for (let i = 0; i < 60; i++)
      await ours(['-c', '-p', String(nodes[0]!.port), 'SET', `key:${i}`, `${i}`], '');
    await until(
      'replicas have all keys',
      () => Promise.all(nodes.slice(0, 6).map(({ port }) => ask(port, 'DBSIZE'))),
      (sizes) => sizes.reduce((sum: number, size) => sum + Number(size), 0) === 120,
    );
    for (const place of places.slice(0, 6)) await same(['check', place, '--cluster-search-multiple-owners']);
    await same(['info', ...(first().split(':') as [string, string])]);
    await same(['call', first(), 'CONFIG', 'GET', 'cluster-node-timeout']);
    await same(['call', first(), 'DBSIZE', '--cluster-only-masters']);
    await same(['call', first(), 'nothing', '--cluster-only-replicas']);
    await same(['reshard', first(), '--cluster-slots', '1', '--cluster-to', 'x', '--cluster-from', 'all']);
    await same(['del-node', first(), 'x']);
    await same(['del-node', first(), await nodes[1]!.id()]);
    await same(['rebalance', first()]);
    // redis-cli ignores a weight without its number.
    for (const [weight, answer] of [
      ['x', /invalid input x/],
      ['x=1', /No such master node x/],
    ] as const) {
      const { code, stdout } = await manage('rebalance', first(), '--cluster-weight', weight);
      assert.equal(code, 1);
      assert.match(stdout, answer);
    }
  });

  it('moves slots with their keys', async () => {
    const [a, b, c] = await Promise.all(nodes.slice(0, 3).map((node) => node.id()));
    const plan = ['reshard', first(), '--cluster-slots', '37', '--cluster-to', c!];
    await same([...plan, '--cluster-from', `${a},${b}`], 'no\n');
    await same([...plan, '--cluster-from', 'all'], 'no\n');
    // redis-cli loses lines that arrive together.
    const asked = await ours(
      ['--cluster', 'reshard', first()],
      `0\n20000\n37\n\n${c}\n${a}\n${c}\n${b}\ndone\nno\n`,
    );
    const given = await ours(['--cluster', ...plan, '--cluster-from', `${a},${b}`], 'no\n');
    assert.equal(
      asked.stdout.slice(asked.stdout.indexOf('\nReady')),
      given.stdout.slice(given.stdout.indexOf('\nReady')),
    );
    assert.equal((await ours(['--cluster', 'reshard', first()], '')).code, 1);
    await succeeds(...plan, '--cluster-from', 'all', '--cluster-yes');
    await isWell();
    await same(['rebalance', first(), '--cluster-threshold', '0.1', '--cluster-simulate', '--verbose']);
    const weights = [`${a!.slice(0, 10)}=1.01`, `${c}=0.99`];
    await same([
      'rebalance',
      first(),
      '--cluster-threshold',
      '0.1',
      '--cluster-simulate',
      '--cluster-weight',
      ...weights,
    ]);
    await succeeds('rebalance', first(), '--cluster-threshold', '0.1');
    await isWell();
    const counts = await Promise.all(nodes.slice(0, 3).map(async ({ port }) => slotsOf(port)));
    assert.deepEqual(counts.sort(), [5461, 5461, 5462]);
    for (let i = 0; i < 60; i++) {
      const { stdout } = await ours(['-c', '-p', String(nodes[1]!.port), 'GET', `key:${i}`], '');
      assert.equal(stdout, `${i}\n`);
    }
  });

  it('repairs a move that was interrupted, and slots without an owner', async () => {
    const slot = Number(await ask(nodes[0]!.port, 'CLUSTER', 'KEYSLOT', 'key:1'));
    const owner = (await ownerOf(slot)) as NodeProcess;
    const target = nodes.slice(0, 3).find((node) => node !== owner) as NodeProcess;
    await target.ask('CLUSTER', 'SETSLOT', String(slot), 'IMPORTING', await owner.id());
    await owner.ask('CLUSTER', 'SETSLOT', String(slot), 'MIGRATING', await target.id());
    await same(['check', first()]);
    await same(['reshard', first(), '--cluster-slots', '1', '--cluster-to', 'x', '--cluster-from', 'all']);
    await succeeds('fix', first());
    await isWell();
    assert.equal(await target.ask('GET', 'key:1'), '1');

    const empty = await slotWithoutKeys();
    for (const each of [slot, empty]) {
      for (const node of nodes.slice(0, 6))
        await node.ask('CLUSTER', 'DELSLOTS', String(each)).catch(() => {});
    }
    const { code, stdout } = await ours(['--cluster', 'fix', first()], 'yes\nyes\n');
    assert.equal(code, 0, stdout);
    await isWell();
    assert.equal(await target.ask('GET', 'key:1'), '1');
  });

  it('joins what two owners have of a slot', async () => {
    const slot = Number(await ask(nodes[0]!.port, 'CLUSTER', 'KEYSLOT', '{tag}'));
    const owner = (await ownerOf(slot)) as NodeProcess;
    const other = nodes.slice(0, 3).find((node) => node !== owner) as NodeProcess;
    await owner.ask('MSET', '{tag}1', 'a', '{tag}2', 'b');
    // A node that imports a slot takes keys after ASKING; then it forgets that it imported.
    await other.ask('CLUSTER', 'SETSLOT', String(slot), 'IMPORTING', await owner.id());
    const dump = await ours(['-p', String(other.port)], 'ASKING\nSET {tag}3 c\n');
    assert.match(dump.stdout, /OK\nOK\n$/);
    await other.ask('CLUSTER', 'SETSLOT', String(slot), 'STABLE');
    await same(['check', first(), '--cluster-search-multiple-owners']);
    await succeeds('fix', first(), '--cluster-search-multiple-owners');
    await isWell();
    await until(
      'all keys are in one place',
      async () => [
        await owner.ask('CLUSTER', 'COUNTKEYSINSLOT', String(slot)),
        await other.ask('CLUSTER', 'COUNTKEYSINSLOT', String(slot)),
      ],
      ([mine, theirs]) => mine === 3 && theirs === 0,
    );
  });

  it('adds and removes nodes, imports, sets timeouts, backs up', async () => {
    const added = nodes[6] as NodeProcess;
    const library = "#!lua name=l\nredis.register_function('f', function() return 1 end)";
    await ask(nodes[0]!.port, 'FUNCTION', 'LOAD', library);
    await added.ask('FUNCTION', 'LOAD', library);
    const refused = await same(['add-node', places[6]!, first()]);
    assert.match(refused.stdout, /New node already contains functions/);
    await added.ask('FUNCTION', 'FLUSH');
    await same(['add-node', places[6]!, first(), '--cluster-slave', '--cluster-master-id', 'x']);
    await succeeds('add-node', places[6]!, first());
    assert.equal(((await added.ask('FUNCTION', 'LIST')) as unknown[]).length, 1);
    const joined = (): Promise<unknown> =>
      until(
        'the node is known',
        () => Promise.all(nodes.map((node) => node.ask('CLUSTER', 'NODES'))),
        (views) =>
          views.every(
            (view) => String(view).trim().split('\n').length === 7 && !/handshake/.test(String(view)),
          ),
      );
    await joined();
    await isWell();
    await same(['rebalance', first(), '--cluster-use-empty-masters', '--cluster-simulate']);
    const id = await added.id();
    await succeeds('del-node', first(), id);
    await isWell();
    assert.equal(
      String(await added.ask('CLUSTER', 'NODES'))
        .trim()
        .split('\n').length,
      1,
    );
    await added.ask('FLUSHALL');
    await added.ask('CLUSTER', 'RESET', 'HARD');
    assert.match(
      await succeeds('add-node', places[6]!, first(), '--cluster-slave'),
      /Automatically selected master/,
    );
    await joined();
    assert.match(String(await added.ask('INFO', 'replication')), /role:slave/);

    await same(['set-timeout', first(), '16000']);
    const source = await startSorrel();
    for (let i = 0; i < 20; i++) await ask(source.port, 'SET', `imported:${i}`, 'x');
    const from = ['--cluster-from', `127.0.0.1:${source.port}`];
    await succeeds('import', first(), ...from, '--cluster-copy');
    assert.equal(await ask(source.port, 'DBSIZE'), 20);
    assert.equal((await manage('import', first(), ...from)).code, 1);
    await succeeds('import', first(), ...from, '--cluster-replace');
    assert.equal(await ask(source.port, 'DBSIZE'), 0);

    const [mine, real] = ['ours', 'theirs'].map((name) => join(folder, name)) as [string, string];
    for (const path of [mine, real]) mkdirSync(path);
    await succeeds('backup', first(), mine);
    assert.equal((await theirs(['--cluster', 'backup', first(), real], '')).code, 0);
    assert.deepEqual(readdirSync(mine), readdirSync(real));
    assert.equal(
      readFileSync(join(mine, 'nodes.json'), 'latin1'),
      readFileSync(join(real, 'nodes.json'), 'latin1'),
    );
  });

  async function slotsOf(port: number): Promise<number> {
    const { stdout } = await ours(['--cluster', 'info', first()], '');
    return Number(new RegExp(`:${port} .*\\| (\\d+) slots`).exec(stdout)?.[1]);
  }

  async function ownerOf(slot: number): Promise<NodeProcess | undefined> {
    const ranges = (await ask(nodes[0]!.port, 'CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
    const range = ranges.find(([start, end]) => start <= slot && slot <= end);
    return nodes.find(({ port }) => port === range?.[2][1]);
  }

  async function slotWithoutKeys(): Promise<number> {
    for (let slot = 0; ; slot++) {
      const owner = await ownerOf(slot);
      if ((await owner?.ask('CLUSTER', 'COUNTKEYSINSLOT', String(slot))) === 0) return slot;
    }
  }
});

test('sorrel cli --cluster create reaches nodes that have another cluster-port', async () => {
  const nodes = await Promise.all(
    [1, 2, 3].map(async () => NodeProcess.start('sorrel', { 'cluster-port': String(await freePort()) })),
  );
  try {
    await succeeds('create', ...nodes.map(({ port }) => `127.0.0.1:${port}`), '--cluster-yes');
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
  }
});
