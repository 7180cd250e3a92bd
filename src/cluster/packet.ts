import { SLOTS } from './slot-set.js';

/** Messages of the bus. PING, PONG and MEET have the same content; MEET asks to be added. */
export const PacketType = {
  ping: 0,
  pong: 1,
  meet: 2,
  fail: 3,
  publish: 4,
  voteRequest: 5,
  vote: 6,
  update: 7,
  manualFailover: 8,
  module: 9,
  publishShard: 10,
} as const;
export type PacketType = (typeof PacketType)[keyof typeof PacketType];

/** How CLUSTER INFO and logs name the types; the index is the type. */
export const PACKET_NAMES = [
  'ping',
  'pong',
  'meet',
  'fail',
  'publish',
  'auth-req',
  'auth-ack',
  'update',
  'mfstart',
  'module',
  'publishshard',
] as const;

export const PacketFlag = {
  /** The master has paused its clients for a manual failover. */
  paused: 1,
  /** Vote although the master works: a manual failover. */
  forced: 2,
  /** Extensions follow the gossip. */
  extensions: 4,
} as const;

/** What every packet says about its sender. */
export interface PacketHeader {
  readonly type: number;
  /** Of the sender. */
  readonly id: string;
  readonly port: number;
  readonly plainPort: number;
  readonly busPort: number;
  /** The address that the sender announces; empty if the receiver should use that of the connection. */
  readonly ip: string;
  readonly flags: number;
  readonly isUp: boolean;
  readonly currentEpoch: number;
  /** Those of the sender's master, if it is a replica. */
  readonly configEpoch: number;
  readonly slots: Uint8Array;
  readonly offset: number;
  /** The id of the sender's master; empty for a master. */
  readonly masterId: string;
  readonly messageFlags: number;
}

/** What a PING says about a third node. Times are in seconds. */
export interface Gossip {
  readonly id: string;
  readonly pingSent: number;
  readonly pongReceived: number;
  readonly ip: string;
  readonly port: number;
  readonly busPort: number;
  readonly plainPort: number;
  readonly flags: number;
}

export type PacketBody =
  | { readonly kind: 'ping'; readonly gossip: readonly Gossip[]; readonly hostname: string }
  | { readonly kind: 'fail'; readonly id: string }
  | { readonly kind: 'publish'; readonly channel: Uint8Array; readonly message: Uint8Array }
  | { readonly kind: 'update'; readonly id: string; readonly configEpoch: number; readonly slots: Uint8Array }
  | { readonly kind: 'none' };

export interface Packet {
  readonly header: PacketHeader;
  readonly body: PacketBody;
}

// ---- layout: all numbers are big-endian ----

const AT = {
  length: 4,
  version: 8,
  port: 10,
  type: 12,
  count: 14,
  currentEpoch: 16,
  configEpoch: 24,
  offset: 32,
  id: 40,
  slots: 80,
  masterId: 2128,
  ip: 2168,
  extensions: 2214,
  plainPort: 2246,
  busPort: 2248,
  flags: 2250,
  state: 2252,
  messageFlags: 2253,
} as const;
/** Where the body begins: the length of the shortest packet. */
export const HEADER_BYTES = 2256;
/** Enough to know the length of a packet. */
export const PREFIX_BYTES = 8;
const SIGNATURE = Buffer.from('RCmb');
const VERSION = 1;
const ID_BYTES = 40;
const IP_BYTES = 46;
const SLOT_BYTES = SLOTS / 8;
const GOSSIP_BYTES = 104;
const GOSSIP_AT = {
  pingSent: 40,
  pongReceived: 44,
  ip: 48,
  port: 94,
  busPort: 96,
  flags: 98,
  plainPort: 100,
};
const EXTENSION_HEADER_BYTES = 8;
const HOSTNAME_EXTENSION = 0;
const UPDATE_BYTES = 8 + ID_BYTES + SLOT_BYTES;

