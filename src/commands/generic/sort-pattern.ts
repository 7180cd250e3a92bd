import { Bytes } from '../../bytes/bytes.js';
import { Type } from '../../keyspace/kinds.js';
import { HashValue } from '../../keyspace/values/hash-value.js';
import { stringBytes } from '../../keyspace/values/string-value.js';
import { Element } from '../../structures/element.js';
import type { Call } from '../call.js';

/**
 * What BY and GET of SORT name: the element itself (`#`), or a key made by putting the element in the place of the first
 * star, and perhaps a field of the hash there (`user:*->name`). Without a star it names nothing.
 */
export class SortPattern {
  /** Whether there is a star that elements replace. */
  readonly hasStar: boolean;
  readonly #isElement: boolean;
  readonly #prefix: string;
  readonly #suffix: string;
  readonly #field: Bytes | undefined;

  constructor(pattern: Bytes) {
    const text = pattern.toString();
    // Redis searches it as a C string: what follows a NUL is not searched, though it is part of the key.
    const searched = text.split('\0', 1)[0] as string;
    const star = searched.indexOf('*');
    const arrow = star < 0 ? -1 : searched.indexOf('->', star + 1);
    const hasField = arrow >= 0 && arrow + 2 < searched.length;
    this.hasStar = star >= 0;
    this.#isElement = searched === '#';
    this.#prefix = text.slice(0, Math.max(star, 0));
    this.#suffix = text.slice(star + 1, hasField ? arrow : text.length);
    this.#field = hasField ? Bytes.of(text.slice(arrow + 2)) : undefined;
  }

  /** The value named for this element, or undefined; a view, valid until something else is looked up or changed. */
  lookUp(call: Call, element: string): Bytes | undefined {
    if (this.#isElement) return Bytes.of(element);
    if (!this.hasStar) return undefined;
    const { db, keyspace } = call;
    const entry = keyspace.read(db, Bytes.of(this.#prefix + element + this.#suffix));
    if (entry === 0) return undefined;
    if (this.#field === undefined) {
      return db.type(entry) === Type.string ? stringBytes(db, entry, view) : undefined;
    }
    if (db.type(entry) !== Type.hash) return undefined;
    return hash.open(keyspace, db, entry).get(this.#field, value) ? value.toBytes() : undefined;
  }
}

const view = new Bytes();
const value = new Element();
const hash = new HashValue();
