import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CommandEntry } from '../types/commands.js';
import { documented, suggestions } from './command-line/completion.js';
import { KeyTree, keysBelow, labelOf, type TreeRow } from './keys/tree.js';
import { treemap } from './memory/treemap.js';
import { shown } from './ui/bytes.js';

describe('The tree of keys', () => {
  it('counts keys by prefix, each once, and removes them', () => {
    const tree = new KeyTree(':');
    for (const key of ['a:1', 'a:2', 'a:1', 'a:b:1', 'a', 'b', { base64: '/w==' }]) tree.add(key);
    assert.equal(tree.size, 6);
    assert.deepEqual(tree.rows(new Set(['a:'])).map(textOf), [
      '0 a: 3',
      '1 a:b: 1',
      '1 1',
      '1 2',
      '0 \\xff',
      '0 a',
      '0 b',
    ]);
    assert.deepEqual(keysBelow(tree.folder('a:') as never), ['a:1', 'a:2', 'a:b:1']);
    tree.remove(['a:b:1', 'a:1', 'missing']);
    assert.deepEqual([tree.size, tree.folder('a:')?.keys, tree.folder('a:b:')], [4, 1, undefined]);
  });

  it('escapes the bytes of names once', () => {
    const tree = new KeyTree(':');
    // The bytes FF, "a", ":", FE; and texts with a control character and a backslash.
    for (const key of [{ base64: '/2E6/g==' }, 'tab\t:back\\slash']) tree.add(key);
    const rows = tree.rows(new Set(['\\xffa:', 'tab\t:']));
    assert.deepEqual(
      rows.map((row) =>
        row.kind === 'folder' ? labelOf(row.folder) : row.kind === 'key' && labelOf(row.leaf),
      ),
      ['\\xffa', '\\xfe', 'tab\\t', 'back\\\\slash'],
    );
  });

  it('keeps 200,000 keys at most, and lists the first 2,000 of a folder', () => {
    const tree = new KeyTree(':');
    for (let i = 249_999; i >= 0; i--) tree.add(`user:${i}`);
    assert.equal(tree.size, 200_000);
    const rows = tree.rows(new Set(['user:']));
    assert.deepEqual(
      [rows[0], rows[1], rows[2000]].map((row) => textOf(row as TreeRow)),
      ['0 user: 200000', '1 50000', '1 51999'],
    );
    assert.deepEqual(rows.slice(2001).map(textOf), ['1 198000 more']);
    tree.remove(['user:50000', 'user:50002']);
    assert.equal(textOf(tree.rows(new Set(['user:']))[2] as TreeRow), '1 50003');
  });
});

it('Values are shown with all that would not be seen in them', () => {
  assert.equal(shown('a b'), 'a b');
  assert.equal(shown(' '), '\\x20');
  assert.equal(shown(' a  '), '\\x20a\\x20\\x20');
  assert.equal(shown('line\n \u202e'), 'line\\n \\u202e');
});

function textOf(row: TreeRow): string {
  if (row.kind === 'folder') return `${row.depth} ${row.folder.path} ${row.folder.keys}`;
  return `${row.depth} ${row.kind === 'key' ? row.leaf.name : `${row.count} more`}`;
}

describe('The map of areas', () => {
  it('fills the rectangle, each tile by its size', () => {
    const sizes = [60, 60, 40, 30, 20, 10, 5, 1];
    const tiles = treemap(sizes, (size) => size, 600, 400);
    const scale = (600 * 400) / sizes.reduce((sum, size) => sum + size, 0);
    for (const { item, x, y, width, height } of tiles) {
      assert.ok(Math.abs(width * height - item * scale) < 1e-6);
      assert.ok(x >= 0 && y >= 0 && x + width <= 600.001 && y + height <= 400.001);
    }
    assert.equal(tiles.length, sizes.length);
    assert.deepEqual(
      treemap([], () => 1, 10, 10),
      [],
    );
  });
});

describe('The completion of commands', () => {
  const table = ['GET', 'GETDEL', 'CONFIG GET', 'CONFIG SET'].map((name) => ({ name }) as CommandEntry);
  it('suggests commands by their beginning, and documents the one that is called', () => {
    assert.deepEqual(
      suggestions(table, 'get').map(({ name }) => name),
      ['GETDEL'],
    );
    assert.deepEqual(
      suggestions(table, ' config  s').map(({ name }) => name),
      ['CONFIG SET'],
    );
    assert.deepEqual(suggestions(table, ''), []);
    assert.equal(documented(table, 'config get x')?.name, 'CONFIG GET');
    assert.equal(documented(table, 'get x')?.name, 'GET');
    assert.equal(documented(table, 'nothing'), undefined);
  });
});
