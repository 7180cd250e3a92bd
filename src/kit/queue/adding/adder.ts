import { StoreError } from '../../../store/index.js';
import { newId, runsHere } from '../../foundation/index.js';
import type { QueueCore } from '../lua/scripts.js';

/** A task to add: its record, and its special options as JSON, or '' (see add.lua). */
export interface Entry {
  readonly record: string;
  readonly special: string;
}

interface Group {
  readonly entries: readonly Entry[];
  resolve(ids: string[]): void;
  reject(error: unknown): void;
}

/** Max entries per call, unless more belong together. */
const MAX_PER_CALL = 400;

/**
 * Adds tasks. Calls made while another one is pending, or in the same turn of the event loop, share one round
 * trip. Each group of entries is added as a whole and in order.
 */
export class Adder {
  readonly #core: QueueCore;
  readonly #sender = newId();
  /** False if commands run in this process, once. A client may send a command again after a disconnect. */
  readonly #needsReceipt: boolean;
  #groups: Group[] = [];
  #calls = 0;
  #isSending = false;

  constructor(core: QueueCore) {
    this.#core = core;
    this.#needsReceipt = !runsHere(core.store);
  }

  /** The ids of the tasks; the id of an existing task with the same unique key is prefixed with '='. */
  add(entries: readonly Entry[]): Promise<string[]> {
    return new Promise((resolve, reject) => {
      this.#groups.push({ entries, resolve, reject });
      if (!this.#isSending) void this.#sendAll();
    });
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    // Include everything that is added in this turn of the event loop.
    await undefined;
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
        if (isOutage(error)) this.#refuseRest(error);
      }
    }
    this.#isSending = false;
  }

  /** Rejects the entries that waited behind a failed call. They were not sent. */
  #refuseRest({ code, message }: StoreError): void {
    const error = new StoreError(code, `the task was not sent, because an earlier one failed: ${message}`);
    for (const { reject } of this.#groups.splice(0)) reject(error);
  }

  /** A call adds all or nothing. If one group is refused, each group is sent separately. */
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
    if (this.#groups.length === 1) {
      const only = this.#groups;
      this.#groups = [];
      return only;
    }
    let size = 0;
    let count = 0;
    for (const { entries } of this.#groups) {
      if (count > 0 && size + entries.length > MAX_PER_CALL) break;
      size += entries.length;
      count++;
    }
    return this.#groups.splice(0, count);
  }

  #send(groups: readonly Group[]): Promise<string[]> {
    const call = this.#needsReceipt ? String(++this.#calls) : '';
    const isPlain = groups.every(({ entries }) => entries.every(({ special }) => special === ''));
    return isPlain ? this.#sendPlain(call, groups) : this.#sendSpecial(call, groups);
  }

  async #sendPlain(call: string, groups: readonly Group[]): Promise<string[]> {
    const { scripts, keys, keepEvents: bound, eventRenewal } = this.#core;
    const { meta, tasks, waiting, wake, events } = keys;
    const records: string[] = [];
    for (const { entries } of groups) for (const { record } of entries) records.push(record);
    const sender = this.#sender;
    const inputs = {
      meta,
      tasks,
      waiting,
      wake,
      events,
      call,
      sender,
      bound,
      renews: eventRenewal.next(),
      records,
    };
    const first = (await scripts.addPlain(inputs)) as string;
    return records.length === 1 ? [first] : records.map((_, index) => nextId(first, index));
  }

  async #sendSpecial(call: string, groups: readonly Group[]): Promise<string[]> {
    const { scripts, keyList: keys, keepEvents: bound, eventRenewal } = this.#core;
    const keepDead = this.#core.keepDead.count;
    const renews = eventRenewal.next();
    const words: string[] = [];
    for (const { entries } of groups) for (const { record, special } of entries) words.push(record, special);
    const sender = this.#sender;
    return (await scripts.add({
      ...{ keys, call, sender, bound, renews, keepDead },
      ...{ parent: '', entries: words },
    })) as string[];
  }
}

/** The id `distance` after another. */
function nextId(id: string, distance: number): string {
  return String(Number(id) + distance).padStart(id.length, '0');
}

function isOutage(error: unknown): error is StoreError {
  return error instanceof StoreError && OUTAGES.has(error.code);
}

const OUTAGES: ReadonlySet<string> = new Set(['UNREACHABLE', 'TIMEOUT', 'CLOSED']);

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'NOTASK';
}
