import { SlotSet } from '../../cluster/slot-set.js';
import type { ServerOptions } from '../shell/server-options.js';
import { ConnectError } from '../wire/connect.js';
import { Link, LinkError } from '../wire/link.js';
import { textOf, type WireReply } from '../wire/reply.js';
import { errorOf, type ManagerReport } from './manager-report.js';

/** An address as people write it: `host:port`, `host:port@busPort`. */
export interface NodeAddress {
  readonly host: string;
  readonly port: number;
  readonly busPort: number | undefined;
}

/** Undefined if it is none. */
export function parseAddress(text: string): NodeAddress | undefined {
  const [, host = '', port, busPort] = /^(.*):(\d+)[^@]*(?:@(\d*))?.*$/s.exec(text) ?? [];
  if (host === '' || Number(port) === 0 || Number(port) > 65535) return undefined;
  return { host, port: Number(port), busPort: Number(busPort) || undefined };
}

/** A line of CLUSTER NODES. */
interface NodeLine {
  readonly id: string;
  readonly address: string;
  readonly flags: readonly string[];
  readonly masterId: string;
  readonly epoch: number;
  readonly slots: readonly string[];
}

export function parseNodeLines(text: string): NodeLine[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [id = '', address = '', flags = '', masterId = '', , , epoch = '', , ...slots] = line.split(' ');
    return { id, address, flags: flags.split(','), masterId, epoch: Number(epoch) || 0, slots };
  });
}

/** A node of the cluster that is managed: what it says of itself, and a connection to it. */
export class ManagedNode {
  readonly host: string;
  readonly port: number;
  /** As the user has given it, or as the node itself says. */
  busPort: number | undefined;
  id = '';
  flags: readonly string[] = [];
  /** The id of its master. */
  masterId: string | undefined;
  epoch = 0;
  readonly slots = new SlotSet();
  /** Slots that move away, with the id of the node that gets them; the reverse. */
  readonly migrating = new Map<number, string>();
  readonly importing = new Map<number, string>();
  replicaCount = 0;
  /** What `create` has decided is not told to the node yet. */
  isDirty = false;
  readonly #server: ServerOptions;
  readonly #report: ManagerReport;
  #link: Link | undefined;

  constructor({ host, port, busPort }: NodeAddress, server: ServerOptions, report: ManagerReport) {
    this.host = host;
    this.port = port;
    this.busPort = busPort;
    this.#server = server;
    this.#report = report;
  }

  /** `127.0.0.1:7000` */
  get place(): string {
    return `${this.host}:${this.port}`;
  }

  get isReplica(): boolean {
    return this.flags.includes('slave');
  }

  get link(): Link | undefined {
    return this.#link;
  }

  close(): void {
    this.#link?.close();
    this.#link = undefined;
  }

