import type { Store } from '../../store/index.js';
import {
  checkName,
  checkStore,
  EVICTION_RULES,
  EvictionGuard,
  type EvictionOptions,
  flag,
  integer,
  KitError,
  keyNaming,
  pairs,
  resolveOptions,
  text,
} from '../foundation/index.js';
import { ACKNOWLEDGE, CHAT_PARTS, CREATE, JOIN, LEAVE, MEMBERS, POST, UNREAD } from './chat-scripts.js';
import { encode } from './mailboxes.js';
import { deliver, RECEIVE_RULES, type ReceiveOptions, waitForEntry } from './receiving.js';

export interface ChatsOptions extends EvictionOptions {
  /** Prefix of all keys. Default `chat`. */
  readonly prefix?: string;
  /**
   * Max unread messages that a chat keeps; the oldest are dropped first. 0 for no limit. Default
   * 10,000.
   */
  readonly limit?: number;
}

export interface JoinOptions {
  /** Begin with messages that others have not read yet, instead of new ones only. Default false. */
  readonly history?: boolean;
}

export interface UnreadOptions {
  /** Max number of messages. Default 100. */
  readonly count?: number;
}

export interface ChatMessage<Message> {
  /** 1, 2, 3 … in each chat: the order in which all members see the messages. */
  readonly number: number;
  readonly from: string;
  /** When it was posted, by the server's clock. */
  readonly postedAt: Date;
  readonly message: Message;
}

export interface ChatMember {
  readonly member: string;
  /** Number of unacknowledged messages. */
  readonly unread: number;
}

/**
 * Group chats. Each member has a position in the sequence of messages, moved only by its acknowledgements. Messages that
 * all have read are dropped; a chat without members is deleted. Calls fail with `UNKNOWN_CHAT` if the chat does not exist,
 * and with `NOT_A_MEMBER` if the name is not a member.
 */
export interface Chats<Message> {
  /** Creates a chat with its first members; fails with `EXISTS` if the name is taken. */
  create(chat: string, members: readonly string[]): Promise<void>;
  join(chat: string, member: string, options?: JoinOptions): Promise<void>;
  /** Returns the number of members left. The chat is deleted with its last member. */
  leave(chat: string, member: string): Promise<number>;
  /** Adds a message, which its author receives too. Returns its number. */
  post(chat: string, from: string, message: Message): Promise<number>;
  /** The member's unacknowledged messages, oldest first. */
  unread(chat: string, member: string, options?: UnreadOptions): Promise<ChatMessage<Message>[]>;
  /** Marks everything up to this number as read. Returns the number of unread messages. */
  acknowledge(chat: string, member: string, number: number): Promise<number>;
  /**
   * Messages as they arrive, unread ones first. Each is acknowledged when the next one is requested: after a crash the
   * reader gets its last message again.
   */
  receive(
    chat: string,
    member: string,
    options?: ReceiveOptions,
  ): AsyncIterableIterator<ChatMessage<Message>>;
  members(chat: string): Promise<ChatMember[]>;
  /** The chats that this member has joined. */
  joined(member: string): Promise<string[]>;
}

/**
 * @example
 * const talk = chats<string>(store);
 * await talk.create('team', ['ann', 'bob']);
 * await talk.post('team', 'ann', 'hello'); // 1
 * await talk.unread('team', 'bob'); // [{ number: 1, from: 'ann', postedAt: …, message: 'hello' }]
 * await talk.acknowledge('team', 'bob', 1); // 0: nothing unread
 */
