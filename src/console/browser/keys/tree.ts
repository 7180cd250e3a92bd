import type { WireBytes } from '../api.js';
import { shown } from '../ui/bytes.js';
import { naturalKey, type Sortable, SortedTop } from './sorted-top.js';

/** A folder of the tree: all keys that begin with its path. */
export interface Folder extends Sortable {
  /** The part of the names between two separators. */
  readonly name: string;
  /** Whether name and path are shown as they are: they come from a key that is not text, whose bytes are escaped already. */
  readonly isEscaped: boolean;
  /** The beginning of the names, with the separator at its end. */
  readonly path: string;
  /** The number of keys below it. */
  keys: number;
  readonly folders: Map<string, Folder>;
  readonly leaves: Map<string, Leaf>;
  /** Those that are shown, in the order of names. */
  readonly firstFolders: SortedTop<Folder>;
  readonly firstLeaves: SortedTop<Leaf>;
}

export interface Leaf extends Sortable {
  readonly name: string;
  readonly key: WireBytes;
  readonly id: string;
}

/** A visible row: a folder, a key, or how many more there are in a folder. */
export type TreeRow = { readonly depth: number; readonly id: string } & (
  | { readonly kind: 'folder'; readonly folder: Folder }
  | { readonly kind: 'key'; readonly leaf: Leaf }
  | { readonly kind: 'more'; readonly count: number }
);

/** Keys that are kept; more would only fill the browser's memory. */
export const MAX_KEPT = 200_000;
/** Rows of one folder: no person reads more, and they slow the page. */
const MAX_ROWS = 2_000;

/** Keys as a tree by a separator. Keys that a scan returns twice are counted once. */
export class KeyTree {
  readonly root: Folder = newFolder('', '', false);
  readonly #separator: string;
  /** The folder of each key. */
  readonly #places = new Map<string, Folder>();

  constructor(separator: string) {
    this.#separator = separator;
  }

  get size(): number {
    return this.#places.size;
  }

  add(key: WireBytes): void {
    const id = idOf(key);
    if (this.#places.size >= MAX_KEPT || this.#places.has(id)) return;
    const parts = this.#partsOf(key);
    const name = parts.pop() as string;
    let folder = this.root;
    folder.keys++;
    for (const part of parts) {
      let next = folder.folders.get(part);
      if (next === undefined) {
        next = newFolder(part, `${folder.path}${part}${this.#separator}`, typeof key !== 'string');
        folder.folders.set(part, next);
        folder.firstFolders.add(next);
      }
      next.keys++;
      folder = next;
    }
    const leaf: Leaf = { name, key, id, sortKey: naturalKey(name) };
    folder.leaves.set(id, leaf);
    folder.firstLeaves.add(leaf);
    this.#places.set(id, folder);
  }

  #partsOf(key: WireBytes): string[] {
    const text = typeof key === 'string' ? key : shown(key);
    return this.#separator === '' ? [text] : text.split(this.#separator);
  }

  remove(keys: Iterable<WireBytes>): void {
    const changed = new Set<Folder>();
    for (const key of keys) {
      const id = idOf(key);
      const place = this.#places.get(id);
      if (place === undefined) continue;
      this.#places.delete(id);
      place.leaves.delete(id);
      changed.add(place);
      this.#uncount(key, changed);
    }
    for (const folder of changed) {
      folder.firstLeaves.rebuild(folder.leaves.values());
      folder.firstFolders.rebuild(folder.folders.values());
    }
  }

  /** Takes a key off the counts of its folders, and removes those that are empty. */
  #uncount(key: WireBytes, changed: Set<Folder>): void {
    let folder = this.root;
    folder.keys--;
    for (const part of this.#partsOf(key).slice(0, -1)) {
      const next = folder.folders.get(part);
      if (next === undefined) return;
      next.keys--;
      if (next.keys === 0) {
        folder.folders.delete(part);
        changed.add(folder);
      }
      folder = next;
    }
  }

  folder(path: string): Folder | undefined {
    let folder: Folder | undefined = this.root;
    if (path === '') return folder;
    for (const part of path.split(this.#separator).slice(0, -1)) folder = folder?.folders.get(part);
    return folder;
  }

  /** The rows that are visible if these folders are open. */
  rows(open: ReadonlySet<string>): TreeRow[] {
    const rows: TreeRow[] = [];
    const visit = (parent: Folder, depth: number): void => {
      for (const folder of parent.firstFolders.items) {
        rows.push({ kind: 'folder', folder, depth, id: `folder ${folder.path}` });
        if (open.has(folder.path)) visit(folder, depth + 1);
      }
      for (const leaf of parent.firstLeaves.items)
        rows.push({ kind: 'key', leaf, depth, id: `key ${leaf.id}` });
      const count = parent.firstFolders.hidden + parent.firstLeaves.hidden;
      if (count > 0) rows.push({ kind: 'more', count, depth, id: `more ${parent.path}` });
    };
    visit(this.root, 0);
    return rows;
  }
}

export const idOf = (key: WireBytes): string => (typeof key === 'string' ? `t${key}` : `b${key.base64}`);

function newFolder(name: string, path: string, isEscaped: boolean): Folder {
  return {
    name,
    path,
    isEscaped,
    sortKey: naturalKey(name),
    keys: 0,
    folders: new Map(),
    leaves: new Map(),
    firstFolders: new SortedTop(MAX_ROWS),
    firstLeaves: new SortedTop(MAX_ROWS),
  };
}

/** The name of a folder or key in one line. */
export const labelOf = (item: Folder | Leaf): string => {
  const isEscaped = 'key' in item ? typeof item.key !== 'string' : item.isEscaped;
  return (isEscaped ? item.name : shown(item.name)) || '""';
};

/** All keys below a folder. */
export function keysBelow(folder: Folder): WireBytes[] {
  const keys: WireBytes[] = [];
  const visit = ({ leaves, folders }: Folder): void => {
    for (const { key } of leaves.values()) keys.push(key);
    for (const child of folders.values()) visit(child);
  };
  visit(folder);
  return keys;
}
