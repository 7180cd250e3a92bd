import { keySlot } from '../../bytes/crc16.js';
import { ConnectError } from '../wire/connect.js';
import { Link, LinkError } from '../wire/link.js';
import { itemsOf, textOf, type WireReply } from '../wire/reply.js';
import { check } from './check.js';
import { parseAddress } from './managed-node.js';
import type { Manager } from './manager.js';
import { errorOf } from './manager-report.js';

/** `import host:port --cluster-from host:port`: moves or copies all keys of database 0 of a server into the cluster. */
export async function importKeys(
  manager: Manager,
  [place = '']: readonly string[],
  askPassword: () => Promise<string>,
): Promise<boolean> {
  const { report, options } = manager;
  const address = manager.addressIn([place]);
  if (options.from === undefined) {
    report.complain("[ERR] Option '--cluster-from' is required for subcommand 'import'.");
    return false;
  }
  const from = parseAddress(options.from);
  if (from === undefined) {
    report.complain(
      '[ERR] Invalid --cluster-from host. You need to pass a valid address (ie. 120.0.0.1:7000).',
    );
    return false;
  }
  const password = options.asksFromPassword ? await askPassword() : options.fromPassword;
  report.info(
    `>>> Importing data from ${from.host}:${from.port} to cluster ${address.host}:${address.port}\n`,
  );
  await manager.load(address);
  if (!(await check(manager))) return false;
  let link: Link;
  try {
    link = await Link.connect({ host: from.host, port: from.port });
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    report.complain(`${error.message}.`);
    return false;
  }
  const source = new Source(link, `${from.host}:${from.port}`, manager);
  try {
    await source.introduce(password);
    await source.importAll();
    return true;
  } finally {
    link.close();
  }
}

/** The server that the keys come from. */
class Source {
  readonly #link: Link;
  readonly #place: string;
  readonly #manager: Manager;

  constructor(link: Link, place: string, manager: Manager) {
    this.#link = link;
    this.#place = place;
    this.#manager = manager;
  }

  /** Logs in, and makes sure that the server is not a node. */
  async introduce(password: string | undefined): Promise<void> {
    const { report, options } = this.#manager;
    const user = options.fromUser === undefined ? [] : [options.fromUser];
    if (password !== undefined) await this.#call('AUTH', ...user, password);
    const info = textOf(await this.#call('INFO'));
    if (/^cluster_enabled:1/m.test(info))
      throw report.giveUp('[ERR] The source node should not be a cluster node.\n');
  }

  async importAll(): Promise<void> {
    const { report } = this.#manager;
    const size = textOf(await this.#call('DBSIZE'));
    report.warn(`*** Importing ${size} keys from DB 0\n`);
    for (let cursor = '0', isDone = false; !isDone; isDone = cursor === '0') {
      const [next, keys] = itemsOf(await this.#call('SCAN', cursor, 'COUNT', '1000'));
      cursor = textOf(next);
      for (const key of itemsOf(keys)) await this.#import(textOf(key));
    }
  }

  async #import(key: string): Promise<void> {
    const { report, options, server, masters } = this.#manager;
    const bytes = Buffer.from(key, 'latin1');
    const slot = keySlot(bytes, 0, bytes.length);
    const target = masters.find(({ slots }) => slots.has(slot));
    if (target === undefined) throw report.giveUp(`[ERR] No node has the slot ${slot} of ${key}\n`);
    report.print(`Migrating ${key} to ${target.place}: `);
    const { user, password } = server;
    const credentials =
      password === undefined ? [] : user === undefined ? ['AUTH', password] : ['AUTH2', user, password];
    await this.#call(
      'MIGRATE',
      target.host,
      String(target.port),
      key,
      '0',
      String(options.timeoutMs),
      ...(options.copies ? ['COPY'] : []),
      ...(options.replaces ? ['REPLACE'] : []),
      ...credentials,
    );
    report.good('OK\n');
  }

  /** An error reply is printed and thrown. */
  async #call(...words: string[]): Promise<WireReply> {
    let reply: WireReply;
    try {
      reply = await this.#link.call(...words);
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      reply = { kind: 'error', text: error.message };
    }
    const refusal = errorOf(reply);
    if (refusal === undefined) return reply;
    throw this.#manager.report.giveUp(`Source ${this.#place} replied with error:\n${refusal}\n`);
  }
}
