import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { until } from '../replication/support.js';
import { type Outcome, ours, theirs } from '../support/cli-outcome.js';
import {
  ask,
  clusterEpochs,
  clusterMembers,
  stopAllServers,
  whenRedisIsInstalled,
} from '../support/fleet/index.js';
import { manage, NodeProcess } from './mixed-cluster.js';

/**
 * `--cluster fix` of ours and of redis-cli, each on the same damaged slot of the same cluster: they must print the same and leave the same
 * owner with the same keys.
 */

const KEYS = ['{tag}1', '{tag}2', '{tag}3'];

type Nodes = [NodeProcess, NodeProcess, NodeProcess, NodeProcess];
type Damage = (...nodes: Nodes) => Promise<void>;

describe('sorrel cli --cluster fix', whenRedisIsInstalled, () => {
  let nodes: Nodes;
  let slot: string;
  const ids = new Map<NodeProcess, string>();
  const id = (node: NodeProcess): string => ids.get(node) as string;
  const setSlot = (node: NodeProcess, ...words: string[]): Promise<unknown> =>
    node.ask('CLUSTER', 'SETSLOT', slot, ...words);

  before(async () => {
    const settings = {
      'cluster-node-timeout': '4000',
      'enable-debug-command': 'yes',
      // Nodes serve while a slot has no owner, so that no command depends on when they learn of one.
      'cluster-require-full-coverage': 'no',
    };
    const start = (): Promise<NodeProcess> => NodeProcess.start('redis', settings);
    nodes = [await start(), await start(), await start(), await start()];
    await manage('create', ...nodes.map(({ port }) => `127.0.0.1:${port}`), '--cluster-yes');
    for (const node of nodes) ids.set(node, await node.id());
    slot = String(await nodes[0].ask('CLUSTER', 'KEYSLOT', '{tag}'));
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await stopAllServers();
  });

  /** The first node has the slot, no node has keys or an open slot, and all agree on that. */
  async function restore(): Promise<void> {
    const [owner, other] = nodes;
    for (const node of nodes) {
      await node.ask('FLUSHALL');
      await setSlot(node, 'STABLE');
    }
    // The owner's claim wins only with the highest epoch, which it takes only if it knows those of all others.
    await untilAllAgree(epochsOf, (epochs) => new Set(epochs.values()).size === nodes.length);
    await owner.ask('CLUSTER', 'DELSLOTS', slot).catch(() => {});
    await setSlot(owner, 'IMPORTING', id(other));
    await setSlot(owner, 'NODE', id(owner));
    await untilAllAgree(epochsOf, (epochs) => epochs.get(id(owner)) === Math.max(...epochs.values()));
    await untilAllAgree(slotsOf, (slots) => !slots.includes('['));
    await untilAllAgree(stateOf, (state) => state === 'cluster_state:ok');
  }

  /** Waits until all nodes give the same view of the cluster, and it is the expected one. */
  async function untilAllAgree<View>(
    viewOf: (node: NodeProcess) => Promise<View>,
    isExpected: (view: View) => boolean,
  ): Promise<void> {
    await until(
      'all nodes agree',
      () => Promise.all(nodes.map(viewOf)),
      (views) => views.every((view) => isDeepStrictEqual(view, views[0]) && isExpected(view)),
    );
  }

  /** Stores keys on their owner, which may not serve yet: a moment ago a slot had no owner. */
  async function store(node: NodeProcess, ...keys: string[]): Promise<void> {
    await until(
      'the owner serves',
      () => node.ask('MSET', ...keys.flatMap((key) => [key, key])),
      (reply) => reply === 'OK',
    );
  }

  /** Puts a key on a node that does not own its slot, as an interrupted move does. */
  async function put(node: NodeProcess, ...keys: string[]): Promise<void> {
    await setSlot(node, 'IMPORTING', id(node === nodes[0] ? nodes[1] : nodes[0]));
    for (const key of keys) {
      await until(
        'the node serves',
        () => theirs(['-p', String(node.port)], `ASKING\nSET ${key} ${key}\n`),
        ({ stdout }) => stdout === 'OK\nOK\n',
      );
    }
    await setSlot(node, 'STABLE');
  }

  /** Lets no node name an owner of the slots. A PING on its way may tell a node of the old owner, so it is repeated. */
  async function takeFromAll(...slots: string[]): Promise<void> {
    await until(
      'no node names an owner',
      async () => {
        for (const each of slots) {
          await Promise.all(nodes.map((node) => node.ask('CLUSTER', 'DELSLOTS', each).catch(() => {})));
        }
        return Promise.all(nodes.flatMap((node) => slots.map((each) => ownerOf(node, Number(each)))));
      },
      (owners) => owners.every((owner) => owner === undefined),
    );
  }

  /** Where the slot and its keys are in the end. */
  async function placeOfAll(): Promise<unknown> {
    const owners = await until(
      'all nodes name the same owner',
      () => Promise.all(nodes.map((node) => ownerOf(node, Number(slot)))),
      (found) => new Set(found).size === 1,
    );
    const keys = await Promise.all(nodes.map((node) => node.ask('CLUSTER', 'GETKEYSINSLOT', slot, '10')));
    const open = await Promise.all(
      nodes.map(async (node) => /\[/.test(String(await node.ask('CLUSTER', 'NODES')))),
    );
    return { owner: owners[0], keys: keys.map((each) => (each as string[]).sort()), open };
  }

  /** Damages the slot, repairs it with each of the tools, and compares. Returns the common output. */
  async function compare(damage: Damage, input: string, ...options: string[]): Promise<string> {
    const outcomes: { readonly outcome: Outcome; readonly left: unknown }[] = [];
    for (const tool of [theirs, ours]) {
      await restore();
      await damage(...nodes);
      const outcome = await tool(['--cluster', 'fix', `127.0.0.1:${nodes[0].port}`, ...options], input);
      outcomes.push({ outcome, left: outcome.code === 0 ? await placeOfAll() : undefined });
    }
    const [real, mine] = outcomes as [(typeof outcomes)[0], (typeof outcomes)[0]];
    assert.deepEqual(mine.outcome.stdout.split('\n'), real.outcome.stdout.split('\n'));
    assert.deepEqual(mine, real);
    return mine.outcome.stdout;
  }

  it('case 1: a move that was interrupted is completed', async () => {
    const shown = await compare(async (a, b) => {
      await store(a, ...KEYS);
      await setSlot(b, 'IMPORTING', id(a));
      await setSlot(a, 'MIGRATING', id(b));
    }, '');
    assert.match(shown, /Case 1: Moving slot/);
  });

  it('case 2: keys of nodes that import a slot go to its owner', async () => {
    const shown = await compare(async (a, b, c) => {
      await store(a, KEYS[0]!);
      await put(b, KEYS[1]!);
      await setSlot(b, 'IMPORTING', id(a));
      await setSlot(c, 'IMPORTING', id(a));
    }, '');
    assert.match(shown, /Case 2: Moving all the/);
  });

  it('case 3: of several nodes that import a slot, the one that its owner names gets it', async () => {
    const shown = await compare(async (a, b, c) => {
      await store(a, ...KEYS);
      await setSlot(a, 'MIGRATING', id(c));
      await setSlot(b, 'IMPORTING', id(a));
      await setSlot(c, 'IMPORTING', id(a));
    }, '');
    assert.match(shown, /Case 3: Moving slot/);
  });

  it('case 3: a move to none of the nodes that import the slot is undone', async () => {
    const shown = await compare(async (a, b, c, d) => {
      await store(a, ...KEYS);
      await setSlot(a, 'MIGRATING', id(d));
      await setSlot(b, 'IMPORTING', id(a));
      await setSlot(c, 'IMPORTING', id(a));
    }, '');
    assert.match(shown, /Case 3: Closing slot/);
  });

  it('case 4: a move that no node expects is undone', async () => {
    const shown = await compare(async (a, b) => {
      await store(a, ...KEYS);
      await setSlot(a, 'MIGRATING', id(b));
    }, '');
    assert.match(shown, /Case 4: Closing slot/);
  });

  it('gives up where several nodes that import the slot have keys', async () => {
    await compare(async (a, b, c) => {
      await store(a, KEYS[0]!);
      await setSlot(a, 'MIGRATING', id(b));
      for (const node of [b, c]) {
        await put(node, KEYS[node === b ? 1 : 2]!);
        await setSlot(node, 'IMPORTING', id(a));
      }
    }, '');
  });

  it('a slot without owner goes to the node that has its keys', async () => {
    const shown = await compare(async (_a, _b, c) => {
      await put(c, ...KEYS);
      await takeFromAll(slot);
    }, 'yes\n');
    assert.match(shown, /keys in just one node/);
  });

  it('a slot without owner goes to the node with most of its keys, with those of the others', async () => {
    const shown = await compare(async (_a, b, c) => {
      await put(b, KEYS[0]!);
      await put(c, KEYS[1]!, KEYS[2]!);
      await takeFromAll(slot);
    }, 'yes\n');
    assert.match(shown, /keys in multiple nodes/);
  });

  it('slots without owner are listed, and left if the user says so', async () => {
    await takeFromAll('8000', '8001', '8002');
    const shown = await compare(() => takeFromAll(slot), 'no\n');
    assert.match(shown, /\n\[8000-8002\],\[8338\]\n/);
  });

  // redis-cli takes the slot from the others before it moves their keys, which they then refuse to move.
  it('of several nodes with keys of a slot, the one with most of them becomes its owner', async () => {
    await restore();
    const [owner, other] = nodes;
    await store(owner, KEYS[0]!);
    await put(other, KEYS[1]!, KEYS[2]!);
    const fix = ['--cluster', 'fix', `127.0.0.1:${owner.port}`, '--cluster-search-multiple-owners'];
    const { code, stdout } = await ours(fix, '');
    assert.equal(code, 0, stdout);
    assert.match(stdout, /Fixing multiple owners for slot/);
    assert.deepEqual(await placeOfAll(), {
      owner: other.port,
      keys: [[], KEYS, [], []],
      open: [false, false, false, false],
    });
  });

  // The last test: the slots of a node that is gone are given to the others.
  it('repairs nothing while a master does not answer, unless the user insists', async () => {
    await restore();
    const [first, second, third, gone] = nodes;
    gone.kill();
    const fix = ['--cluster', 'fix', `127.0.0.1:${first.port}`];
    const real = await theirs(fix, 'yes\n');
    const mine = await ours(fix, 'yes\n');
    assert.deepEqual(mine, real);
    assert.match(mine.stdout, /slots coverage with 1 unreachable masters is dangerous/);
    const insisted = await ours([...fix, '--cluster-fix-with-unreachable-masters'], 'yes\n');
    assert.equal(insisted.code, 0, insisted.stdout);
    const left = [first, second, third];
    await until(
      'the nodes that are left have all slots',
      () => Promise.all(left.map(slotsOf)),
      (views) =>
        views.every((view) => view === views[0] && new RegExp(`^${id(gone)}$`, 'm').test(view)) &&
        !String(views[0]).includes('['),
    );
    assert.match(await manage('check', `127.0.0.1:${first.port}`), /All 16384 slots covered/);
  });
});

/** The port of the slot's owner, as the node sees it. */
async function ownerOf(node: NodeProcess, slot: number): Promise<number | undefined> {
  const ranges = (await ask(node.port, 'CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
  return ranges.find(([start, end]) => start <= slot && slot <= end)?.[2][1];
}

async function stateOf(node: NodeProcess): Promise<string | undefined> {
  return String(await node.ask('CLUSTER', 'INFO')).split('\r\n')[0];
}

/** Members with their slots. */
async function slotsOf(node: NodeProcess): Promise<string> {
  const members = clusterMembers(await node.ask('CLUSTER', 'NODES'));
  return members
    .map(({ id, slots }) => [id, ...slots].join(' '))
    .sort()
    .join('\n');
}

async function epochsOf(node: NodeProcess): Promise<Map<string, number>> {
  return clusterEpochs(await node.ask('CLUSTER', 'NODES'));
}
