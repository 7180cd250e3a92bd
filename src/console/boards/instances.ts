import type { BoardKind, BoardPlace } from '../../kit/foundation/index.js';
import { type KeyName, wordOf } from './key-name.js';

/** Bounds of what is remembered, so that a store of any size fits. */
const MAX_INSTANCES = 10_000;
const MAX_PREFIXES = 1_000;
const MAX_PARTS = 50;

/** What was found under one prefix. */
interface Group {
  readonly prefix: string;
  /** Undefined while it is not known which component has this prefix. */
  kind: BoardKind | undefined;
  /** An example of a key for each first word of a part. */
  readonly words: Map<string, string>;
  readonly instances: Map<string, Set<string>>;
  /** There were more instances than are remembered. */
  isCut: boolean;
}

/** Answers the type of a key. */
export type TypeOf = (key: string) => Promise<string>;

/** Instances of components, found by the names of their keys. */
export class Instances {
  readonly #kinds: readonly BoardKind[];
  readonly #groups = new Map<string, Group>();

  constructor(kinds: readonly BoardKind[]) {
    this.#kinds = kinds;
  }

  /** Notes a key. */
  add(key: string, { prefix, name, part }: KeyName): void {
    const group = this.#groupOf(prefix);
    if (group === undefined) return;
    const word = wordOf(part);
    if (group.words.size < MAX_PARTS && !group.words.has(word)) group.words.set(word, key);
    const own = group.kind?.nameOf?.(name, part) ?? name;
    const parts = group.instances.get(own);
    if (parts !== undefined) {
      if (parts.size < MAX_PARTS) parts.add(part);
    } else if (group.instances.size < MAX_INSTANCES) {
      group.instances.set(own, new Set([part]));
    } else {
      group.isCut = true;
    }
  }

  #groupOf(prefix: string): Group | undefined {
    const known = this.#groups.get(prefix);
    if (known !== undefined || this.#groups.size >= MAX_PREFIXES) return known;
    const kind = this.#kinds.find((one) => one.prefix === prefix);
    const group: Group = { prefix, kind, words: new Map(), instances: new Map(), isCut: false };
    this.#groups.set(prefix, group);
    return group;
  }

  /** Finds out which components have prefixes of their own: the one whose parts have the words and types that were seen. */
  async recognise(typeOf: TypeOf): Promise<void> {
    for (const group of this.#groups.values()) {
      if (group.kind !== undefined) continue;
      const fitting = this.#kinds.filter((kind) =>
        [...group.words.keys()].every((word) => hasPart(kind, word)),
      );
      if (fitting.length === 0) continue;
      const types = await Promise.all(
        [...group.words].map(async ([word, key]) => [word, await typeOf(key)] as const),
      );
      const [kind, ...others] = fitting.filter((one) =>
        types.every(([word, type]) => isOfType(one, word, type)),
      );
      if (kind === undefined || others.length > 0) continue;
      group.kind = kind;
      if (kind.nameOf !== undefined) renameAll(group, kind.nameOf.bind(kind));
    }
  }

  /** How many instances of each kind were found. `isCut`: at least. */
  counts(): ReadonlyMap<string, { readonly count: number; readonly isCut: boolean }> {
    const counts = new Map<string, { count: number; isCut: boolean }>();
    for (const { kind, instances, isCut } of this.#groups.values()) {
      if (kind === undefined) continue;
      const before = counts.get(kind.kind) ?? { count: 0, isCut: false };
      counts.set(kind.kind, { count: before.count + instances.size, isCut: before.isCut || isCut });
    }
    return counts;
  }

  /** The instances of a kind whose name contains the text, in the order of their names. */
  list(kind: string, text: string): BoardPlace[] {
    const found: BoardPlace[] = [];
    for (const group of this.#groups.values()) {
      if (group.kind?.kind !== kind) continue;
      for (const [name, parts] of group.instances) {
        if (name.includes(text)) found.push({ prefix: group.prefix, name, parts: [...parts] });
      }
    }
    return found.sort((one, other) => compare(one.name, other.name) || compare(one.prefix, other.prefix));
  }

  /** The parts that were seen of an instance; undefined if it was not seen. */
  partsOf(prefix: string, name: string): readonly string[] | undefined {
    const parts = this.#groups.get(prefix)?.instances.get(name);
    return parts === undefined ? undefined : [...parts];
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** `#` and `*` are for components that are found by their default prefix only. */
function hasPart({ parts }: BoardKind, word: string): boolean {
  return Object.hasOwn(parts, word);
}

function isOfType({ parts }: BoardKind, word: string, type: string): boolean {
  return parts[word] === 'any' || parts[word] === type || type === 'none';
}

/** The names of shards become those of their structures. */
function renameAll({ instances }: Group, nameOf: (name: string, part: string) => string): void {
  for (const [name, parts] of [...instances]) {
    for (const part of parts) {
      const own = nameOf(name, part);
      if (own === name) continue;
      instances.delete(name);
      const others = instances.get(own) ?? new Set<string>();
      others.add(part);
      instances.set(own, others);
    }
  }
}
