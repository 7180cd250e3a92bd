import type { ClusterNode } from './node.js';
import { HEADER_BYTES, PREFIX_BYTES, packetLength } from './packet.js';

/** The connection below a link, whichever side opened it. */
export interface BusConnection {
  /** Our own address and that of the other side, without ports; empty if it is not known. */
  readonly localHost: string;
  readonly remoteHost: string;
  /** Bytes that were not sent yet. */
  readonly unsent: number;
  send(bytes: Buffer): void;
  close(): void;
}

/** A connection of the bus. A node sends its PINGs on the link that it opened, and gets the PONGs there. */
export class BusLink {
  readonly isInbound: boolean;
  readonly createdAt: number;
  /** Undefined while the sender of an inbound link is not known. */
  node: ClusterNode | undefined;
  isConnected: boolean;
  /** The number of packets that were received. */
  packets = 0;
  #connection: BusConnection | undefined;
  #chunks: Buffer[] = [];
  #received = 0;
  /** The length of the packet that is being received; 0 while it is not known. */
  #length = 0;

  constructor(node: ClusterNode | undefined, now: number) {
    this.isInbound = node === undefined;
    this.isConnected = this.isInbound;
    this.node = node;
    this.createdAt = now;
  }

  set connection(connection: BusConnection) {
    this.#connection = connection;
  }

  /** Whether the node that opened the link has added us: to a node in handshake it sends one packet, and then waits for the reply. */
  get isOfMember(): boolean {
    return this.isInbound && this.packets > 1;
  }

  get localHost(): string {
    return this.#connection?.localHost ?? '';
  }

  get remoteHost(): string {
    return this.#connection?.remoteHost ?? '';
  }

  get unsent(): number {
    return this.#connection?.unsent ?? 0;
  }

  /** Memory that it uses, roughly. */
  get bytes(): number {
    return this.unsent + this.#received + LINK_BYTES;
  }

  send(packet: Buffer): void {
    if (this.isConnected) this.#connection?.send(packet);
  }

  close(): void {
    this.isConnected = false;
    this.#connection?.close();
    this.#connection = undefined;
    this.#chunks = [];
    this.#received = 0;
  }

  /** Adds received bytes and returns the packets that are complete; undefined if they are no packets, or too long. */
  receive(chunk: Buffer, maxBytes: number): Buffer[] | undefined {
    const packets: Buffer[] = [];
    this.#chunks.push(Buffer.from(chunk));
    this.#received += chunk.length;
    for (;;) {
      if (this.#length === 0) {
        if (this.#received < PREFIX_BYTES) return packets;
        const length = packetLength(this.#peek());
        if (length === undefined || length > maxBytes) return undefined;
        this.#length = length;
      }
      if (this.#received < this.#length) return packets;
      packets.push(this.#take(this.#length));
      this.packets++;
      this.#length = 0;
    }
  }

  #peek(): Buffer {
    if ((this.#chunks[0] as Buffer).length < PREFIX_BYTES) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] as Buffer;
  }

  #take(length: number): Buffer {
    const all = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    const rest = all.subarray(length);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#received = rest.length;
    return all.subarray(0, length);
  }
}

/** An object with its buffers, roughly. */
const LINK_BYTES = 256 + HEADER_BYTES;
