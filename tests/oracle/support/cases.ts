import { test } from 'node:test';
import { type Command, show } from './command.js';
import { agree, integersWithin, type Outcome, showOutcome, type Tolerance } from './comparison.js';
import { callerPlace, failure } from './failure.js';
import {
  type ConnectionPair,
  freshPair,
  nextOutcome,
  type ServerPair,
  SIDES,
  whenRedisIsInstalled,
} from './pair.js';
import { type Protocol, REPLY_TIMEOUT_MS } from './raw-client.js';
import { printable, type Reply } from './reply.js';

interface CaseOptions extends Tolerance {
  /** The connection to use, opened on first use. The default is `'main'`. */
  readonly on?: string;
  /** Sent on a connection of this protocol version, whatever the version of the group. */
  readonly resp?: Protocol;
  /**
   * The number of replies and pushes to wait for. The default is 1, for SUBSCRIBE and similar commands one per channel.
   * 0 sends without waiting; the next step starts when both servers have processed it.
   */
  readonly replies?: number;
}

/** One step of a group. A plain command is sent on the main connection and its reply is compared byte for byte. */
export type Case =
  | Command
  | (CaseOptions & {
      /** The command, or a function that builds it from this server's reply to the previous step. */
      readonly send: Command | ((previous: Reply) => Command);
    })
  | (CaseOptions & {
      /** Bytes to send unchanged: inline commands, malformed requests. */
      readonly raw: string | Buffer;
    })
  | (CaseOptions & {
      /** A connection on which replies or pushes are expected; nothing is sent. */
      readonly receive: string;
    })
  | {
      /** A connection on which nothing may have arrived. */
      readonly silent: string;
    }
  | {
      /** A connection that both servers must close, or have closed. */
      readonly closed: string;
    };

export interface GroupOptions {
  /** The group runs once in each of these protocol versions. The default is both. */
  readonly protocols?: readonly Protocol[];
}

/** The reply is compared as a multiset of its elements (`'pairs'`: of its pairs; `'nested'`: of each nested array). */
export function unordered(send: Command, how: 'elements' | 'pairs' | 'nested' = 'elements'): Case {
  return { send, unordered: how === 'elements' ? true : how };
}

/** The reply is an integer that may differ by `tolerance`: TTL and the like. */
export function near(send: Command, tolerance: number): Case {
  return { send, equal: integersWithin(tolerance) };
}

/** The reply is read but not compared. */
export function ignore(send: Command, reason: string): Case {
  return { send, ignore: reason };
}

/** Only the type of the reply and its number of elements are compared. */
export function typeOnly(send: Command, reason: string): Case {
  return { send, typeOnly: reason };
}

/** Sends on a named connection and compares the reply. */
export function on(connection: string, send: Command, options: Omit<CaseOptions, 'on'> = {}): Case {
  return { send, on: connection, ...options };
}

/** Sends on a named connection without waiting for a reply: a command that will block. */
export function start(connection: string, send: Command): Case {
  return { send, on: connection, replies: 0 };
}

/** Waits for replies or pushes on a named connection and compares them. */
export function receive(connection: string, replies = 1, options: Tolerance = {}): Case {
  return { receive: connection, replies, ...options };
}

/** Checks that neither server has sent anything on the connection. */
export function silent(connection: string): Case {
  return { silent: connection };
}

/** Checks that both servers close the connection. */
export function closed(connection: string): Case {
  return { closed: connection };
}

/** Sends bytes unchanged and compares the reply. */
export function raw(bytes: string | Buffer, options: CaseOptions = {}): Case {
  return { raw: bytes, ...options };
}

/**
 * A group of cases: sends each to both servers, empty at the start, and compares the replies byte for byte. It is
 * one test per protocol version; all differences of a group are reported together.
 */
export function compareCases(name: string, cases: readonly Case[], options: GroupOptions = {}): void {
  const place = callerPlace();
  for (const protocol of options.protocols ?? [2, 3]) {
    test(`${name} (RESP${protocol})`, whenRedisIsInstalled, async () => {
      const group = new Group(await freshPair(), protocol, place);
      for (const step of cases) await group.run(step);
      await group.finish();
    });
  }
}

