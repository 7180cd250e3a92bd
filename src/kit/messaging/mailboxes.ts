import type { Store } from '../../store/index.js';
import {
  checkStore,
  EVICTION_RULES,
  EvictionGuard,
  type EvictionOptions,
  integer,
  KitError,
  keyNaming,
  readLua,
  resolveOptions,
  text,
} from '../foundation/index.js';
import { deliver, RECEIVE_RULES, type ReceiveOptions, waitForEntry } from './receiving.js';

export interface MailboxesOptions extends EvictionOptions {
  /** Prefix of all keys. Default `mailbox`. */
  readonly prefix?: string;
  /** Max unread messages; `send` to a full mailbox fails with `FULL`. 0 for no limit. Default 10,000. */
  readonly limit?: number;
}

export interface Letter<Message> {
  readonly id: string;
  /** When it was sent, by the server's clock. */
  readonly sentAt: Date;
  readonly message: Message;
}

export interface MailboxStatus {
  /** Messages that the recipient has not acknowledged. */
  readonly unread: number;
  /** When the oldest of them was sent; undefined if there is none. */
  readonly waitingSince: Date | undefined;
}

/** The reply to a sender. A recipient with old unread messages is probably away. */
export interface Posted extends MailboxStatus {
  readonly id: string;
  readonly waitingSince: Date;
}

export interface ReadOptions {
  /** Max number of messages. Default 100. */
  readonly count?: number;
}

/**
 * A mailbox for each recipient. Messages are kept in order until they are acknowledged, even if no client was
 * listening when they were sent. A mailbox has one reader.
 */
export interface Mailboxes<Message> {
  send(to: string, message: Message): Promise<Posted>;
  status(of: string): Promise<MailboxStatus>;
  /** The oldest unread messages. They stay until they are acknowledged. */
  read(of: string, options?: ReadOptions): Promise<Letter<Message>[]>;
  /** Drops this message and all before it. Returns the number of unread messages. */
  acknowledge(of: string, id: string): Promise<number>;
  /**
   * Messages as they arrive, unread ones first. Each is acknowledged when the next one is requested: after a crash the
   * reader gets its last message again.
   */
  receive(of: string, options?: ReceiveOptions): AsyncIterableIterator<Letter<Message>>;
}

/**
 * @example
 * const mail = mailboxes<{ subject: string }>(store);
 * await mail.send('ann', { subject: 'lunch?' }); // { id: '…', unread: 1, waitingSince: … }
 * for await (const { message } of mail.receive('ann')) {
 *   console.log(message.subject); // 'lunch?'
 *   break;
 * }
 */
export function mailboxes<Message = unknown>(
  store: Store,
  options: MailboxesOptions = {},
): Mailboxes<Message> {
  checkStore('mailboxes', store);
  const { prefix, limit, ...eviction } = resolveOptions('mailboxes', options, RULES);
  const guard = new EvictionGuard(store, 'mailboxes', eviction);
  const keysOf = keyNaming('mailboxes', prefix, ['box']);
  const send = guard.before(store.script(SEND));
  const trim = store.script(ACKNOWLEDGE);

  async function read(of: string, count: number): Promise<Letter<Message>[]> {
    const entries = await store.send('XRANGE', keysOf(of).box, '-', '+', 'COUNT', count);
    return (entries as [string, [string, string]][]).map(([id, [, body]]) => ({
      id,
      sentAt: timeOf(id),
      message: JSON.parse(body) as Message,
    }));
  }

  const acknowledge = async (of: string, id: string): Promise<number> =>
    trim({ ...keysOf(of), beyond: following(id) });

  return {
    acknowledge,
    send: async (to, message) => {
      const [id, unread, oldest] = await send({ ...keysOf(to), body: encode(message), limit });
      if (id === '') throw full(to, unread);
      return { id, unread, waitingSince: timeOf(oldest) };
    },
    status: async (of) => {
      const { box } = keysOf(of);
      const [unread, oldest] = await store.pipeline((queue) => [
        queue.send<number>('XLEN', box),
        queue.send('XRANGE', box, '-', '+', 'COUNT', 1),
      ]);
      const [first] = oldest as [string, unknown][];
      return { unread, waitingSince: first === undefined ? undefined : timeOf(first[0]) };
    },
    read: async (of, given = {}) => read(of, resolveOptions('mailboxes', given, READ_RULES).count),
    receive: (of, given = {}) => {
      const { signal } = resolveOptions('mailboxes', given, RECEIVE_RULES);
      return deliver(
        () => read(of, BATCH),
        ({ id }) => acknowledge(of, id),
        () => waitForEntry(store, keysOf(of).box, '0', signal),
        signal,
      );
    },
  };
}

/** A message as stored. */
export function encode(message: unknown): string {
  const body: string | undefined = JSON.stringify(message);
  if (body !== undefined) return body;
  throw new KitError('OPTION', 'a message is a value that JSON can hold, not undefined or a function');
}

function full(to: string, unread: number): KitError {
  const text = `the mailbox of '${to}' is full with ${unread} unread messages: wait until some are read, or raise \`limit\``;
  return new KitError('FULL', text);
}

/** Ids begin with the time. */
function timeOf(id: string): Date {
  return new Date(Number.parseInt(id, 10));
}

/** The smallest greater id. */
function following(id: string): string {
  const [, time, sequence] = /^(\d+)-(\d+)$/.exec(id) ?? [];
  if (time === undefined || sequence === undefined) {
    throw new KitError('OPTION', `mailboxes: '${id}' is not the id of a message`);
  }
  return `${time}-${BigInt(sequence) + 1n}`;
}

const BATCH = 100;

const RULES = { prefix: text('mailbox'), limit: integer(10_000, { min: 0 }), ...EVICTION_RULES };
const READ_RULES = { count: integer(BATCH, { min: 1 }) };

const SEND = {
  keys: ['box'],
  args: ['body', 'limit'],
  lua: readLua(import.meta.url, 'send.lua'),
  reply: (reply: unknown) => reply as readonly [id: string, unread: number, oldest: string],
} as const;

const ACKNOWLEDGE = {
  keys: ['box'],
  args: ['beyond'],
  repeatable: true,
  lua: readLua(import.meta.url, 'acknowledge-mail.lua'),
  reply: Number,
} as const;