/** Whether the first bytes are those of a packet; its length is the second word. */
export function packetLength(prefix: Buffer): number | undefined {
  if (!prefix.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return undefined;
  const length = prefix.readUInt32BE(AT.length);
  return length < HEADER_BYTES ? undefined : length;
}

/** The type that a packet names, before anything else of it is checked; undefined if there is no such type. */
export function packetType(bytes: Buffer): number | undefined {
  const type = bytes.readUInt16BE(AT.type);
  return type < PACKET_NAMES.length ? type : undefined;
}

// ---- encoding ----

export function encodePacket(header: PacketHeader, body: PacketBody): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + bodyBytes(body));
  SIGNATURE.copy(bytes);
  bytes.writeUInt32BE(bytes.length, AT.length);
  bytes.writeUInt16BE(VERSION, AT.version);
  bytes.writeUInt16BE(header.port, AT.port);
  bytes.writeUInt16BE(header.type, AT.type);
  bytes.writeBigUInt64BE(BigInt(header.currentEpoch), AT.currentEpoch);
  bytes.writeBigUInt64BE(BigInt(header.configEpoch), AT.configEpoch);
  bytes.writeBigInt64BE(BigInt(header.offset), AT.offset);
  bytes.write(header.id, AT.id, ID_BYTES, 'latin1');
  bytes.set(header.slots, AT.slots);
  bytes.write(header.masterId, AT.masterId, ID_BYTES, 'latin1');
  bytes.write(header.ip, AT.ip, IP_BYTES - 1, 'latin1');
  bytes.writeUInt16BE(header.plainPort, AT.plainPort);
  bytes.writeUInt16BE(header.busPort, AT.busPort);
  bytes.writeUInt16BE(header.flags, AT.flags);
  bytes.writeUInt8(header.isUp ? 0 : 1, AT.state);
  bytes.writeUInt8(header.messageFlags, AT.messageFlags);
  writeBody(bytes, body);
  return bytes;
}

function bodyBytes(body: PacketBody): number {
  switch (body.kind) {
    case 'ping':
      return body.gossip.length * GOSSIP_BYTES + extensionBytes(body.hostname);
    case 'fail':
      return ID_BYTES;
    case 'publish':
      return 8 + body.channel.length + body.message.length;
    case 'update':
      return UPDATE_BYTES;
    case 'none':
      return 0;
  }
}

/** The hostname ends with a zero, and the extension at a multiple of 8. */
function extensionBytes(hostname: string): number {
  return hostname === '' ? 0 : EXTENSION_HEADER_BYTES + Math.ceil((hostname.length + 1) / 8) * 8;
}

function writeBody(bytes: Buffer, body: PacketBody): void {
  switch (body.kind) {
    case 'ping': {
      bytes.writeUInt16BE(body.gossip.length, AT.count);
      body.gossip.forEach((gossip, index) => {
        writeGossip(bytes, HEADER_BYTES + index * GOSSIP_BYTES, gossip);
      });
      if (body.hostname === '') return;
      const at = HEADER_BYTES + body.gossip.length * GOSSIP_BYTES;
      bytes.writeUInt16BE(1, AT.extensions);
      bytes.writeUInt8(bytes.readUInt8(AT.messageFlags) | PacketFlag.extensions, AT.messageFlags);
      bytes.writeUInt32BE(extensionBytes(body.hostname), at);
      bytes.writeUInt16BE(HOSTNAME_EXTENSION, at + 4);
      bytes.write(body.hostname, at + EXTENSION_HEADER_BYTES, 'latin1');
      return;
    }
    case 'fail':
      bytes.write(body.id, HEADER_BYTES, ID_BYTES, 'latin1');
      return;
    case 'publish':
      bytes.writeUInt32BE(body.channel.length, HEADER_BYTES);
      bytes.writeUInt32BE(body.message.length, HEADER_BYTES + 4);
      bytes.set(body.channel, HEADER_BYTES + 8);
      bytes.set(body.message, HEADER_BYTES + 8 + body.channel.length);
      return;
    case 'update':
      bytes.writeBigUInt64BE(BigInt(body.configEpoch), HEADER_BYTES);
      bytes.write(body.id, HEADER_BYTES + 8, ID_BYTES, 'latin1');
      bytes.set(body.slots, HEADER_BYTES + 8 + ID_BYTES);
      return;
    case 'none':
      return;
  }
}

