import { RawClient } from '../oracle/support/raw-client.js';
import { type Plain, plain } from '../oracle/support/reply.js';
import {
  type MemberKind,
  type Server,
  startRedis,
  startSentinel,
  startSorrel,
} from '../support/fleet/index.js';
import { addressOf, PeerProxy } from '../support/peer-proxy.js';

export const NAME = 'primary';
const ADMIN = 'admin-password';

/** What users of the servers may do: Sentinels what Redis's documentation says they need, replicas what replication needs. */
const USERS = [
  `--user default on >${ADMIN} ~* &* +@all`,
  '--user watcher on >watcher-password allchannels -@all +multi +slaveof +replicaof +ping +exec +subscribe +config|rewrite +role +publish +info +client|setname +client|kill +script|kill',
  '--user follower on >follower-password -@all +psync +replconf +ping',
].flatMap((line) => {
  const [option = '', ...words] = line.split(' ');
  return [option, ...words];
});

/** A server or Sentinel whose peers reach it only through a proxy, which knows them by their addresses. */
export interface Member {
  readonly server: Server;
  /** The port of its proxy: the one by which the others know it. */
  readonly port: number;
  readonly isSentinel: boolean;
}

/** A master, replicas and Sentinels whose network can be separated. The servers have users, the Sentinels are not administrators. */
export class SeparableGroup {
  readonly members: Member[] = [];
  readonly #proxies: PeerProxy[] = [];
  /** Pairs of members that do not reach each other. */
  readonly #cut = new Set<string>();

  static async start(
    kinds: readonly MemberKind[],
    sentinels: readonly MemberKind[],
  ): Promise<SeparableGroup> {
    const group = new SeparableGroup();
    try {
      for (const kind of kinds) await group.#addServer(kind);
      const quorum = Math.floor(sentinels.length / 2) + 1;
      for (const kind of sentinels) await group.#addSentinel(kind, quorum);
      return group;
    } catch (error) {
      await group.stop();
      throw error;
    }
  }

  async #addServer(kind: MemberKind): Promise<void> {
    const [proxy, address] = await this.#newProxy();
    const [master] = this.members;
    const follows = master === undefined ? [] : ['--replicaof', '127.0.0.1', String(master.port)];
    const options = [
      ...['--repl-diskless-sync-delay', '0', '--bind-source-addr', address],
      ...['--replica-announce-ip', '127.0.0.1', '--replica-announce-port', String(proxy.port)],
      ...['--masteruser', 'follower', '--masterauth', 'follower-password'],
      ...USERS,
      ...follows,
    ];
    const server = await (kind === 'redis' ? startRedis : startSorrel)(options);
    proxy.target = server.port;
    this.members.push({ server, port: proxy.port, isSentinel: false });
  }

  async #addSentinel(kind: MemberKind, quorum: number): Promise<void> {
    const [proxy, address] = await this.#newProxy();
    const [master] = this.members as [Member];
    const server = await startSentinel(kind, [
      `bind-source-addr ${address}`,
      'sentinel announce-ip 127.0.0.1',
      `sentinel announce-port ${proxy.port}`,
      `sentinel monitor ${NAME} 127.0.0.1 ${master.port} ${quorum}`,
      `sentinel auth-user ${NAME} watcher`,
      `sentinel auth-pass ${NAME} watcher-password`,
      `sentinel down-after-milliseconds ${NAME} 60000`,
      `sentinel failover-timeout ${NAME} 4000`,
    ]);
    proxy.target = server.port;
    const member = { server, port: proxy.port, isSentinel: true };
    this.members.push(member);
    const pace = { 'info-period': 200, 'publish-period': 200, 'ask-period': 200, 'tilt-trigger': 60_000 };
    await ask(member, 'SENTINEL', 'DEBUG', ...Object.entries(pace).flat().map(String));
  }

  async #newProxy(): Promise<[proxy: PeerProxy, address: string]> {
    const index = this.#proxies.length;
    const proxy = new PeerProxy({ isCut: (from) => this.#cut.has(`${from}-${index}`) });
    this.#proxies.push(proxy);
    await proxy.listen();
    return [proxy, addressOf(index)];
  }

  get sentinels(): Member[] {
    return this.members.filter(({ isSentinel }) => isSentinel);
  }

  get servers(): Member[] {
    return this.members.filter(({ isSentinel }) => !isSentinel);
  }

  byPort(port: number): Member | undefined {
    return this.members.find((member) => member.port === port);
  }

  /** Nothing passes between these members and the others any more. */
  separate(side: readonly Member[]): void {
    for (const [a, member] of this.members.entries()) {
      for (const [b, other] of this.members.entries()) {
        if (side.includes(member) !== side.includes(other)) this.#cut.add(`${a}-${b}`);
      }
    }
  }

  /** Everything that the others exchange with this member takes this many ms longer. */
  slow(member: Member, ms: number): void {
    (this.#proxies[this.members.indexOf(member)] as PeerProxy).delayMs = ms;
  }

  heal(): void {
    this.#cut.clear();
    for (const proxy of this.#proxies) proxy.heal();
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map(({ server }) => server.stop()));
    await Promise.all(this.#proxies.map((proxy) => proxy.close()));
  }
}

/** Asks a member directly, not through its proxy; a server, as its administrator. */
export async function ask({ server, isSentinel }: Member, ...words: string[]): Promise<Plain> {
  const client = await RawClient.connect(server.port);
  try {
    if (!isSentinel) await client.call(['AUTH', ADMIN]);
    const reply = plain(await client.call(words, PATIENCE_MS));
    if (reply instanceof Error) throw new Error(`${words.join(' ')}: ${reply.message}`);
    return reply;
  } finally {
    client.close();
  }
}

const PATIENCE_MS = 90_000;
