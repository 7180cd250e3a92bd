import type { Bytes } from '../../bytes/bytes.js';
import type { Arena } from '../arena/arena.js';
import type { Ref } from '../arena/ref.js';
import { Element } from '../element.js';
import { Listpack } from '../listpack/listpack.js';
import { StreamId } from './stream-id.js';

/** Flags of an entry: it was deleted; it has the same fields as the master entry, so that only values are stored. */
const DELETED = 1;
const SAME_FIELDS = 2;

/** The number of listpack entries before the fields: flags, and the two differences of the ID to the block's. */
const HEAD_PIECES = 3;

/**
 * Some consecutive entries of a stream in one listpack, exactly as in Redis:
 *
 *     count · deleted · number of fields · field … · 0          the master entry, whose fields others can share
 *     flags · ms · seq · value … · pieces                       an entry with the same fields as the master entry
 *     flags · ms · seq · number of fields · field · value … · pieces
 *
 * `ms` and `seq` are differences to the block's ID, which is the ID of its first entry, even if that was deleted. `pieces` is the
 * number of listpack entries before it, for reading backwards.
 *
 * A `StreamBlock` is a cursor, opened on one block after another. It is on one entry at a time (`next`, `previous`;
 * deleted entries too) and reads that entry's fields in order. An edit may move the block: read `ref` again.
 */
export class StreamBlock {
  /** The block's ID, and the ID of the current entry. */
  readonly master = new StreamId();
  readonly id = new StreamId();
  isDeleted = false;
  /** The number of fields of the entry. */
  fieldCount = 0;

  readonly #pack = new Listpack();
  #masterFieldCount = 0;
  #masterFields = 0;
  #hasMasterFields = false;
  /** The position of the entry; -1 before the first one. */
  #entry = -1;
  /** The next piece to read, the number left in the entry, and the next field of the master entry. */
  #at = 0;
  #left = 0;
  #fieldAt = 0;