const DIFFERENCES_SHOWN = 15;
const STEPS_SHOWN_BEFORE = 8;
/** After a missing reply the group has failed. The rest runs only for the report and does not wait long. */
const PATIENCE_AFTER_SILENCE_MS = 300;

/** One run of a group: its connections, the steps so far, and the differences. */
class Group {
  readonly #pair: ServerPair;
  readonly #protocol: Protocol;
  readonly #place: string;
  readonly #connections = new Map<string, ConnectionPair>();
  readonly #done: string[] = [];
  #patienceMs = REPLY_TIMEOUT_MS;
  readonly #differences: string[] = [];
  #previous: Record<'redis' | 'sorrel', Outcome | undefined> = { redis: undefined, sorrel: undefined };

  constructor(pair: ServerPair, protocol: Protocol, place: string) {
    this.#pair = pair;
    this.#place = place;
    this.#protocol = protocol;
  }

  async run(step: Case): Promise<void> {
    if (typeof step === 'string' || isCommandList(step)) return this.#send({ send: step });
    if ('send' in step) return this.#send(step);
    if ('raw' in step) return this.#sendRaw(step);
    if ('receive' in step) return this.#receive(step);
    if ('silent' in step) return this.#checkSilent(step.silent);
    return this.#checkClosed(step.closed);
  }

