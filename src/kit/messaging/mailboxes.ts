import type { Store } from '../../store/index.js';
import {
  anySignal,
  checkStore,
  EVICTION_RULES,
  EvictionGuard,
  type EvictionOptions,
  integer,
  jsonOf,
  KitError,
  keyNaming,
  milliseconds,
  readLua,
  resolveOptions,
  shown,
  text,
} from '../foundation/index.js';
import { RECEIVE_MAIL_RULES, type ReceiveMailOptions, Receivers, takenOver } from './receiver.js';
import { deliver, settleSoon, waitForEntry } from './receiving.js';

export interface MailboxesOptions extends EvictionOptions {
  /** Prefix of all keys. Default `mailbox`. */
  readonly prefix?: string;
  /** Max unread messages; `send` to a full mailbox fails with `FULL`. 0 for no limit. Default 10,000. */
  readonly limit?: number;
  /** How long a mailbox stays with a receiver that is dead or cut off, in ms. Default 10,000. */
  readonly lease?: number;
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
 * listening when they were sent. One client at a time receives from a mailbox.
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
   * next receiver gets the last message again.
   *
   * If another client receives from the mailbox, this one waits for `wait` ms, then fails with `IN_USE`. A receiver that was paused or
   * cut off for too long loses the mailbox to the next one: its loop fails with `LOST`, and its late acknowledgement is refused.
   */
  receive(of: string, options?: ReceiveMailOptions): AsyncIterableIterator<Letter<Message>>;
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
  const { prefix, limit, lease, ...eviction } = resolveOptions('mailboxes', options, RULES);
  const guard = new EvictionGuard(store, 'mailboxes', eviction);
  const keysOf = keyNaming('mailboxes', prefix, ['box']);
  const receivers = new Receivers(store, `${prefix}-receiver`, lease);
  const receiverOf = keyNaming('mailboxes', `${prefix}-receiver`, ['state']);
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

  async function acknowledge(of: string, id: string, token: number | '' = ''): Promise<number> {
    const unread = await trim({
      ...keysOf(of),
      receiver: receiverOf(of).state,
      beyond: following(id),
      token,
    });
    if (unread < 0) throw takenOver(of);
    return unread;
  }

  async function* receive(
    of: string,
    wait: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Letter<Message>, void, undefined> {
    const { box } = keysOf(of);
    const lock = await receivers.next(of, wait, signal);
    if (lock === undefined) return;
    const either = signal === undefined ? lock.signal : anySignal(signal, lock.signal);
    try {
      yield* deliver(
        store.time,
        () => read(of, BATCH),
        ({ id }) => acknowledge(of, id, lock.token),
        () => waitForEntry(store, box, '0', either),
        either,
      );
      if (lock.signal.aborted) throw takenOver(of);
    } finally {
      // The lease ends by itself if the store is away.
      await settleSoon(store.time, lock.release());
    }
  }

  return {
    acknowledge: (of, id) => acknowledge(of, id),
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
      const { signal, wait } = resolveOptions('mailboxes', given, RECEIVE_MAIL_RULES);
      return receive(of, wait, signal);
    },
  };
}

/** A message as stored. */
export function encode(message: unknown): string {
  return jsonOf(message, `a message is a value that JSON can hold, not ${shown(message)}`);
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

const RULES = {
  prefix: text('mailbox'),
  limit: integer(10_000, { min: 0 }),
  lease: milliseconds(10_000, { min: 10 }),
  ...EVICTION_RULES,
};
const READ_RULES = { count: integer(BATCH, { min: 1 }) };

const SEND = {
  keys: ['box'],
  args: ['body', 'limit'],
  lua: readLua(import.meta.url, 'send.lua'),
  reply: (reply: unknown) => reply as readonly [id: string, unread: number, oldest: string],
} as const;

const ACKNOWLEDGE = {
  keys: ['box', 'receiver'],
  args: ['beyond', 'token'],
  repeatable: true,
  lua: readLua(import.meta.url, 'acknowledge-mail.lua'),
  reply: Number,
} as const;
