import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** What a path leads to: a dump, or an append-only file. */
export type DataFile =
  | { readonly kind: 'rdb'; readonly path: string }
  | { readonly kind: 'aof'; readonly folder: string; readonly subfolder: string; readonly name: string };

/**
 * Whether the first word after the options is a file to open: a dump, a manifest, or a folder with such files. No command has a
 * dot or slash in its name; a folder that has none is written `./data`.
 */
export function isDataFile(word: string): boolean {
  if (/\.(?:rdb|manifest)$/i.test(word)) return true;
  return (/[./]/.test(word) || word === 'appendonlydir') && findDataFile(word) !== undefined;
}

/** Undefined if there is no such file or it is another. */
export function findDataFile(path: string): DataFile | undefined {
  if (!existsSync(path)) return undefined;
  const full = resolve(path);
  if (!statSync(full).isDirectory()) return fileAt(full);
  const names = readdirSync(full);
  const manifest = names.find((name) => name.endsWith('.manifest'));
  if (manifest !== undefined) return fileAt(join(full, manifest));
  if (names.includes('appendonlydir')) {
    const inside = findDataFile(join(full, 'appendonlydir'));
    if (inside !== undefined) return inside;
  }
  return names.includes('dump.rdb') ? { kind: 'rdb', path: join(full, 'dump.rdb') } : undefined;
}

function fileAt(path: string): DataFile | undefined {
  if (/\.rdb$/i.test(path)) return { kind: 'rdb', path };
  if (!path.endsWith('.manifest')) return undefined;
  const folder = dirname(path);
  return {
    kind: 'aof',
    folder: dirname(folder),
    subfolder: basename(folder),
    name: basename(path).slice(0, -'.manifest'.length),
  };
}