  /** Checks for replies that no step expected, then fails if there was any difference. */
  async finish(): Promise<void> {
    if (this.#pair.redis.running && this.#pair.sorrel.running) {
      for (const name of this.#connections.keys()) await this.#checkNoLeftOvers(name);
    }
    if (this.#differences.length > 0) throw this.#failure();
  }

  async #send(step: CaseOptions & { send: Command | ((previous: Reply) => Command) }): Promise<void> {
    const connection = await this.#connection(step.on, step.resp);
    const commands = {
      redis: this.#commandFor('redis', step.send),
      sorrel: this.#commandFor('sorrel', step.send),
    };
    await this.#pair.noteSettings(commands.redis);
    const text = onConnection(step, show(commands.redis));
    for (const side of SIDES) connection[side].send(commands[side]);
    await this.#compareReplies(connection, step.replies ?? replyCount(commands.redis), step, text);
  }

  async #sendRaw(step: CaseOptions & { raw: string | Buffer }): Promise<void> {
    const connection = await this.#connection(step.on, step.resp);
    const bytes = Buffer.from(step.raw as string, 'latin1');
    for (const side of SIDES) connection[side].sendRaw(bytes);
    await this.#compareReplies(
      connection,
      step.replies ?? 1,
      step,
      onConnection(step, `raw ${printable(bytes)}`),
    );
  }

  async #receive(step: CaseOptions & { receive: string }): Promise<void> {
    const connection = await this.#connection(step.receive, step.resp);
    const text = `${step.receive}> (receive)`;
    await this.#compareReplies(connection, step.replies ?? 1, step, text);
  }

  async #compareReplies(
    connection: ConnectionPair,
    count: number,
    tolerance: Tolerance,
    text: string,
  ): Promise<void> {
    if (count === 0) {
      await this.#pair.settle();
      this.#done.push(text);
      return;
    }
    for (let i = 0; i < count; i++) {
      const [redis, sorrel] = await Promise.all([
        nextOutcome(connection.redis, this.#patienceMs),
        nextOutcome(connection.sorrel, this.#patienceMs),
      ]);
      if (redis.type === 'nothing' || sorrel.type === 'nothing') this.#patienceMs = PATIENCE_AFTER_SILENCE_MS;
      this.#previous = { redis, sorrel };
      if (!agree(sorrel, redis, tolerance)) {
        const which = count === 1 ? text : `${text}, reply ${i + 1} of ${count}`;
        this.#note(which, showOutcome(redis), showOutcome(sorrel));
      }
      if ('reason' in redis || 'reason' in sorrel) break;
    }
    this.#done.push(text);
  }

  async #checkSilent(name: string): Promise<void> {
    await this.#connection(name);
    await this.#pair.settle();
    await this.#checkNoLeftOvers(name);
    this.#done.push(`${name}> (silent)`);
  }

  async #checkClosed(name: string): Promise<void> {
    const connection = await this.#connection(name);
    const [redis, sorrel] = await Promise.all([
      connection.redis.waitForClose(),
      connection.sorrel.waitForClose(),
    ]);
    const describe = (isClosed: boolean) => (isClosed ? '(closed)' : '(still open)');
    if (!redis || !sorrel) this.#note(`${name}> (closed)`, describe(redis), describe(sorrel));
    this.#done.push(`${name}> (closed)`);
  }

  async #checkNoLeftOvers(name: string): Promise<void> {
    const connection = await this.#connection(name);
    const [redis, sorrel] = SIDES.map((side) => connection[side].takeReceived());
    if (redis!.length === 0 && sorrel!.length === 0) return;
    const describe = (replies: Reply[]) =>
      replies.map((reply) => printable(reply.raw)).join(' ') || '(nothing)';
    this.#note(`${name}> replies that no case expects`, describe(redis!), describe(sorrel!));
  }

  #commandFor(side: 'redis' | 'sorrel', send: Command | ((previous: Reply) => Command)): Command {
    if (typeof send !== 'function') return send;
    const previous = this.#previous[side];
    if (previous === undefined || 'reason' in previous) throw new Error('there is no reply before this case');
    return send(previous);
  }

  async #connection(name = 'main', protocol = this.#protocol): Promise<ConnectionPair> {
    const key = protocol === this.#protocol ? name : `${name} in RESP${protocol}`;
    let connection = this.#connections.get(key);
    if (connection === undefined) {
      connection = await this.#pair.connect(protocol);
      this.#connections.set(key, connection);
    }
    return connection;
  }

  #note(text: string, redis: string, sorrel: string): void {
    const before = this.#differences.length === 0 ? this.#stepsBefore() : '';
    this.#differences.push(
      `#${this.#done.length + 1}  ${text}\n    redis   ${redis}\n    sorrel  ${sorrel}${before}`,
    );
  }

  #stepsBefore(): string {
    const first = Math.max(0, this.#done.length - STEPS_SHOWN_BEFORE);
    const lines = this.#done.slice(first).map((text, i) => `      #${first + i + 1}  ${text}`);
    return lines.length === 0 ? '' : `\n    after\n${lines.join('\n')}`;
  }

  #failure(): Error {
    const count = this.#differences.length;
    const shown = this.#differences.slice(0, DIFFERENCES_SHOWN);
    if (count > shown.length) shown.push(`… and ${count - shown.length} more`);
    for (const server of [this.#pair.redis, this.#pair.sorrel]) {
      if (!server.running) shown.push(`${server.name} has ended. Its last words:\n${server.log()}`);
    }
    const summary = `${count} of ${this.#done.length} steps differ in RESP${this.#protocol}`;
    return failure(`${summary}\n  ${this.#place}\n\n${shown.join('\n\n')}\n`);
  }
}

function isCommandList(step: Case): step is readonly (string | number | bigint | Buffer)[] {
  return Array.isArray(step);
}

function onConnection(step: CaseOptions, text: string): string {
  const protocol = step.resp === undefined ? '' : ` in RESP${step.resp}`;
  return step.on === undefined ? text + protocol : `${step.on}> ${text}${protocol}`;
}

const ANSWERS_PER_CHANNEL = /^(P|S)?(UN)?SUBSCRIBE$/i;

function replyCount(command: Command): number {
  const [name = '', ...channels] = typeof command === 'string' ? command.trim().split(/\s+/) : command;
  return ANSWERS_PER_CHANNEL.test(String(name)) ? Math.max(1, channels.length) : 1;
}
