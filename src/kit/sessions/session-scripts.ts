import { CLOCK, readLua } from '../foundation/index.js';
import type { SessionRecord } from './session-record.js';

/** The Lua functions of sessions, for scripts of components whose data belongs to sessions. */
export const SESSION_LUA = readLua(import.meta.url, CLOCK, 'session-state.lua');

/** The keys of a shard. */
export const SHARD_KEYS = ['recent', 'shard'] as const;

const lua = (file: string): string => `${SESSION_LUA}\n${readLua(import.meta.url, file)}`;

/** A record, from a reply; undefined if there is none. */
export function recordIn(reply: unknown): SessionRecord | undefined {
  const record = reply as SessionRecord;
  return record.length === 0 ? undefined : record;
}

export const CREATE = {
  keys: SHARD_KEYS,
  args: ['id', 'user', 'idle', 'lifetime', 'maxIdle', 'expected', '...fields'],
  repeatable: true,
  lua: lua('create.lua'),
  reply: recordIn,
} as const;

export const TOUCH = {
  keys: SHARD_KEYS,
  args: ['id', 'hasItem', 'item', 'kept'],
  repeatable: true,
  lua: readLua(import.meta.url, CLOCK, 'touch-usual.lua', 'session-state.lua', 'touch.lua'),
  reply: recordIn,
} as const;

export const UPDATE = {
  keys: SHARD_KEYS,
  args: ['id', 'removed', '...changes'],
  repeatable: true,
  lua: lua('update.lua'),
  reply: recordIn,
} as const;

/** {count, id, user, …} */
function droppedIn(reply: unknown): Dropped {
  const [count, ...flat] = reply as [number, ...string[]];
  const byUser = new Map<string, string[]>();
  for (let at = 0; at < flat.length; at += 2) {
    const [id, user] = [flat[at] as string, flat[at + 1] as string];
    const ids = byUser.get(user);
    if (ids === undefined) byUser.set(user, [id]);
    else ids.push(id);
  }
  return { count, byUser };
}

export const DROP = {
  keys: SHARD_KEYS,
  args: ['unseenSince', 'refuse', '...ids'],
  repeatable: true,
  lua: readLua(import.meta.url, CLOCK, 'session-state.lua', 'dropping.lua', 'drop.lua'),
  reply: droppedIn,
} as const;

export const DROP_UNSEEN = {
  keys: SHARD_KEYS,
  args: ['before'],
  repeatable: true,
  lua: readLua(import.meta.url, CLOCK, 'session-state.lua', 'dropping.lua', 'drop-unseen.lua'),
  reply: droppedIn,
} as const;

export interface Dropped {
  readonly count: number;
  /** The ids of those that have a user. */
  readonly byUser: ReadonlyMap<string, readonly string[]>;
}

export const OLDEST = {
  keys: SHARD_KEYS,
  args: ['idle', 'rank', 'count'],
  repeatable: true,
  lua: lua('oldest.lua'),
  reply: (reply: unknown): Oldest => {
    const [count, moment, forgotten, time, flat] = reply as [number, string, number, string, string[]];
    return {
      count,
      moment: Number(moment),
      forgotten,
      timeAtRank: time === '' ? undefined : Number(time),
      entries: Array.from({ length: flat.length / 2 }, (_, at) => ({
        id: flat[2 * at] as string,
        seen: Number(flat[2 * at + 1]),
      })),
    };
  },
} as const;

export interface Oldest {
  /** Sessions of the shard. */
  readonly count: number;
  /** The server's time of the answer, in µs. A session that is seen later has a later time. */
  readonly moment: number;
  readonly forgotten: number;
  /** When the session with the rank was seen, in µs; undefined if there are not that many. */
  readonly timeAtRank: number | undefined;
  /** Least recently seen first; `seen` in µs. */
  readonly entries: readonly { readonly id: string; readonly seen: number }[];
}

export const NOTE = {
  keys: ['sessions'],
  args: ['id', 'lifetime'],
  repeatable: true,
  lua: readLua(import.meta.url, CLOCK, 'note.lua'),
  reply: Number,
} as const;

export const FORGET = {
  keys: ['sessions'],
  args: ['lifetime', 'grace', '...ids'],
  repeatable: true,
  lua: readLua(import.meta.url, CLOCK, 'forget.lua'),
} as const;
