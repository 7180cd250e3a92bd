import type { Store } from '../../store/index.js';
import {
  checkStore,
  fold,
  integer,
  KitError,
  keyNaming,
  readLua,
  resolveOptions,
  shown,
  text,
} from '../foundation/index.js';

export interface RecentContactsOptions {
  /** Contacts kept for each user; the one that was used least recently is dropped. Default 100. */
  readonly limit?: number;
  /** Prefix of all keys. Default `contacts`. */
  readonly prefix?: string;
}

export interface CompleteContactsOptions {
  /** Max number of contacts. Default: all that match. */
  readonly limit?: number;
}

/** The contacts that each user has used last. A short list: it is read as a whole and searched in this process. */
export interface RecentContacts {
  /** Makes it the most recent contact of the user. */
  add(user: string, contact: string): Promise<void>;
  /** Returns false if the user did not have it. */
  remove(user: string, contact: string): Promise<boolean>;
  /**
   * The contacts that begin with the prefix, in any case and with or without accents, most recent first. An empty prefix
   * returns all.
   *
   * @example
   * await recentContacts(store).complete('user:7', 'jo'); // ['Jon', 'José', …]
   */
  complete(user: string, prefix: string, options?: CompleteContactsOptions): Promise<string[]>;
  /** Forgets all contacts of the user. */
  clear(user: string): Promise<void>;
}

/**
 * Keeps the contacts that each user has used last.
 *
 * @example
 * const contacts = recentContacts(store);
 * await contacts.add('user:7', 'José');
 * await contacts.complete('user:7', 'jos'); // ['José']
 */
export function recentContacts(store: Store, options: RecentContactsOptions = {}): RecentContacts {
  checkStore('recentContacts', store);
  const { limit, prefix: keyPrefix } = resolveOptions('recentContacts', options, RULES);
  const keysOf = keyNaming('recentContacts', keyPrefix, ['recent']);
  const add = store.script(ADD);
  return {
    add: async (user, contact) => {
      await add({ ...keysOf(user), contact: contactText(contact), limit });
    },
    remove: async (user, contact) => {
      const removed = await store.send('LREM', keysOf(user).recent, 0, contactText(contact));
      return removed !== 0;
    },
    complete: async (user, prefix, given = {}) => {
      const most = resolveOptions('complete', given, COMPLETE_RULES).limit;
      if (typeof prefix !== 'string') {
        throw new KitError('OPTION', `recentContacts: a prefix must be a string, not ${shown(prefix)}`);
      }
      const contacts = await store.send<string[]>('LRANGE', keysOf(user).recent, 0, -1);
      const start = fold(prefix).trimStart();
      const matches: string[] = [];
      for (const contact of contacts) {
        if (matches.length === most) break;
        if (fold(contact).startsWith(start)) matches.push(contact);
      }
      return matches;
    },
    clear: async (user) => {
      await store.send('UNLINK', keysOf(user).recent);
    },
  };
}

function contactText(contact: string): string {
  if (typeof contact === 'string' && contact.trim() !== '') return contact.trim().normalize('NFC');
  throw new KitError('OPTION', `recentContacts: a contact must be a text, not ${shown(contact)}`);
}

const ADD = {
  keys: ['recent'],
  args: ['contact', 'limit'],
  repeatable: true,
  lua: readLua(import.meta.url, 'add-contact.lua'),
} as const;

const RULES = { limit: integer(100, { min: 1, max: 10_000 }), prefix: text('contacts') };
const COMPLETE_RULES = { limit: integer(Number.MAX_SAFE_INTEGER, { min: 1 }) };
