import { after } from 'node:test';
import {
  noRedisReason,
  type Server,
  startRedis,
  startSorrel,
  stopAllServers,
} from '../../support/fleet/index.js';
import { argumentsOf, type Command, nameOf } from './command.js';
import type { Outcome } from './comparison.js';
import { failure } from './failure.js';
import { ConnectionClosed, NoReply, type Protocol, RawClient } from './raw-client.js';
import { plain, type Reply } from './reply.js';

/** The same connection to both servers. */
export interface ConnectionPair {
  readonly redis: RawClient;
  readonly sorrel: RawClient;
}

export type Side = keyof ConnectionPair;
export const SIDES: readonly Side[] = ['redis', 'sorrel'];

/** Both servers, and the code to restore their initial state between groups of cases. */
export class ServerPair {
  readonly redis: Server;
  readonly sorrel: Server;
  readonly #control: ConnectionPair;
  readonly #open = new Set<RawClient>();
  /** Settings changed by the running group, per side, with their previous values. */
  readonly #changedSettings: Record<Side, Map<string, string>> = { redis: new Map(), sorrel: new Map() };

  /** The running group may have changed users. */
  #usersChanged = false;

  private constructor(redis: Server, sorrel: Server, control: ConnectionPair) {
    this.redis = redis;
    this.sorrel = sorrel;
    this.#control = control;
  }

  static async start(options: readonly string[]): Promise<ServerPair> {
    const [redis, sorrel] = await Promise.all([startRedis(options), startSorrel(options)]);
    const control = {
      redis: await RawClient.connect(redis.port),
      sorrel: await RawClient.connect(sorrel.port),
    };
    return new ServerPair(redis, sorrel, control);
  }

  async connect(protocol: Protocol = 2): Promise<ConnectionPair> {
    const redis = await RawClient.connect(this.redis.port, protocol);
    this.#open.add(redis);
    const sorrel = await RawClient.connect(this.sorrel.port, protocol);
    this.#open.add(sorrel);
    return { redis, sorrel };
  }

  /** Sends a command to one server on a connection that no test uses. */
  ask(side: Side, command: Command): Promise<Reply> {
    return this.#control[side].call(command);
  }

  /**
   * Returns when both servers have processed all earlier writes on all connections. A server that processes this PING has
   * processed, in the same turn or an earlier one, everything that was readable when the PING was sent. A connection that was
   * just opened may be accepted in that turn and is read only from the next turn on. Therefore the PING is sent twice.
   */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 2; turn++) await Promise.all(SIDES.map((side) => this.ask(side, ['PING'])));
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Must be called with every command before it is sent: saves the settings that it changes. */
  async noteSettings(command: Command): Promise<void> {
    const { name, first } = nameOf(command);
    this.#usersChanged ||= name === 'ACL';
    if (name !== 'CONFIG' || first !== 'SET') return;
    const parameters = argumentsOf(command)
      .slice(2)
      .filter((_, i) => i % 2 === 0)
      .map(String);
    for (const side of SIDES) {
      for (const parameter of parameters) await this.#rememberSetting(side, parameter.toLowerCase());
    }
  }

  async #rememberSetting(side: Side, parameter: string): Promise<void> {
    if (this.#changedSettings[side].has(parameter)) return;
    const found = plain(await this.ask(side, ['CONFIG', 'GET', parameter]));
    if (Array.isArray(found) && typeof found[1] === 'string') {
      this.#changedSettings[side].set(parameter, found[1]);
    }
  }

  /** Closes the connections, empties both servers, restores changed settings and deletes users. */
  async reset(): Promise<void> {
    for (const client of this.#open) client.close();
    this.#open.clear();
    for (const side of SIDES) {
      for (const [parameter, value] of this.#changedSettings[side]) {
        await this.ask(side, ['CONFIG', 'SET', parameter, value]);
      }
      this.#changedSettings[side].clear();
      if (this.#usersChanged) await this.#resetUsers(side);
      const flushed = plain(await this.ask(side, ['FLUSHALL']));
      if (flushed !== 'OK') throw new Error(`${side} did not obey FLUSHALL: ${flushed}`);
      for (const command of ['SCRIPT FLUSH', 'FUNCTION FLUSH', 'CONFIG RESETSTAT']) {
        await this.ask(side, command);
      }
    }
    this.#usersChanged = false;
  }

  async #resetUsers(side: Side): Promise<void> {
    const names = plain(await this.ask(side, ['ACL', 'USERS'])) as string[];
    const others = names.filter((name) => name !== 'default');
    if (others.length > 0) await this.ask(side, ['ACL', 'DELUSER', ...others]);
    await this.ask(side, 'ACL SETUSER default on nopass +@all ~* &* clearselectors');
    await this.ask(side, 'ACL LOG RESET');
  }

  async stop(): Promise<void> {
    for (const client of this.#open) client.close();
    for (const side of SIDES) this.#control[side].close();
    await Promise.all([this.redis.stop(), this.sorrel.stop()]);
  }
}

/** The next reply as an outcome. A closed connection is an outcome, too, and is compared like a reply. */
export async function nextOutcome(client: RawClient, timeoutMs?: number): Promise<Outcome> {
  try {
    return await client.next(timeoutMs);
  } catch (error) {
    if (error instanceof ConnectionClosed) return { type: 'closed', reason: error.message };
    if (error instanceof NoReply) return { type: 'nothing', reason: error.message };
    throw error;
  }
}

let serverOptions: readonly string[] = [];
let pair: Promise<ServerPair> | undefined;

/**
 * Sets the options of both servers of this test file, as on redis-server's command line. Must be called before
 * the first group of cases.
 */
export function serveWith(...options: string[]): void {
  serverOptions = options;
}

/**
 * The file's pair of servers, reset. It is started on first use, and again when a reset fails because a server has died. A pair
 * that failed to start is not tried again: every test of the file fails with the same reason.
 */
export async function freshPair(): Promise<ServerPair> {
  if (noRedisReason !== undefined) throw failure(noRedisReason);
  if (pair !== undefined) {
    const current = await pair;
    try {
      await current.reset();
      return current;
    } catch {
      await current.stop();
    }
  }
  pair = ServerPair.start(serverOptions);
  return pair;
}

after(stopAllServers);

export { whenRedisIsInstalled } from '../../support/fleet/index.js';
