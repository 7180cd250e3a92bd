import * as crypto from 'node:crypto';
import { jsonOf, KitError, shown } from '../foundation/index.js';

/** A session, without the token that gives access to it. */
export interface Session<Data extends object> {
  /** Names the session in lists and logs. It does not give access to it. */
  readonly id: string;
  readonly user: string | undefined;
  readonly data: Partial<Data>;
  readonly createdAt: Date;
  /** When it was last visited, by the server's clock. */
  readonly seenAt: Date;
  /** When it ends without another visit, at the earliest. */
  readonly endsAt: Date;
}

/** A session that was just created. */
export interface NewSession<Data extends object> extends Session<Data> {
  /** The visitor's key to the session: 256 random bits. It is not stored, only its hash. */
  readonly token: string;
}

export function newToken(): string {
  return crypto.randomBytes(32).toString('base64url');
}

/** Where a session is stored. */
export interface Place {
  readonly id: string;
  readonly shard: number;
}

/** The store only has the token's hash, so that its content, files and logs give access to no session. */
export function placeOf(token: string, shards: number): Place {
  if (typeof token !== 'string' || token === '') {
    throw new KitError('OPTION', `sessions: a token must be a string that is not empty, not ${shown(token)}`);
  }
  return placeIn(hashOf(token), shards);
}

/** Since Node 20.12 there is a function for it, which takes half of the time. */
const hashOf: (token: string) => string =
  typeof crypto.hash === 'function'
    ? (token) => crypto.hash('sha256', token, 'base64url')
    : (token) => crypto.createHash('sha256').update(token).digest('base64url');

const ID = /^[\w-]{43}$/;

export function placeOfId(id: string, shards: number): Place {
  if (typeof id !== 'string' || !ID.test(id)) {
    throw new KitError('OPTION', `sessions: an id must be the \`id\` of a session, not ${shown(id)}`);
  }
  return placeIn(id, shards);
}

/** The first 32 bits of the hash choose the shard. */
function placeIn(id: string, shards: number): Place {
  let bits = 0;
  for (let i = 0; i < 6; i++) bits = bits * 64 + DIGITS.indexOf(id.charAt(i));
  return { id, shard: Math.floor(bits / 16) % shards };
}

/** The digits of base64url. */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const DATA = 'd:';

/** What is stored of a session: a field and its value in turn, as the store replies them. A visit reads it, so no map is made. */
export type SessionRecord = readonly string[];

/** The value of a field; undefined if there is none. */
export function valueIn(record: SessionRecord, name: string): string | undefined {
  for (let at = 0; at < record.length; at += 2) if (record[at] === name) return record[at + 1];
  return undefined;
}

export function sessionOf<Data extends object>(id: string, record: SessionRecord): Session<Data> {
  const data: Record<string, unknown> = {};
  let [created, idle, last] = [Number.NaN, Number.NaN, Number.NaN];
  let seen: number | undefined;
  let user: string | undefined;
  for (let at = 0; at < record.length; at += 2) {
    const field = record[at] as string;
    const value = record[at + 1] as string;
    if (field === 'created') created = Number(value);
    else if (field === 'idle') idle = Number(value);
    else if (field === 'ends') last = Number(value);
    else if (field === 'user') user = value;
    else if (field === 'seen') seen = Math.floor(Number(value) / 1_000);
    else if (field.startsWith(DATA)) data[field.slice(DATA.length)] = JSON.parse(value);
  }
  // Without `seen` it was removed a moment ago.
  seen ??= created;
  return {
    id,
    user,
    data: data as Partial<Data>,
    createdAt: new Date(created),
    seenAt: new Date(seen),
    endsAt: new Date(Math.min(seen + idle, last)),
  };
}

/** What changes in a record: fields to remove, and fields with their JSON. */
export function changesOf(data: unknown): { removed: string[]; set: string[] } {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw new KitError(
      'OPTION',
      `sessions: data must be an object such as { theme: 'dark' }, not ${shown(data)}`,
    );
  }
  const [removed, set]: [string[], string[]] = [[], []];
  for (const [name, value] of Object.entries(data)) {
    if (value === undefined) removed.push(DATA + name);
    else set.push(DATA + name, json(name, value));
  }
  return { removed, set };
}

function json(name: string, value: unknown): string {
  return jsonOf(value, `sessions: \`${name}\` must be a value that JSON can hold, not ${shown(value)}`);
}