function writeGossip(bytes: Buffer, at: number, gossip: Gossip): void {
  bytes.write(gossip.id, at, ID_BYTES, 'latin1');
  bytes.writeUInt32BE(gossip.pingSent, at + GOSSIP_AT.pingSent);
  bytes.writeUInt32BE(gossip.pongReceived, at + GOSSIP_AT.pongReceived);
  bytes.write(gossip.ip, at + GOSSIP_AT.ip, IP_BYTES - 1, 'latin1');
  bytes.writeUInt16BE(gossip.port, at + GOSSIP_AT.port);
  bytes.writeUInt16BE(gossip.busPort, at + GOSSIP_AT.busPort);
  bytes.writeUInt16BE(gossip.flags, at + GOSSIP_AT.flags);
  bytes.writeUInt16BE(gossip.plainPort, at + GOSSIP_AT.plainPort);
}

// ---- decoding ----

/** A packet that cannot be used; the message says why. */
export class PacketError extends Error {}

/**
 * Reads a whole packet. Slots and messages are views of its bytes. Throws a PacketError if its parts do not fit together;
 * undefined if it is of another version or type, which is not an error.
 */
export function decodePacket(bytes: Buffer): Packet | undefined {
  const type = packetType(bytes);
  if (bytes.readUInt16BE(AT.version) !== VERSION || type === undefined) return undefined;
  const body = readBody(bytes, type);
  const header: PacketHeader = {
    type,
    id: readId(bytes, AT.id),
    port: bytes.readUInt16BE(AT.port),
    plainPort: bytes.readUInt16BE(AT.plainPort),
    busPort: bytes.readUInt16BE(AT.busPort),
    ip: readText(bytes, AT.ip, IP_BYTES),
    flags: bytes.readUInt16BE(AT.flags),
    isUp: bytes.readUInt8(AT.state) === 0,
    currentEpoch: readNumber(bytes, AT.currentEpoch),
    configEpoch: readNumber(bytes, AT.configEpoch),
    slots: bytes.subarray(AT.slots, AT.slots + SLOT_BYTES),
    offset: readNumber(bytes, AT.offset),
    masterId: readText(bytes, AT.masterId, ID_BYTES),
    messageFlags: bytes.readUInt8(AT.messageFlags),
  };
  return { header, body };
}

function readBody(bytes: Buffer, type: number): PacketBody {
  switch (type) {
    case PacketType.ping:
    case PacketType.pong:
    case PacketType.meet:
      return readPing(bytes, type);
    case PacketType.fail:
      checkLength(bytes, type, ID_BYTES);
      return { kind: 'fail', id: readId(bytes, HEADER_BYTES) };
    case PacketType.publish:
    case PacketType.publishShard:
      return readPublish(bytes, type);
    case PacketType.update:
      checkLength(bytes, type, UPDATE_BYTES);
      return {
        kind: 'update',
        configEpoch: readNumber(bytes, HEADER_BYTES),
        id: readId(bytes, HEADER_BYTES + 8),
        slots: bytes.subarray(HEADER_BYTES + 8 + ID_BYTES, HEADER_BYTES + UPDATE_BYTES),
      };
    case PacketType.module:
      return { kind: 'none' };
    default:
      checkLength(bytes, type, 0);
      return { kind: 'none' };
  }
}

function readPing(bytes: Buffer, type: number): PacketBody {
  const count = bytes.readUInt16BE(AT.count);
  const end = HEADER_BYTES + count * GOSSIP_BYTES;
  const hasExtensions = (bytes.readUInt8(AT.messageFlags) & PacketFlag.extensions) !== 0;
  if (end > bytes.length) {
    throw new PacketError(
      `Received invalid ${PACKET_NAMES[type]} packet with gossip count ${count} that exceeds total packet length (${bytes.length})`,
    );
  }
  if (!hasExtensions && end !== bytes.length) throw wrongLength(bytes, type, end);
  const gossip = Array.from({ length: count }, (_, index) =>
    readGossip(bytes, HEADER_BYTES + index * GOSSIP_BYTES),
  );
  return { kind: 'ping', gossip, hostname: hasExtensions ? readHostname(bytes, type, end) : '' };
}

