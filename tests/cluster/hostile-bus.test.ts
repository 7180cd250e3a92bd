import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type RandomSource, seededRandom } from '../../src/bytes/random.js';
import type { BusConnection } from '../../src/cluster/bus-link.js';
import type { Cluster } from '../../src/cluster/cluster.js';
import { nodeLines } from '../../src/cluster/node-lines.js';
import { encodePacket, type PacketBody, type PacketHeader, PacketType } from '../../src/cluster/packet.js';
import { SLOTS } from '../../src/cluster/slot-set.js';
import { clusterOf, idOf, simulatedCluster } from './simulated.js';

const PACKETS = Number(process.env['SORREL_HOSTILE_PACKETS'] ?? 4000);
const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 1);
const STRANGER = 'e'.repeat(40);

it(`${PACKETS} damaged packets of a stranger change nothing`, async () => {
  for (const { seed, packets } of batches(SEED)) {
    const { simulation, masters } = await simulatedCluster([1, 0, 0]);
    const [first] = masters as [(typeof masters)[0]];
    const cluster = clusterOf(first);
    const before = knownOf(cluster);
    feed(cluster, seededRandom(seed), packets, STRANGER, new Uint8Array(SLOTS / 8).fill(255));
    assert.equal(knownOf(cluster), before);
    // Handshakes that a MEET has begun are given up.
    await simulation.pass(10_000);
    assert.equal(cluster.topology.nodeCount, 4);
    assert.ok(cluster.topology.isUp);
    simulation.close();
  }
});

it('a replica and a master of an older configuration take no slots', async () => {
  const { simulation, masters, replicas } = await simulatedCluster([1, 0, 0]);
  const [first, second] = masters as [(typeof masters)[0], (typeof masters)[0]];
  const replica = replicas[0]?.[0];
  assert.ok(replica !== undefined);
  const cluster = clusterOf(first);
  const before = slotsOf(cluster);
  const all = new Uint8Array(SLOTS / 8).fill(255);
  const link = accept(cluster);
  // A replica claims everything under a high epoch, and tells that it is a replica.
  link.received(packet(PacketType.ping, idOf(replica), all, { configEpoch: 99, masterId: idOf(first) }));
  assert.equal(slotsOf(cluster), before);
  // A master claims everything under an epoch that is not newer than that of the owners.
  accept(cluster).received(packet(PacketType.ping, idOf(second), all, { configEpoch: 1 }));
  assert.equal(slotsOf(cluster), before);
  // A member tells of a third node with an old epoch.
  const update: PacketBody = { kind: 'update', id: idOf(second), configEpoch: 2, slots: all };
  accept(cluster).received(packet(PacketType.update, idOf(replica), all, { masterId: idOf(first) }, update));
  assert.equal(slotsOf(cluster), before);
  simulation.close();
});

it(`${PACKETS} damaged packets in a member's name do not crash a node`, async () => {
  for (const { seed, packets } of batches(SEED + 1)) {
    const { simulation, masters } = await simulatedCluster(0);
    const [first, second] = masters as [(typeof masters)[0], (typeof masters)[0]];
    const cluster = clusterOf(first);
    feed(cluster, seededRandom(seed), packets, idOf(second), clusterOf(second).topology.myself.slots.bytes);
    await simulation.pass(1000);
    assert.match(first.run('CLUSTER', 'INFO'), /cluster_state/);
    for (const node of cluster.topology.nodes) {
      for (const slot of node.slots) assert.equal(cluster.topology.owner(slot), node);
    }
    simulation.close();
  }
});

it('a link that sends no packets, or one that is too long, is closed', async () => {
  const { simulation, masters } = await simulatedCluster(0);
  const cluster = clusterOf(masters[0] as (typeof masters)[0]);
  for (const bytes of [
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    Buffer.from('RCmb\xff\xff\xff\xff', 'latin1'),
  ]) {
    const link = accept(cluster);
    link.received(bytes);
    assert.ok(link.isClosed);
  }
  simulation.close();
});

