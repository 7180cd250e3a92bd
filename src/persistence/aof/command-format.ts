import { Bytes } from '../../bytes/bytes.js';
import { formatDouble } from '../../bytes/numbers/double.js';
import type { Database } from '../../keyspace/database.js';
import type { Entry } from '../../keyspace/entry.js';
import type { EntryHead } from '../../keyspace/entry-writer.js';
import type { Keyspace } from '../../keyspace/keyspace.js';
import { Encoding, Type } from '../../keyspace/kinds.js';
import { HashValue } from '../../keyspace/values/hash-value.js';
import { forEachListNode } from '../../keyspace/values/list-nodes.js';
import { SetValue } from '../../keyspace/values/set-value.js';
import { SortedSetValue } from '../../keyspace/values/sorted-set-value.js';
import { StreamValue } from '../../keyspace/values/stream-value.js';
import { stringBytes, writeDigits } from '../../keyspace/values/string-value.js';
import { type ByteSink, MemorySink } from '../../rdb/byte-sink.js';
import { RequestWriter } from '../../resp/request-encoder.js';
import { Arena } from '../../structures/arena/arena.js';
import { Element } from '../../structures/element.js';
import { Listpack } from '../../structures/listpack/listpack.js';
import type { SnapshotEntryWriter, SnapshotFormat } from '../snapshot/snapshot-format.js';
import { writeStreamCommands } from './stream-commands.js';

export interface CommandFormatOptions {
  /** Unix seconds, written at the beginning of the file: `aof-timestamp-enabled`. */
  readonly timestamp?: number | undefined;
  /** Function libraries, as FUNCTION LOAD takes them. */
  readonly functions?: readonly Buffer[];
}

/** A snapshot as commands that create the data: the base of an append-only file with `aof-use-rdb-preamble no`. */
export class CommandFormat implements SnapshotFormat {
  readonly #keyspace: Keyspace;
  readonly #options: CommandFormatOptions;

  constructor(keyspace: Keyspace, options: CommandFormatOptions) {
    this.#keyspace = keyspace;
    this.#options = options;
  }

  begin(sink: ByteSink): void {
    const { timestamp, functions = [] } = this.#options;
    if (timestamp !== undefined) {
      const line = Buffer.from(`#TS:${timestamp}\r\n`);
      sink.bytes(line, 0, line.length);
    }
    const writer = new RequestWriter(sink);
    for (const code of functions) writer.begin(3).text('FUNCTION').text('LOAD').argument(new Bytes(code));
  }

  writer(sink: ByteSink): CommandEntryWriter {
    return new CommandEntryWriter(sink, this.#keyspace);
  }

  end(): void {}
}

/** Elements are written in commands of up to 64, so that loading a large collection never blocks for long. */
class CommandEntryWriter implements SnapshotEntryWriter {
  readonly #keyspace: Keyspace;
  readonly #writer: RequestWriter;
  readonly #set = new SetValue();
  readonly #sortedSet = new SortedSetValue();
  readonly #hash = new HashValue();
  /** The elements of the next command. */
  readonly #items = new MemorySink(1 << 12);
  readonly #itemWriter = new RequestWriter(this.#items);
  #itemCount = 0;
  #wordsPerItem = 1;
  #name = '';
  #key = new Bytes();
  #head: EntryHead | undefined;
  #selected = -1;

  constructor(sink: ByteSink, keyspace: Keyspace) {
    this.#keyspace = keyspace;
    this.#writer = new RequestWriter(sink);
  }

  interrupted(): void {
    this.#selected = -1;
  }

  entry(db: Database, entry: Entry): void {
    this.#select(db.index);
    const key = db.key(entry, this.#key);
    const type = db.type(entry);
    switch (type) {
      case Type.string:
        this.#string(db, entry, key);
        break;
      case Type.stream:
        writeStreamCommands(this.#writer, key, StreamValue.open(db, entry));
        break;
      default:
        this.#collect(type);
        this.#elements(db, entry, type);
        this.#writeItems();
    }
    this.#expire(key, db.expiries.timeOf(entry));
  }

  /** Formats integers itself: a running command may be using the buffer that `stringBytes` would write to. */
  #string(db: Database, entry: Entry, key: Bytes): void {
    this.#writer.begin(3).text('SET').argument(key);
    const isInteger = db.encoding(entry) <= Encoding.int64;
    this.#writer.argument(
      isInteger ? view.set(digits, 0, writeDigits(db, entry, digits)) : stringBytes(db, entry, view),
    );
  }