  /** Points at the block, before its first entry. The caller sets `master`, before or after this call. */
  open(arena: Arena, ref: Ref): this {
    const pack = this.#pack.open(arena, ref);
    let at = pack.next(pack.next(pack.first()));
    at = pack.readAndAdvance(at, piece);
    this.#masterFieldCount = piece.integer;
    this.#masterFields = at;
    for (let i = 0; i < this.#masterFieldCount; i++) at = pack.next(at);
    this.#at = at;
    this.#left = 1;
    this.#entry = -1;
    return this;
  }

  get ref(): Ref {
    return this.#pack.ref;
  }

  get byteLength(): number {
    return this.#pack.byteLength;
  }

  /** The numbers of entries that are not deleted, and that are deleted. */
  get live(): number {
    return this.#pack.read(this.#pack.first(), piece).integer;
  }

  get deleted(): number {
    return this.#pack.read(this.#pack.next(this.#pack.first()), piece).integer;
  }

  /** Points `view` at the whole listpack. */
  whole(view: Bytes): Bytes {
    return this.#pack.whole(view);
  }

  // ---- walking ----

  /** Moves to the next entry; false at the end. */
  next(): boolean {
    const pack = this.#pack;
    let at = this.#at;
    for (let left = this.#left; left > 0 && at !== -1; left--) at = pack.next(at);
    this.#left = 0;
    this.#at = at;
    return at !== -1 && this.#enter(at);
  }

  /** Moves after the last entry, for `previous`. */
  toEnd(): void {
    this.#entry = this.#pack.end;
  }

  /** Moves to the previous entry; false at the beginning. */
  previous(): boolean {
    const pack = this.#pack;
    let at = pack.previous(this.#entry);
    const pieces = pack.read(at, piece).integer;
    if (pieces === 0) return false;
    for (let left = pieces; left > 0; left--) at = pack.previous(at);
    return this.#enter(at);
  }

  #enter(entry: number): boolean {
    const pack = this.#pack;
    this.#entry = entry;
    let at = pack.readAndAdvance(entry, piece);
    const flags = piece.integer;
    this.isDeleted = (flags & DELETED) !== 0;
    this.id.set(this.master);
    at = pack.readAndAdvance(at, piece);
    this.id.addMs(piece.number);
    at = pack.readAndAdvance(at, piece);
    this.id.addSeq(piece.number);
    this.#hasMasterFields = (flags & SAME_FIELDS) !== 0;
    if (this.#hasMasterFields) {
      this.fieldCount = this.#masterFieldCount;
      this.#fieldAt = this.#masterFields;
      this.#left = this.fieldCount + 1;
    } else {
      at = pack.readAndAdvance(at, piece);
      this.fieldCount = piece.integer;
      this.#left = this.fieldCount * 2 + 1;
    }
    this.#at = at;
    return true;
  }

  /** Reads the entry's next field; `readValue` must follow. Call both at most `fieldCount` times. */
  readField(field: Element): Element {
    if (this.#hasMasterFields) {
      this.#fieldAt = this.#pack.readAndAdvance(this.#fieldAt, field);
    } else {
      this.#at = this.#pack.readAndAdvance(this.#at, field);
      this.#left--;
    }
    return field;
  }

  readValue(value: Element): Element {
    this.#at = this.#pack.readAndAdvance(this.#at, value);
    this.#left--;
    return value;
  }

  // ---- editing ----

  /** Creates a block for a first entry with these fields: `args[from]`, `args[from + 2]` … Append the entry next. */
  create(arena: Arena, id: StreamId, args: readonly Bytes[], from: number, fieldCount: number): this {
    const pack = this.#pack.open(arena, Listpack.create(arena, FIRST_BYTES));
    pack.appendInteger(0);
    pack.appendInteger(0);
    pack.appendInteger(fieldCount);
    for (let i = 0; i < fieldCount; i++) pack.append(args[from + 2 * i] as Bytes);
    pack.appendInteger(0);
    this.master.set(id);
    return this.open(arena, pack.ref);
  }

  /** Appends an entry: fields and values are `args[from]`, `args[from + 1]` … */
  append(id: StreamId, args: readonly Bytes[], from: number, fieldCount: number): void {
    const pack = this.#pack;
    const same = this.#hasFields(args, from, fieldCount);
    pack.replaceInteger(pack.first(), this.live + 1);
    pack.appendInteger(same ? SAME_FIELDS : 0);
    pack.appendInteger(id.msAbove(this.master));
    pack.appendInteger(id.seqAbove(this.master));
    if (!same) pack.appendInteger(fieldCount);
    for (let i = from; i < from + 2 * fieldCount; i++) {
      if (same) i++;
      pack.append(args[i] as Bytes);
    }
    pack.appendInteger(HEAD_PIECES + (same ? fieldCount : 2 * fieldCount + 1));
  }

  #hasFields(args: readonly Bytes[], from: number, fieldCount: number): boolean {
    if (fieldCount !== this.#masterFieldCount) return false;
    const pack = this.#pack;
    let at = this.#masterFields;
    for (let i = 0; i < fieldCount; i++) {
      if (!pack.equals(at, args[from + 2 * i] as Bytes)) return false;
      at = pack.next(at);
    }
    return true;
  }

  /** Marks the current entry as deleted; the caller must then call `countDeleted`. */
  delete(): void {
    // Flags are small numbers that always have the same size: nothing moves.
    this.#pack.replaceInteger(this.#entry, DELETED | (this.#hasMasterFields ? SAME_FIELDS : 0));
    this.isDeleted = true;
  }

  /** Counts entries that were marked as deleted. Invalidates the cursor's position. */
  countDeleted(count: number): void {
    const pack = this.#pack;
    const live = this.live - count;
    const deleted = this.deleted + count;
    pack.replaceInteger(pack.first(), live);
    pack.replaceInteger(pack.next(pack.first()), deleted);
  }

  free(): void {
    this.#pack.free();
  }
}

/** The initial size of a block. */
const FIRST_BYTES = 64;
const piece = new Element();
