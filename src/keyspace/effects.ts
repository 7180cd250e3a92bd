import { Bytes, copyBytes } from '../bytes/bytes.js';
import { wideBuffer } from '../bytes/wide-buffer.js';
import { RequestDecoder } from '../resp/request-decoder.js';
import { findRequest, requestBytes, writeRequest } from '../resp/request-encoder.js';
import type { Database } from './database.js';

/** Classes of keyspace events, as the letters of `notify-keyspace-events` select them. */
export const EventClass = {
  keyspace: 1 << 0, // K
  keyevent: 1 << 1, // E
  generic: 1 << 2, // g
  string: 1 << 3, // $
  list: 1 << 4, // l
  set: 1 << 5, // s
  hash: 1 << 6, // h
  sortedSet: 1 << 7, // z
  expired: 1 << 8, // x
  evicted: 1 << 9, // e
  stream: 1 << 10, // t
  keyMiss: 1 << 11, // m
  loaded: 1 << 12,
  module: 1 << 13, // d
  newKey: 1 << 14, // n
} as const;

/** Takes `buffer[start .. end)`, which is reused when this returns. */
export interface EncodedSink {
  bytes(buffer: Buffer, start: number, end: number): void;
}

/** One command that reproduces a change exactly: absolute times, chosen members. Valid only during `batch`. */
export interface EffectCommand {
  readonly db: number;
  /** The command as a client would send it, for files and replicas. Each access makes a new copy. */
  readonly encoded: Buffer;
  /** The same, without a copy. */
  encodeTo(sink: EncodedSink): void;
  /** Its words. */
  readonly argv: readonly Buffer[];
  /** Not for the append-only file: it changed nothing (PUBLISH), or a script chose so. */
  readonly onlyForReplicas: boolean;
  /** Not for replicas: a script chose so. */
  readonly onlyForFile: boolean;
}

/** The destination of a recorded command. */
export type Recipients = 'all' | 'replicas' | 'file' | 'none';

/**
 * Observes changes of the data. All methods are optional. Those of the first group are called at once, in the middle
 * of a command; keys are views that are valid only during the call.
 */
export interface EffectsListener {
  /** The key was changed, created, removed or replaced: WATCH, client tracking. */
  keyChanged?(db: Database, key: Bytes): void;
  /** The key was removed without a command: it expired or was evicted. */
  keyVanished?(db: Database, key: Bytes): void;
  /** The key was created, got a stream entry, or its stream was removed: blocked clients may be served. */
  keyReady?(db: Database, key: Bytes): void;
  /** All keys of these databases are about to be removed. */
  flushing?(databases: readonly Database[]): void;
  /** The two databases are about to be swapped. */
  swapping?(a: Database, b: Database): void;
  /** The two databases have been swapped. */
  swapped?(a: Database, b: Database): void;
  /** A keyspace event of an enabled class. */
  keyEvent?(db: Database, key: Bytes, event: string): void;

  /**
   * For the append-only file and replicas. Called once per atomic unit of work, which is a command, a
   * transaction or a script. Several commands are recorded between MULTI and EXEC, unless they are
   * `independent`: keys that expired or were evicted in the background.
   */
  batch?(commands: readonly EffectCommand[], independent: boolean): void;
}

/** A part of a command to be recorded: text is latin1 bytes. */
export type EffectArgument = Bytes | string | number;

/**
 * Reports every change of the keyspace. A handler makes one call, `changed`, which notifies
 * WATCH, tracking and event subscribers at once, and the append-only file and replicas, with deterministic commands, when
 * the atomic unit (a command, a transaction, a script) ends. For blocked clients, the keyspace itself reports that a key
 * was created or removed.
 */
export class Effects {
  /** The destination of the running command's record: scripts may choose it. */
  recipients: Recipients = 'all';
  /** Whether there are listeners for changes, for ready keys, and for batches. Without listeners a change costs two tests. */
  watching = false;
  waiting = false;
  recording = false;

