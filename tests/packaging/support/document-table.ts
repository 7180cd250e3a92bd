import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '../../support/fleet/server-process.js';

const PAGE = join(PROJECT_ROOT, 'docs/packaging.md');

/** A Markdown table; cells are `yes` where the outcome is true. */
export function tableOf(
  title: string,
  columns: readonly string[],
  rows: ReadonlyMap<string, readonly (string | true)[]>,
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line([title, ...columns]),
    `|${'---|'.repeat(columns.length + 1)}`,
    ...[...rows].map(([name, cells]) => line([name, ...cells.map((cell) => (cell === true ? 'yes' : cell))])),
  ].join('\n');
}

/**
 * Fails unless the table is in docs/packaging.md, between the comments of its name. With SORREL_WRITE_TABLES=1 it is
 * written there.
 */
export function checkTable(name: string, table: string): void {
  const text = readFileSync(PAGE, 'utf8');
  const [start, end] = [`<!-- ${name} -->`, `<!-- end -->`];
  const from = text.indexOf(start) + start.length;
  const to = text.indexOf(end, from);
  assert.ok(from >= start.length && to !== -1, `docs/packaging.md has no place for ${name}`);
  if (process.env.SORREL_WRITE_TABLES === '1') {
    writeFileSync(PAGE, `${text.slice(0, from)}\n${table}\n${text.slice(to)}`);
  } else {
    assert.equal(
      text.slice(from, to).trim(),
      table,
      'docs/packaging.md differs from the results of this test',
    );
  }
}
