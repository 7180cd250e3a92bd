import type { WireBytes } from '../api.js';
import { shown } from '../ui/bytes.js';

/** A folder of the tree: all keys that begin with its path. */
export interface Folder {
  /** The part of the names between two separators. */
  readonly name: string;
  /** The beginning of the names, with the separator at its end. */
  readonly path: string;
  /** The number of keys below it. */
  keys: number;
  readonly folders: Map<string, Folder>;
  readonly leaves: Leaf[];
  /** The children in the order of names, until a key is added. */
  sorted: readonly TreeItem[] | undefined;
}

export interface Leaf {
  readonly name: string;
  readonly key: WireBytes;
  readonly id: string;
}

export type TreeItem =
  | { readonly kind: 'folder'; readonly folder: Folder }
  | { readonly kind: 'key'; readonly leaf: Leaf };

/** A visible row. */
export type TreeRow = TreeItem & { readonly depth: number; readonly id: string };

/** Keys that are kept; more would only fill the browser's memory. */
export const MAX_KEPT = 200_000;

/** Keys as a tree by a separator. Keys that a scan returns twice are counted once. */
export class KeyTree {
  readonly root: Folder = newFolder('', '');
  readonly #separator: string;
  readonly #ids = new Set<string>();

  constructor(separator: string) {
    this.#separator = separator;
  }

  get size(): number {
    return this.#ids.size;
  }

  add(key: WireBytes): void {
    const id = idOf(key);
    if (this.#ids.size >= MAX_KEPT || this.#ids.has(id)) return;
    this.#ids.add(id);
    const text = typeof key === 'string' ? key : shown(key);
    const parts = this.#separator === '' ? [text] : text.split(this.#separator);
    const last = parts.pop() as string;
    let folder = this.root;
    folder.keys++;
    folder.sorted = undefined;
    for (const part of parts) {
      let next = folder.folders.get(part);
      if (next === undefined) {
        next = newFolder(part, `${folder.path}${part}${this.#separator}`);
        folder.folders.set(part, next);
      }
      next.keys++;
      next.sorted = undefined;
      folder = next;
    }
    folder.leaves.push({ name: last, key, id });
  }

  remove(key: WireBytes): void {
    const id = idOf(key);
    if (!this.#ids.delete(id)) return;
    removeFrom(this.root, id);
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
    const visit = (folder: Folder, depth: number): void => {
      for (const item of childrenOf(folder)) {
        if (item.kind === 'key') rows.push({ ...item, depth, id: `key ${item.leaf.id}` });
        else {
          rows.push({ ...item, depth, id: `folder ${item.folder.path}` });
          if (open.has(item.folder.path)) visit(item.folder, depth + 1);
        }
      }
    };
    visit(this.root, 0);
    return rows;
  }
}

export const idOf = (key: WireBytes): string => (typeof key === 'string' ? `t${key}` : `b${key.base64}`);

function newFolder(name: string, path: string): Folder {
  return { name, path, keys: 0, folders: new Map(), leaves: [], sorted: undefined };
}

function childrenOf(folder: Folder): readonly TreeItem[] {
  folder.sorted ??= [
    ...[...folder.folders.values()]
      .sort(byName)
      .map((child): TreeItem => ({ kind: 'folder', folder: child })),
    ...[...folder.leaves].sort(byName).map((leaf): TreeItem => ({ kind: 'key', leaf })),
  ];
  return folder.sorted;
}

const collator = new Intl.Collator('en', { numeric: true });
const byName = (one: { readonly name: string }, other: { readonly name: string }): number =>
  collator.compare(one.name, other.name);

function removeFrom(folder: Folder, id: string): boolean {
  const at = folder.leaves.findIndex((leaf) => leaf.id === id);
  let isFound = at >= 0;
  if (isFound) folder.leaves.splice(at, 1);
  for (const [name, child] of folder.folders) {
    if (isFound) break;
    isFound = removeFrom(child, id);
    if (child.keys === 0) folder.folders.delete(name);
  }
  if (isFound) {
    folder.keys--;
    folder.sorted = undefined;
  }
  return isFound;
}

/** All keys below a folder. */
export function keysBelow(folder: Folder): WireBytes[] {
  return [...folder.leaves.map(({ key }) => key), ...[...folder.folders.values()].flatMap(keysBelow)];
}