export function chats<Message = unknown>(store: Store, options: ChatsOptions = {}): Chats<Message> {
  checkStore('chats', store);
  const { prefix, limit, ...eviction } = resolveOptions('chats', options, RULES);
  const guard = new EvictionGuard(store, 'chats', eviction);
  const keysOf = keyNaming('chats', prefix, CHAT_PARTS);
  const memberKeysOf = keyNaming('chats', `${prefix}-member`, ['joined']);
  const scripts = {
    create: guard.before(store.script(CREATE)),
    join: store.script(JOIN),
    leave: store.script(LEAVE),
    post: guard.before(store.script(POST)),
    acknowledge: store.script(ACKNOWLEDGE),
    unread: store.script(UNREAD),
    members: store.script(MEMBERS),
  };

  /** The set of a member's chats is in another slot than the chat: it is updated before joining, and checked when it is read. */
  const note = (chat: string, member: string): Promise<unknown> =>
    store.send('SADD', memberKeysOf(member).joined, chat);
  const forget = (chat: string, member: string): Promise<unknown> =>
    store.send('SREM', memberKeysOf(member).joined, chat);

  async function unread(chat: string, member: string, after: number, count: number) {
    checkName('chats', member);
    const reply = await scripts.unread({ ...keysOf(chat), member, after, count });
    if (typeof reply === 'number') throw problem(reply, chat, member);
    return reply.map(([id, [, from, , at, , body]]) => ({
      number: Number.parseInt(id, 10),
      from: from as string,
      postedAt: new Date(Number(at)),
      message: JSON.parse(body as string) as Message,
    }));
  }

  async function acknowledge(chat: string, member: string, number: number): Promise<number> {
    checkName('chats', member);
    if (!Number.isSafeInteger(number)) throw new KitError('OPTION', 'chats: `number` is that of a message');
    return answer(await scripts.acknowledge({ ...keysOf(chat), member, number }), chat, member);
  }

  async function exists(chat: string): Promise<boolean> {
    return (await store.send('EXISTS', keysOf(chat).members)) === 1;
  }

  async function isMember(chat: string, member: string): Promise<boolean> {
    return (await store.send('ZSCORE', keysOf(chat).members, member)) !== null;
  }

  return {
    acknowledge,
    create: async (chat, members) => {
      const areNames = Array.isArray(members) && members.every((name) => typeof name === 'string');
      if (!areNames || members.length === 0) {
        throw new KitError('OPTION', "chats: a chat begins with a list of members such as ['ann', 'bob']");
      }
      if (await exists(chat)) throw isThere(chat);
      await Promise.all(members.map((member) => note(chat, member)));
      if ((await scripts.create({ ...keysOf(chat), names: members })) === 0) throw isThere(chat);
    },
    join: async (chat, member, given = {}) => {
      const { history } = resolveOptions('chats', given, JOIN_RULES);
      checkName('chats', member);
      if (!(await exists(chat))) throw problem(UNKNOWN, chat, member);
      await note(chat, member);
      answer(await scripts.join({ ...keysOf(chat), member, history: history ? 1 : 0 }), chat, member);
    },
    leave: async (chat, member) => {
      checkName('chats', member);
      const staying = answer(await scripts.leave({ ...keysOf(chat), member }), chat, member);
      await forget(chat, member);
      return staying;
    },
    post: async (chat, from, message) => {
      checkName('chats', from);
      return answer(await scripts.post({ ...keysOf(chat), from, body: encode(message), limit }), chat, from);
    },
    unread: async (chat, member, given = {}) =>
      unread(chat, member, 0, resolveOptions('chats', given, UNREAD_RULES).count),
    receive: (chat, member, given = {}) => {
      const { signal } = resolveOptions('chats', given, RECEIVE_RULES);
      let reached = 0;
      return deliver(
        store.time,
        () => unread(chat, member, reached, BATCH),
        ({ number }) => {
          reached = number;
          return acknowledge(chat, member, number);
        },
        () => waitForEntry(store, keysOf(chat).messages, `${reached}-0`, signal),
        signal,
      );
    },
    members: async (chat) => {
      const [newest, ...found] = await scripts.members(keysOf(chat));
      if (found.length === 0) throw problem(UNKNOWN, chat, '');
      return pairs(found).map(([member, place]) => ({ member, unread: newest - Number(place) }));
    },
    joined: async (member) => {
      const noted = (await store.send('SMEMBERS', memberKeysOf(member).joined)) as string[];
      const belongs = await Promise.all(noted.map((chat) => isMember(chat, member)));
      return noted.filter((_, index) => belongs[index]).sort();
    },
  };
}

/** The number that a script returned; throws if it is an error number. */
function answer(number: number, chat: string, member: string): number {
  if (number === UNKNOWN || number === STRANGER) throw problem(number, chat, member);
  return number;
}

function problem(number: number, chat: string, member: string): KitError {
  if (number === STRANGER) {
    return new KitError('NOT_A_MEMBER', `'${member}' is not a member of the chat '${chat}': join it first`);
  }
  const advice = 'create it first; it may be gone with its last member';
  return new KitError('UNKNOWN_CHAT', `there is no chat '${chat}': ${advice}`);
}

function isThere(chat: string): KitError {
  return new KitError('EXISTS', `the chat '${chat}' already exists: join it, or use another name`);
}

/** As in chat-state.lua. */
const UNKNOWN = -1;
const STRANGER = -2;

const BATCH = 100;

const RULES = { prefix: text('chat'), limit: integer(10_000, { min: 0 }), ...EVICTION_RULES };
const JOIN_RULES = { history: flag(false) };
const UNREAD_RULES = { count: integer(BATCH, { min: 1 }) };