it('a packet that announces more gossip than it has is counted and does nothing else', async () => {
  const { simulation, masters } = await simulatedCluster(0);
  const [first] = masters as [(typeof masters)[0]];
  const cluster = clusterOf(first);
  const before = knownOf(cluster);
  const counted = cluster.bus.received[PacketType.meet] as number;
  const bytes = packet(PacketType.meet, STRANGER, new Uint8Array(SLOTS / 8), {});
  bytes.writeUInt16BE(100, 14);
  accept(cluster).received(bytes);
  assert.equal(cluster.bus.received[PacketType.meet], counted + 1);
  assert.equal(knownOf(cluster), before);
  simulation.close();
});

/** Each batch gets a new cluster: a node believes members about others, and would know thousands of them in the end. */
function* batches(seed: number): Generator<{ readonly seed: number; readonly packets: number }> {
  for (let sent = 0; sent < PACKETS; sent += BATCH) {
    yield { seed: seed * 1000 + sent / BATCH, packets: Math.min(BATCH, PACKETS - sent) };
  }
}

const BATCH = 10_000;

function feed(cluster: Cluster, random: RandomSource, packets: number, id: string, slots: Uint8Array): void {
  let link = accept(cluster);
  const known = [...cluster.topology.nodes].map((node) => node.id);
  for (let i = 0; i < packets; i++) {
    const type = random.integer(12);
    const bytes = packet(
      type,
      id,
      slots,
      { configEpoch: random.integer(20), currentEpoch: random.integer(20) },
      bodyOf(type, random, known, slots),
    );
    for (let damage = random.integer(5); damage > 0; damage--) {
      // The sender stays who it is.
      const at = 8 + random.integer(bytes.length - 8);
      if (at < 40 || at >= 80) bytes[at] = random.integer(256);
    }
    link.received(bytes);
    if (link.isClosed) link = accept(cluster);
  }
}

function bodyOf(type: number, random: RandomSource, known: readonly string[], slots: Uint8Array): PacketBody {
  const id = known[random.integer(known.length)] as string;
  switch (type) {
    case PacketType.ping:
    case PacketType.pong:
    case PacketType.meet: {
      const about = {
        id,
        ip: '127.0.0.1',
        port: 7001,
        busPort: 17001,
        plainPort: 0,
        pingSent: 0,
        pongReceived: 0,
      };
      const gossip = Array.from({ length: random.integer(4) }, () => ({
        ...about,
        flags: random.integer(1024),
      }));
      return { kind: 'ping', gossip, hostname: random.integer(2) === 0 ? '' : 'host.example.org' };
    }
    case PacketType.fail:
      return { kind: 'fail', id };
    case PacketType.publish:
    case PacketType.publishShard:
      return { kind: 'publish', channel: Buffer.from('channel'), message: Buffer.from('message') };
    case PacketType.update:
      return { kind: 'update', id, configEpoch: random.integer(20), slots };
    default:
      return { kind: 'none' };
  }
}

function packet(
  type: number,
  id: string,
  slots: Uint8Array,
  fields: Partial<PacketHeader>,
  body: PacketBody = { kind: 'ping', gossip: [], hostname: '' },
): Buffer {
  const header: PacketHeader = {
    type,
    id,
    port: 7999,
    plainPort: 0,
    busPort: 17999,
    ip: '',
    flags: 1,
    isUp: true,
    currentEpoch: 1,
    configEpoch: 1,
    slots,
    offset: 0,
    masterId: '',
    messageFlags: 0,
    ...fields,
  };
  return encodePacket(header, body);
}

/** A connection to the node's bus. */
function accept(cluster: Cluster): { received(bytes: Buffer): void; readonly isClosed: boolean } {
  const state = { isClosed: false };
  const connection: BusConnection = {
    localHost: '127.0.0.1',
    remoteHost: '127.0.0.1',
    unsent: 0,
    send: () => {},
    close: () => {
      state.isClosed = true;
    },
  };
  const events = cluster.bus.accept(connection);
  return {
    received: (bytes) => events.received(bytes),
    get isClosed() {
      return state.isClosed;
    },
  };
}

/** What the node knows for sure: members with their slots, without times and handshakes. */
function knownOf(cluster: Cluster): string {
  const lines = nodeLines(cluster.topology, false, false).split('\n');
  return lines.map((line) => line.replace(/ \d+ \d+ (\d+ \w+)/, ' $1')).join('\n');
}

function slotsOf({ topology }: Cluster): string {
  return Array.from({ length: SLOTS }, (_, slot) => topology.owner(slot)?.id.slice(0, 4)).join();
}