function readHostname(bytes: Buffer, type: number, start: number): string {
  let at = start;
  let hostname = '';
  for (let left = bytes.readUInt16BE(AT.extensions); left > 0; left--) {
    const available = bytes.length - at;
    const length = available < EXTENSION_HEADER_BYTES ? 0 : bytes.readUInt32BE(at);
    if (length < EXTENSION_HEADER_BYTES || length > available) {
      throw new PacketError(
        `Received invalid ${PACKET_NAMES[type]} packet with extension data that exceeds total packet length (${bytes.length})`,
      );
    }
    if (length % 8 !== 0) {
      throw new PacketError(
        `Received a ${PACKET_NAMES[type]} packet without proper padding (${length} bytes)`,
      );
    }
    if (bytes.readUInt16BE(at + 4) === HOSTNAME_EXTENSION) {
      hostname = readText(bytes, at + EXTENSION_HEADER_BYTES, length - EXTENSION_HEADER_BYTES);
    }
    at += length;
  }
  if (at !== bytes.length) throw wrongLength(bytes, type, at);
  return hostname;
}

function readGossip(bytes: Buffer, at: number): Gossip {
  return {
    id: readId(bytes, at),
    pingSent: bytes.readUInt32BE(at + GOSSIP_AT.pingSent),
    pongReceived: bytes.readUInt32BE(at + GOSSIP_AT.pongReceived),
    ip: readText(bytes, at + GOSSIP_AT.ip, IP_BYTES),
    port: bytes.readUInt16BE(at + GOSSIP_AT.port),
    busPort: bytes.readUInt16BE(at + GOSSIP_AT.busPort),
    plainPort: bytes.readUInt16BE(at + GOSSIP_AT.plainPort),
    flags: bytes.readUInt16BE(at + GOSSIP_AT.flags),
  };
}

function readPublish(bytes: Buffer, type: number): PacketBody {
  if (bytes.length < HEADER_BYTES + 8) throw wrongLength(bytes, type, HEADER_BYTES + 8);
  const channelEnd = HEADER_BYTES + 8 + bytes.readUInt32BE(HEADER_BYTES);
  checkLength(bytes, type, channelEnd - HEADER_BYTES + bytes.readUInt32BE(HEADER_BYTES + 4));
  return {
    kind: 'publish',
    channel: bytes.subarray(HEADER_BYTES + 8, channelEnd),
    message: bytes.subarray(channelEnd),
  };
}

function checkLength(bytes: Buffer, type: number, bodyLength: number): void {
  const expected = HEADER_BYTES + bodyLength;
  if (bytes.length !== expected) throw wrongLength(bytes, type, expected);
}

function wrongLength(bytes: Buffer, type: number, expected: number): PacketError {
  return new PacketError(
    `Received invalid ${PACKET_NAMES[type]} packet of length ${bytes.length} but expected length ${expected}`,
  );
}

/** Text that ends with a zero, or with its field. */
function readText(bytes: Buffer, at: number, length: number): string {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString('latin1', 0, end === -1 ? length : end);
}

function readId(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at, at + ID_BYTES);
}

/** An epoch or offset. No cluster counts so far that a number could not hold it exactly. */
function readNumber(bytes: Buffer, at: number): number {
  const value = bytes.readBigInt64BE(at);
  if (value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new PacketError(`Received a packet with an impossible number: ${value}`);
  }
  return Number(value);
}

/** Whether the text has the form of a node's id. */
export function isNodeId(text: string): boolean {
  return NODE_ID.test(text);
}

const NODE_ID = /^[0-9a-z]{40}$/;
