import type { Arena } from '../../structures/arena/arena.js';
import { IdTree } from '../../structures/stream/id-tree.js';
import { highWord, lowWord, StreamId, unsigned64 } from '../../structures/stream/stream-id.js';
import type { Counter } from '../counter.js';

/** Own words of a pending entry: when it was delivered, how often, and to which consumer. */
const TIME_LOW = 0;
const TIME_HIGH = 1;
const COUNT_LOW = 2;
const COUNT_HIGH = 3;
const CONSUMER = 4;
const PENDING_WORDS = 5;

/** Approximate heap size of a consumer group's objects, and of a consumer's. */
const GROUP_BYTES = 480;
const CONSUMER_BYTES = 240;

/** One reader of a consumer group. */
export class Consumer {
  readonly name: string;
  /** Names the consumer in the records of its group. */
  readonly number: number;
  /** When it was last seen, in Unix ms. */
  seenTime: number;
  /** Ids of its pending entries; the group has the details. */
  readonly pending: IdTree;

  constructor(name: string, number: number, arena: Arena, now: number) {
    this.name = name;
    this.number = number;
    this.seenTime = now;
    this.pending = new IdTree(arena, 0);
  }
}

/**
 * A consumer group: how far it has read, and the pending entries (delivered, not acknowledged yet) of its consumers, by id
 * and again by consumer. Names are latin1: one character per byte.
 */
export class ConsumerGroup {
  readonly name: string;
  readonly lastId = new StreamId();
  /** The number of entries that it has read since the stream's first one; -1 if unknown. */
  entriesRead: Counter;
  readonly consumers = new Map<string, Consumer>();
  /** All pending entries. `owner`, `deliveryTime`, `deliveryCount`, `deliver` … refer to the tree's place. */
  readonly pending: IdTree;
  readonly #arena: Arena;
  readonly #byNumber: (Consumer | undefined)[] = [];
  readonly #freeNumbers: number[] = [];

  constructor(name: string, arena: Arena, lastId: StreamId, entriesRead: Counter) {
    this.name = name;
    this.#arena = arena;
    this.lastId.set(lastId);
    this.entriesRead = entriesRead;
    this.pending = new IdTree(arena, PENDING_WORDS);
  }

  // ---- consumers ----

  /** The consumer, if there is one. Updates the time it was last seen. */
  consumer(name: string, now: number): Consumer | undefined {
    const consumer = this.consumers.get(name);
    if (consumer !== undefined) consumer.seenTime = now;
    return consumer;
  }

  /** Creates a consumer, which must not exist yet. */
  createConsumer(name: string, now: number): Consumer {
    const number = this.#freeNumbers.pop() ?? this.#byNumber.length;
    const consumer = new Consumer(name, number, this.#arena, now);
    this.#byNumber[number] = consumer;
    this.consumers.set(name, consumer);
    return consumer;
  }

  /** Removes the consumer and its pending entries. */
  removeConsumer(consumer: Consumer): void {
    const { pending } = consumer;
    for (let more = pending.first(); more; more = pending.next())
      this.pending.remove(pending.readId(scratch));
    for (let more = pending.dismantle(); more; ) more = pending.freeLeaf();
    this.consumers.delete(consumer.name);
    this.#byNumber[consumer.number] = undefined;
    this.#freeNumbers.push(consumer.number);
  }

  /** In the order of their names' bytes, as Redis lists them. */
  sortedConsumers(): Consumer[] {
    return byName(this.consumers);
  }

  // ---- pending entries ----

  /** The owner of the pending entry at the place. */
  get owner(): Consumer {
    return this.#byNumber[this.pending.word(CONSUMER)] as Consumer;
  }

  get deliveryTime(): number {
    const { pending } = this;
    return (pending.word(TIME_HIGH) | 0) * 0x1_0000_0000 + (pending.word(TIME_LOW) >>> 0);
  }

  get deliveryCount(): Counter {
    const { pending } = this;
    return unsigned64(pending.word(COUNT_HIGH) >>> 0, pending.word(COUNT_LOW) >>> 0);
  }

  setDelivery(time: number, count: Counter): void {
    const { pending } = this;
    pending.setWord(TIME_LOW, lowWord(time));
    pending.setWord(TIME_HIGH, highWord(time));
    pending.setWord(COUNT_LOW, lowWord(count));
    pending.setWord(COUNT_HIGH, highWord(count));
  }

  /** Makes the entry pending for this consumer only. */
  assign(id: StreamId, consumer: Consumer, time: number, count: Counter): void {
    if (this.pending.find(id)) {
      const { owner } = this;
      if (owner !== consumer) {
        owner.pending.remove(id);
        consumer.pending.insert(id);
      }
    } else {
      this.pending.insert(id);
      consumer.pending.insert(id);
    }
    this.pending.setWord(CONSUMER, consumer.number);
    this.setDelivery(time, count);
  }

  /** Removes the entry from the pending ones; false if it was not pending. */
  acknowledge(id: StreamId): boolean {
    if (!this.pending.find(id)) return false;
    this.owner.pending.remove(id);
    this.pending.remove(id);
    return true;
  }

  // ---- as part of a large value ----

  memory(): number {
    let bytes = GROUP_BYTES + this.pending.bytes;
    for (const { pending } of this.consumers.values()) bytes += CONSUMER_BYTES + pending.bytes;
    return bytes;
  }

  /** Everything in the arena, for freeing it. */
  *trees(): Iterable<IdTree> {
    yield this.pending;
    for (const { pending } of this.consumers.values()) yield pending;
  }
}

/** The map's values in the order of their keys' bytes. */
export function byName<T>(map: ReadonlyMap<string, T>): T[] {
  const names = [...map.keys()].sort((a, b) => (a < b ? -1 : 1));
  return names.map((name) => map.get(name) as T);
}

const scratch = new StreamId();
