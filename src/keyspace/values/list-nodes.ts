import { Bytes } from '../../bytes/bytes.js';
import { NO_BLOCK } from '../../structures/arena/ref.js';
import { Listpack } from '../../structures/listpack/listpack.js';
import { Quicklist } from '../../structures/quicklist/quicklist.js';
import type { Database } from '../database.js';
import type { Entry } from '../entry.js';
import type { Keyspace } from '../keyspace.js';
import { Encoding } from '../kinds.js';

/*
 * A list node by node, as files and DUMP payloads hold it. A node is a listpack or, if `plain`, one large element.
 */

export function listNodeCount(db: Database, entry: Entry): number {
  return db.encoding(entry) === Encoding.packedList ? 1 : (db.object(entry) as Quicklist).nodeCount;
}

/** Visits the nodes from head to tail; the view is valid during the visit only. */
export function forEachListNode(
  db: Database,
  entry: Entry,
  visit: (bytes: Bytes, plain: boolean) => void,
): void {
  if (db.encoding(entry) === Encoding.packedList) {
    visit(pack.open(db.arena, db.block(entry)).whole(view), false);
    return;
  }
  const quick = db.object(entry) as Quicklist;
  for (let node = quick.head; node !== 0; node = quick.next(node)) {
    visit(quick.bytes(node, view), quick.isPlain(node));
  }
}

/** Builds the value of a list from nodes, in the database's arena. The caller creates the entry. */
export class ListLoader {
  readonly #keyspace: Keyspace;
  readonly #db: Database;
  #quick: Quicklist | undefined;
  /** The only node so far, if it is packed. */
  #block = NO_BLOCK;

  constructor(keyspace: Keyspace, db: Database) {
    this.#keyspace = keyspace;
    this.#db = db;
  }

  get isEmpty(): boolean {
    return this.#block === 0 && (this.#quick === undefined || this.#quick.length === 0);
  }

  /** A valid listpack (see `isValidListpack`); an empty one is left out. */
  addPacked(bytes: Bytes): void {
    const block = Listpack.load(this.#db.arena, bytes);
    if (pack.open(this.#db.arena, block).isEmpty) {
      pack.free();
    } else if (this.isEmpty) {
      this.#block = block;
    } else {
      this.#toQuicklist().appendPacked(block, pack.open(this.#db.arena, block).count);
    }
  }

  addPlain(bytes: Bytes): void {
    this.#toQuicklist().appendPlain(bytes);
  }

  /** Appends one element as RPUSH does: for lists that were not saved node by node. */
  addElement(bytes: Bytes): void {
    this.#toQuicklist().pushTail(bytes);
  }

  /** Encoding and value word for `Keyspace.create` or `Database.setValue`. The list must not be empty. */
  finish(): { readonly encoding: Encoding; readonly value: number } {
    if (this.#quick === undefined) return { encoding: Encoding.packedList, value: this.#block };
    return { encoding: Encoding.quicklist, value: this.#db.addObject(this.#quick) };
  }

  /** Frees everything, when the rest of the list turns out to be damaged. */
  discard(): void {
    if (this.#block !== 0) this.#db.arena.free(this.#block);
    else if (this.#quick !== undefined) this.#keyspace.release(this.#quick);
    this.#block = NO_BLOCK;
    this.#quick = undefined;
  }

  #toQuicklist(): Quicklist {
    if (this.#quick === undefined) {
      const { limits } = this.#keyspace;
      this.#quick = new Quicklist(this.#db.arena, limits.listMaxListpackSize, limits);
      if (this.#block !== 0) {
        this.#quick.appendPacked(this.#block, pack.open(this.#db.arena, this.#block).count);
        this.#block = NO_BLOCK;
      }
    }
    return this.#quick;
  }
}

const pack = new Listpack();
const view = new Bytes();
