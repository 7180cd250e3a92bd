import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '../bytes/random.js';
import {
  decodePacket,
  encodePacket,
  type PacketBody,
  PacketError,
  type PacketHeader,
  PacketType,
  packetLength,
} from './packet.js';
import { SLOTS } from './slot-set.js';

const ID = '0123456789abcdef0123456789abcdef01234567';
const OTHER = 'ffffffffffffffffffffffffffffffffffffffff';

function header(type: number): PacketHeader {
  return {
    type,
    id: ID,
    port: 7001,
    plainPort: 0,
    busPort: 17001,
    ip: '10.0.0.1',
    flags: 17,
    isUp: true,
    currentEpoch: 12,
    configEpoch: 7,
    slots: new Uint8Array(SLOTS / 8).fill(5),
    offset: 123_456_789_012,
    masterId: OTHER,
    messageFlags: 0,
  };
}

const gossip = {
  id: OTHER,
  pingSent: 0,
  pongReceived: 1_700_000_000,
  ip: '::1',
  port: 7002,
  busPort: 17002,
  plainPort: 7012,
  flags: 2,
};

const BODIES: readonly (readonly [number, PacketBody])[] = [
  [PacketType.ping, { kind: 'ping', gossip: [], hostname: '' }],
  [PacketType.meet, { kind: 'ping', gossip: [gossip, gossip], hostname: 'node.example.org' }],
  [PacketType.fail, { kind: 'fail', id: OTHER }],
  [PacketType.publish, { kind: 'publish', channel: Buffer.from('news'), message: Buffer.from([0, 255]) }],
  [
    PacketType.update,
    { kind: 'update', id: OTHER, configEpoch: 9, slots: new Uint8Array(SLOTS / 8).fill(1) },
  ],
  [PacketType.voteRequest, { kind: 'none' }],
];

for (const [type, body] of BODIES) {
  test(`a packet of type ${type} is read as it was written`, () => {
    const bytes = encodePacket(header(type), body);
    assert.equal(packetLength(bytes), bytes.length);
    const packet = decodePacket(bytes);
    const flags = body.kind === 'ping' && body.hostname !== '' ? 4 : 0;
    assert.deepEqual(plain(packet?.header), plain({ ...header(type), messageFlags: flags }));
    assert.deepEqual(plain(packet?.body), plain(body));
  });
}

test('a packet whose parts do not fit together is refused', () => {
  const random = seededRandom(3);
  let refused = 0;
  for (let round = 0; round < 3000; round++) {
    const [type, body] = BODIES[round % BODIES.length] as (typeof BODIES)[number];
    const bytes = encodePacket(header(type), body);
    for (let i = random.integer(4); i >= 0; i--) {
      // Mostly the fields that lengths are computed from.
      const at =
        random.integer(3) === 0
          ? random.integer(bytes.length)
          : (FIELDS[random.integer(FIELDS.length)] as number);
      if (at < bytes.length) bytes[at] = random.integer(256);
    }
    const cut =
      random.integer(5) === 0 ? bytes.subarray(0, 2256 + random.integer(bytes.length - 2255)) : bytes;
    try {
      decodePacket(cut);
    } catch (error) {
      assert.ok(error instanceof PacketError, String(error));
      refused++;
    }
  }
  assert.ok(refused > 500, String(refused));
});

test('bytes that are no packet are recognised at once', () => {
  assert.equal(packetLength(Buffer.from('GET / HTTP/1.1')), undefined);
  assert.equal(packetLength(Buffer.from('RCmb\0\0\0\x10')), undefined);
});

/** Type, counts, lengths and flags of all kinds of packets. */
const FIELDS = [8, 9, 12, 13, 14, 15, 16, 24, 32, 2214, 2215, 2253, 2256, 2257, 2260, 2263, 2464, 2467, 2468];

/** Buffers and typed arrays as numbers. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, each) => (each instanceof Uint8Array ? [...each] : each)) ?? 'null',
    (_key, each) => (each?.type === 'Buffer' ? each.data : each),
  );
}