  #dirty = 0;
  /** Which event classes are enabled, and which of them are published now. */
  #enabledEvents = 0;
  #eventMask = 0;
  #isSilent = false;
  /** The listeners that have each method. */
  #listeners: ListenersByMethod = {
    keyChanged: [],
    keyVanished: [],
    keyReady: [],
    flushing: [],
    swapping: [],
    swapped: [],
    keyEvent: [],
    batch: [],
  };

  readonly #encoded = new EncodedCommands();
  /** Most units of work are a single command, which is recorded without allocation. */
  readonly #first = new RecordedCommand(this.#encoded);
  readonly #single: readonly EffectCommand[] = [this.#first];
  #hasFirst = false;
  #others: EffectCommand[] = [];
  #isHandingOut = false;
  /** The number of commands that replace the running one; -1 if it is recorded unchanged. */
  #rewritten = -1;
  /** The running command is recorded even if it changed nothing. */
  #isRecordedAnyway = false;

  // ---- listeners ----

  /** Calls the listener's methods until the returned function is called. */
  subscribe(listener: EffectsListener): () => void {
    for (const method of METHODS) {
      if (listener[method] !== undefined) this.#listeners[method] = [...this.#listeners[method], listener];
    }
    this.#updateFlags();
    return () => {
      for (const method of METHODS) {
        if (listener[method] === undefined) continue;
        this.#listeners[method] = this.#listeners[method].filter((each) => each !== listener);
      }
      this.#updateFlags();
    };
  }

  /** Classes of events that are published; 0 is none. Set from `notify-keyspace-events`. */
  get enabledEvents(): number {
    return this.#enabledEvents;
  }

  set enabledEvents(mask: number) {
    this.#enabledEvents = mask;
    this.#updateFlags();
  }

  /** Runs `work` without recording it or notifying blocked clients and event subscribers: for loading data. */
  silently<Result>(work: () => Result): Result {
    const wasSilent = this.#isSilent;
    this.#isSilent = true;
    this.#updateFlags();
    try {
      return work();
    } finally {
      this.#isSilent = wasSilent;
      this.#updateFlags();
    }
  }

  #updateFlags(): void {
    const isHeard = !this.#isSilent;
    this.watching = this.#listeners.keyChanged.length > 0;
    this.waiting = isHeard && this.#listeners.keyReady.length > 0;
    this.recording = isHeard && this.#listeners.batch.length > 0;
    this.#eventMask = isHeard ? this.#enabledEvents : 0;
  }

  // ---- changes ----

  /** Changes so far; only ever compared or shown. */
  get dirty(): number {
    return this.#dirty;
  }

  /** The key at `key` was changed; `event` of this class is what happened to it. `count` changes for the `save` rules. */
  changed(db: Database, key: Bytes, eventClass: number, event: string, count = 1): void {
    this.#dirty += count;
    if (this.watching) this.#tellChanged(db, key);
    if ((this.#eventMask & eventClass) !== 0) this.#publish(db, key, event);
  }

  /** Changed, but no event is published for it. */
  touched(db: Database, key: Bytes, count = 1): void {
    this.#dirty += count;
    if (this.watching) this.#tellChanged(db, key);
  }

  /** Like `changed`, but blocked clients are notified even if the key existed: a stream got an entry. */
  appended(db: Database, key: Bytes, eventClass: number, event: string): void {
    this.changed(db, key, eventClass, event);
    if (this.waiting) this.ready(db, key);
  }

  /** A detail changed that WATCH and tracking ignore: the groups of a stream, its last id. */
  detailChanged(db: Database, key: Bytes, eventClass: number, event: string): void {
    this.#dirty++;
    if ((this.#eventMask & eventClass) !== 0) this.#publish(db, key, event);
  }

  /** Like `detailChanged`, for the removal of a group of a stream, which clients may be blocked on. */
  detailRemoved(db: Database, key: Bytes, eventClass: number, event: string): void {
    this.detailChanged(db, key, eventClass, event);
    if (this.waiting) this.ready(db, key);
  }

  /** Only counts changes: of functions, of acknowledged entries. */
  counted(count = 1): void {
    this.#dirty += count;
  }

  /** Only publishes an event: the change itself is reported by another call. */
  event(db: Database, key: Bytes, eventClass: number, event: string): void {
    if ((this.#eventMask & eventClass) !== 0) this.#publish(db, key, event);
  }

  // ---- reported by the keyspace ----

  /** Removed without a command: expired or evicted. Publish the event with `event`. */
  vanished(db: Database, key: Bytes): void {
    for (const listener of this.#listeners.keyVanished) listener.keyVanished?.(db, key);
  }

  /** Clients blocked on this key may be served, or must get an error. Call it only if `waiting`. */
  ready(db: Database, key: Bytes): void {
    for (const listener of this.#listeners.keyReady) listener.keyReady?.(db, key);
  }

  /** Before the databases are emptied. */
  flushing(databases: readonly Database[]): void {
    for (const listener of this.#listeners.flushing) listener.flushing?.(databases);
  }

  /** Before the databases are swapped. */
  swapping(a: Database, b: Database): void {
    for (const listener of this.#listeners.swapping) listener.swapping?.(a, b);
  }

  /** After the databases were swapped. */
  swapped(a: Database, b: Database): void {
    for (const listener of this.#listeners.swapped) listener.swapped?.(a, b);
  }

  #tellChanged(db: Database, key: Bytes): void {
    for (const listener of this.#listeners.keyChanged) listener.keyChanged?.(db, key);
  }

  #publish(db: Database, key: Bytes, event: string): void {
    for (const listener of this.#listeners.keyEvent) listener.keyEvent?.(db, key, event);
  }

  // ---- recording ----

  /**
   * Records these words instead of the running command. May be called several times for several
   * commands. `replaceByNothing` records nothing at all.
   */
  rewrite(db: Database, ...words: EffectArgument[]): void {
    if (!this.recording) return;
    this.#rewritten = this.#rewritten < 0 ? 1 : this.#rewritten + 1;
    this.#append(db.index, words, this.recipients);
  }

  replaceByNothing(): void {
    if (this.recording && this.#rewritten < 0) this.#rewritten = 0;
  }

  /** The running command is recorded even if it changes nothing here: a replica may have keys of its own to flush. */
  recordAnyway(): void {
    this.#isRecordedAnyway = this.recording;
  }

  /** Sends the running command to replicas although it changed nothing. */
  forward(db: Database, args: readonly Bytes[], argc: number): void {
    if (!this.recording) return;
    this.replaceByNothing();
    if (this.recipients === 'file' || this.recipients === 'none') return;
    this.#record(db.index, args, argc, 'replicas');
  }

  /** Records a change that no command asked for (expiry, eviction) before the running command. */
  aside(db: Database, ...words: EffectArgument[]): void {
    if (this.recording) this.#append(db.index, words, 'all');
  }

  /** Ends the running command. If it changed something, it is recorded as given, unless the handler rewrote it. */
  finishCommand(db: number, args: readonly Bytes[], argc: number, changedSomething: boolean): void {
    if (this.#rewritten < 0 && (changedSomething || this.#isRecordedAnyway)) {
      this.#record(db, args, argc, this.recipients);
    }
    this.#rewritten = -1;
    this.#isRecordedAnyway = false;
  }

  /** Ends the atomic unit: passes its commands to the listeners. */
  flush(independent = false): void {
    if (!this.#hasFirst && this.#others.length === 0) return;
    const commands = this.#takeAll();
    this.#isHandingOut = true;
    try {
      for (const listener of this.#listeners.batch) listener.batch?.(commands, independent);
    } finally {
      this.#isHandingOut = false;
      this.#first.release();
    }
    if (this.#others.length === 0) this.#encoded.reset();
  }

  #takeAll(): readonly EffectCommand[] {
    const hadFirst = this.#hasFirst;
    const others = this.#others;
    this.#hasFirst = false;
    if (others.length === 0) return this.#single;
    this.#others = [];
    return hadFirst ? [this.#first, ...others] : others;
  }

  #record(db: number, args: readonly Bytes[], argc: number, recipients: Recipients): void {
    if (recipients === 'none') return;
    if (this.#hasFirst || this.#others.length > 0 || this.#isHandingOut) {
      if (this.#hasFirst) this.#first.keep();
      this.#others.push(new RecordedCommand(this.#encoded).encode(db, args, argc, recipients));
      return;
    }
    this.#hasFirst = true;
    const start = findRequest(args, argc);
    if (start < 0) this.#first.encode(db, args, argc, recipients);
    else this.#first.refer(db, args, argc, start, recipients);
  }

  #append(db: number, words: readonly EffectArgument[], recipients: Recipients): void {
    const args = words.map((word) => (typeof word === 'object' ? word : Bytes.of(String(word))));
    this.#record(db, args, args.length, recipients);
  }
}

type ListenersByMethod = { [Method in keyof Required<EffectsListener>]: readonly EffectsListener[] };

const METHODS: readonly (keyof EffectsListener)[] = [
  'keyChanged',
  'keyVanished',
  'keyReady',
  'flushing',
  'swapping',
  'swapped',
  'keyEvent',
  'batch',
];

/**
 * The words of commands, one after another as clients send them, in a buffer that is reused: recording is
 * on the way of every write.
 */
class EncodedCommands {
  buffer = wideBuffer(FIRST_SIZE);
  length = 0;

  /** Adds the words as an array of bulk strings. */
  add(args: readonly Bytes[], argc: number): void {
    const size = requestBytes(args, argc);
    if (this.length + size > this.buffer.length) this.#grow(size);
    this.length = writeRequest(this.buffer, this.length, args, argc);
  }

  /** Adds an encoded command and returns its offset. */
  copy(buffer: Buffer, start: number, end: number): number {
    const offset = this.length;
    if (offset + end - start > this.buffer.length) this.#grow(end - start);
    this.length = copyBytes(buffer, start, end, this.buffer, offset);
    return offset;
  }

  /** Forgets everything, and gives back the memory of something unusually large. */
  reset(): void {
    this.length = 0;
    if (this.buffer.length > LARGEST_KEPT) this.buffer = wideBuffer(FIRST_SIZE);
  }

  #grow(room: number): void {
    const larger = wideBuffer(Math.max(this.buffer.length * 2, this.length + room));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}

const FIRST_SIZE = 1 << 14;
const LARGEST_KEPT = 1 << 20;
const NEWLINE_BYTES = 2;

/** A recorded command: encoded among `EncodedCommands`, or a client's request where it is. */
class RecordedCommand implements EffectCommand {
  db = 0;
  onlyForReplicas = false;
  onlyForFile = false;
  readonly #all: EncodedCommands;
  /** The client's input that has it; undefined if it is encoded. */
  #input: Buffer | undefined;
  #start = 0;
  #end = 0;

  constructor(all: EncodedCommands) {
    this.#all = all;
  }

  encode(db: number, args: readonly Bytes[], argc: number, recipients: Recipients): this {
    this.#start = this.#all.length;
    this.#all.add(args, argc);
    this.#end = this.#all.length;
    this.#address(db, recipients);
    return this;
  }

  /** The request at `start` of the arguments' buffer: valid until the client's next command is read. */
  refer(db: number, args: readonly Bytes[], argc: number, start: number, recipients: Recipients): void {
    const { buf, end } = args[argc - 1] as Bytes;
    this.#input = buf;
    this.#start = start;
    this.#end = end + NEWLINE_BYTES;
    this.#address(db, recipients);
  }

  #address(db: number, recipients: Recipients): void {
    this.db = db;
    this.onlyForReplicas = recipients === 'replicas';
    this.onlyForFile = recipients === 'file';
  }

  /** More commands belong to the same unit: copies it. */
  keep(): void {
    const input = this.#input;
    if (input === undefined) return;
    this.#input = undefined;
    const length = this.#end - this.#start;
    const start = this.#all.copy(input, this.#start, this.#end);
    this.#start = start;
    this.#end = start + length;
  }

  release(): void {
    this.#input = undefined;
  }

  get encoded(): Buffer {
    return Buffer.from(this.#buffer.subarray(this.#start, this.#end));
  }

  encodeTo(sink: EncodedSink): void {
    sink.bytes(this.#buffer, this.#start, this.#end);
  }

  get #buffer(): Buffer {
    return this.#input ?? this.#all.buffer;
  }

  get argv(): readonly Buffer[] {
    const { encoded } = this;
    const decoder = new RequestDecoder();
    decoder.decode(encoded, 0, encoded.length);
    return decoder.args.map(({ start, end }) => encoded.subarray(start, end));
  }
}