  #elements(db: Database, entry: Entry, type: Type): void {
    const keyspace = this.#keyspace;
    if (type === Type.list) {
      forEachListNode(db, entry, (bytes, plain) => this.node(bytes, plain));
    } else if (type === Type.set) {
      const set = this.#set.open(keyspace, db, entry);
      while (set.next(element)) this.member(element.toBytes());
    } else if (type === Type.sortedSet) {
      const sortedSet = this.#sortedSet.open(keyspace, db, entry);
      for (let ok = sortedSet.seek(0); ok; ok = sortedSet.next()) {
        this.scored(sortedSet.member, sortedSet.memberScore);
      }
    } else {
      const hash = this.#hash.open(keyspace, db, entry);
      while (hash.next(element, second)) this.field(element.toBytes(), second.toBytes());
    }
  }

  // ---- in parts ----

  begin(head: EntryHead): void {
    this.#head = head;
    this.#select(head.db);
    this.#key.set(head.key.buf, head.key.start, head.key.end);
    if (head.type === Type.string)
      this.#writer.begin(3).text('SET').argument(head.key).beginArgument(head.length);
    else this.#collect(head.type);
  }

  piece({ buf, start, end }: Bytes): void {
    this.#writer.sink.bytes(buf, start, end);
  }

  node(bytes: Bytes, plain: boolean): void {
    if (plain) {
      this.member(bytes);
      return;
    }
    pack.open(packArena, Listpack.load(packArena, bytes));
    for (let at = pack.first(); at >= 0; at = pack.next(at)) {
      this.member(pack.read(at, element).toBytes());
    }
    pack.free();
  }

  member(member: Bytes): void {
    this.#itemWriter.argument(member);
    this.#itemDone();
  }

  scored(member: Bytes, score: number): void {
    this.#itemWriter.text(formatDouble(score)).argument(member);
    this.#itemDone();
  }

  field(field: Bytes, value: Bytes): void {
    this.#itemWriter.argument(field).argument(value);
    this.#itemDone();
  }

  end(): void {
    const { key, type, expiresAt } = this.#head as EntryHead;
    if (type === Type.string) this.#writer.endArgument();
    else this.#writeItems();
    this.#expire(key, expiresAt);
    this.#head = undefined;
  }

  // ---- commands ----

  #select(index: number): void {
    if (index === this.#selected) return;
    this.#writer.begin(2).text('SELECT').text(index);
    this.#selected = index;
  }

  /** The following elements belong to `#key`. */
  #collect(type: Type): void {
    this.#name = ADDING[type] as string;
    this.#wordsPerItem = type === Type.sortedSet || type === Type.hash ? 2 : 1;
  }

  #itemDone(): void {
    if (++this.#itemCount === MAX_ITEMS) this.#writeItems();
  }

  #writeItems(): void {
    if (this.#itemCount === 0) return;
    const words = 2 + this.#itemCount * this.#wordsPerItem;
    this.#writer.begin(words).text(this.#name).argument(this.#key);
    this.#writer.sink.bytes(this.#items.buffer, 0, this.#items.length);
    this.#items.reset();
    this.#itemCount = 0;
  }

  #expire(key: Bytes, expiresAt: number): void {
    if (expiresAt >= 0) this.#writer.begin(3).text('PEXPIREAT').argument(key).text(expiresAt);
  }
}

/** The command that adds elements, by `Type`. */
const ADDING: readonly string[] = ['', 'RPUSH', 'SADD', 'ZADD', 'HMSET'];
const MAX_ITEMS = 64;

const digits = Buffer.alloc(24);
const view = new Bytes();
const element = new Element();
const second = new Element();
const pack = new Listpack();
const packArena = new Arena();