  /** Connects and authenticates. False if that is not possible, which is printed. */
  async connect(): Promise<boolean> {
    if (this.#link !== undefined) return true;
    const { endpoint, user, password } = this.#server;
    try {
      this.#link = await Link.connect({ ...endpoint, host: this.host, port: this.port, path: undefined });
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      this.#report.complain(error.message);
      return false;
    }
    if (password === undefined) return true;
    const reply = await this.try('AUTH', ...(user === undefined ? [] : [user]), password);
    const refusal = errorOf(reply);
    if (refusal !== undefined) this.#tellError(refusal);
    return refusal === undefined;
  }

  /** Sends a command. If the connection is lost, the reply is an error, too. */
  async try(...words: (string | number)[]): Promise<WireReply> {
    const [reply] = await this.tryAll([words]);
    return reply as WireReply;
  }

  async tryAll(commands: readonly (readonly (string | number)[])[]): Promise<WireReply[]> {
    const requests = commands.map((words) => words.map(String));
    try {
      return await (this.#link as Link).callAll(requests);
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      return requests.map(() => ({ kind: 'error', text: error.message }));
    }
  }

  /** Sends a command. An error reply is printed and thrown. */
  async call(...words: (string | number)[]): Promise<WireReply> {
    const [reply] = await this.callAll([words]);
    return reply as WireReply;
  }

  async callAll(commands: readonly (readonly (string | number)[])[]): Promise<WireReply[]> {
    const replies = await this.tryAll(commands);
    const refusal = replies.map(errorOf).find((text) => text !== undefined);
    if (refusal !== undefined) throw this.refused(refusal);
    return replies;
  }

  /** The node has refused a command: prints it and returns what to throw. */
  refused(text: string): Error {
    return this.#report.giveUp(`Node ${this.place} replied with error:\n${text}\n`);
  }

  #tellError(text: string): void {
    this.#report.bad(`Node ${this.place} replied with error:\n${text}\n`);
  }

  /** The value of a field in the reply of INFO or CLUSTER INFO. */
  async field(name: string, ...command: string[]): Promise<string | undefined> {
    const text = textOf(await this.call(...command));
    return new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(text)?.[1];
  }

  async isInClusterMode(): Promise<boolean> {
    return (await this.field('cluster_enabled', 'INFO')) === '1';
  }

  /** It has no keys and knows no other node. */
  async isEmpty(): Promise<boolean> {
    if ((await this.field('db0', 'INFO')) !== undefined) return false;
    return (await this.field('cluster_known_nodes', 'CLUSTER', 'INFO')) === '1';
  }

  /** Reads what the node says of itself; returns its lines of the other nodes. */
  async load(): Promise<readonly NodeLine[]> {
    const lines = parseNodeLines(textOf(await this.call('CLUSTER', 'NODES')));
    const own = lines.find(({ flags }) => flags.includes('myself'));
    if (own === undefined) throw this.#report.giveUp('Error: invalid CLUSTER NODES reply\n');
    this.#take(own);
    return lines.filter((line) => line !== own);
  }

  #take({ id, address, flags, masterId, epoch, slots }: NodeLine): void {
    this.id = id;
    this.busPort = Number(/@(\d+)/.exec(address)?.[1]) || this.busPort;
    this.flags = flags;
    this.masterId = flags.includes('slave') ? masterId : undefined;
    this.epoch = epoch;
    this.slots.clear();
    this.migrating.clear();
    this.importing.clear();
    this.isDirty = false;
    for (const word of slots) {
      const [, moving, direction, other = ''] = /^\[(\d+)-([<>])-(.*)\]$/.exec(word) ?? [];
      if (moving !== undefined) {
        (direction === '>' ? this.migrating : this.importing).set(Number(moving), other);
        continue;
      }
      const [start, end = start] = word.split('-').map(Number) as [number, number?];
      for (let slot = start; slot <= (end as number); slot++) this.slots.add(slot);
    }
  }

  async countKeys(slot: number): Promise<number> {
    return Number(textOf(await this.call('CLUSTER', 'COUNTKEYSINSLOT', slot)));
  }

  /** `M: id host:port`, its slots and its replicas, in lines. */
  description(indentation = ''): string {
    const lines: string[] = [];
    if (this.isDirty && this.masterId !== undefined) lines.push(`S: ${this.id} ${this.place}`);
    else {
      const flags = this.flags.filter((flag) => flag !== 'myself').join(',');
      lines.push(`${this.isReplica ? 'S' : 'M'}: ${this.id} ${this.place}`);
      lines.push(`   slots:${this.slotsText} (${this.slots.count} slots) ${flags}`);
    }
    if (this.masterId !== undefined) lines.push(`   replicates ${this.masterId}`);
    else if (this.replicaCount > 0) lines.push(`   ${this.replicaCount} additional replica(s)`);
    return lines.map((line) => indentation + line).join('\n');
  }

  get slotsText(): string {
    return shownSlots(this.slots);
  }
}

/** `[0-5460],[5462]` */
export function shownSlots(slots: SlotSet): string {
  const ranges = [...slots.ranges()];
  return ranges.map(({ start, end }) => (start === end ? `[${start}]` : `[${start}-${end}]`)).join(',');
}
