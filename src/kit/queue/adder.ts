import { newId } from '../foundation/index.js';
import { keyList, type QueueCore, receiptKey } from './scripts.js';

/** A task to be added: its record, and what is special about it as JSON, or '' (see add.lua). */
export interface Entry {
  readonly record: string;
  readonly special: string;
}

interface Group {
  readonly entries: readonly Entry[];
  resolve(ids: string[]): void;
  reject(error: unknown): void;
}

/** More entries than this go in several calls, unless they belong together. */
const MOST_PER_CALL = 400;
/** A call that the client sends again after a broken connection comes within this time. */
const KEEP_RECEIPT_MS = 60_000;

/**
 * Adds tasks. Calls made while another one is under way, or in the same turn of the event loop, go together in one round
 * trip; each group of entries is added whole and in order.
 */
export class Adder {
  readonly #core: QueueCore;
  readonly #keys: readonly string[];
  /** An embedded store does what it is told once. A client may send a command again when the connection was broken. */
  readonly #needsReceipt: boolean;
  #groups: Group[] = [];
  #calls = 0;
  #isSending = false;

  constructor(core: QueueCore) {
    this.#core = core;
    this.#keys = keyList(core.keys, receiptKey(core.keys, newId()));
    this.#needsReceipt = core.store.kind !== 'embedded';
  }

  /** The ids of the tasks; one that was there already under its unique key has '=' before it. */
  add(entries: readonly Entry[]): Promise<string[]> {
    return new Promise((resolve, reject) => {
      this.#groups.push({ entries, resolve, reject });
      if (this.#isSending) return;
      this.#isSending = true;
      queueMicrotask(() => void this.#sendAll());
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#groups.length > 0) {
      const groups = this.#nextGroups();
      try {
        const ids = await this.#send(groups);
        let from = 0;
        for (const { entries, resolve } of groups) {
          resolve(ids.slice(from, from + entries.length));
          from += entries.length;
        }
      } catch (error) {
        await this.#failed(groups, error);
      }
    }
    this.#isSending = false;
  }

  /** A call adds all or nothing: if something is wrong with one group, the others are sent by themselves. */
  async #failed(groups: readonly Group[], error: unknown): Promise<void> {
    const [only, ...others] = groups;
    if (only === undefined || others.length === 0 || !isRefusal(error)) {
      for (const { reject } of groups) reject(error);
      return;
    }
    for (const group of groups) {
      await this.#send([group]).then(group.resolve, group.reject);
    }
  }

  #nextGroups(): Group[] {
    let size = 0;
    let count = 0;
    for (const { entries } of this.#groups) {
      if (count > 0 && size + entries.length > MOST_PER_CALL) break;
      size += entries.length;
      count++;
    }
    return this.#groups.splice(0, count);
  }

  async #send(groups: readonly Group[]): Promise<string[]> {
    const { scripts, keepEvents } = this.#core;
    const entries: string[] = [];
    for (const group of groups) {
      for (const { record, special } of group.entries) entries.push(record, special);
    }
    const ids = await scripts.add({
      keys: this.#keys,
      call: this.#needsReceipt ? String(++this.#calls) : '',
      keepMs: KEEP_RECEIPT_MS,
      bound: keepEvents,
      entries,
    });
    return ids as string[];
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'NOTASK';
}
