import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';

const folder = fileURLToPath(new URL('../../src/console', import.meta.url));

/** The texts that the pages pass to `t`, the titles of pages, and the warnings that the server side sends. */
function textsInUse(): Set<string> {
  const texts = new Set<string>();
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter(
    (path) => /\.tsx?$/.test(path) && !path.includes('texts') && !path.endsWith('.test.ts'),
  )) {
    const source = readFileSync(join(folder, file), 'utf8');
    const patterns = [/\bt\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g];
    if (file.endsWith('pages.ts')) patterns.push(/title: (['"])((?:\\.|(?!\1).)*)\1/g);
    if (file.endsWith('warnings.ts'))
      patterns.push(/warn\(\s*'(?:serious|notice)',\s*(['"])((?:\\.|(?!\1).)*)\1/g);
    for (const pattern of patterns)
      for (const [, , text] of source.matchAll(pattern)) texts.add((text as string).replaceAll("\\'", "'"));
  }
  return texts;
}

describe("The console's texts", () => {
  it('are all there in Chinese, with the same values to fill in', async () => {
    const table = (
      (await import('../../src/console/browser/texts/zh.js')) as { default: Record<string, string> }
    ).default;
    const texts = textsInUse();
    assert.ok(texts.size > 300, `${texts.size} texts were found`);
    assert.deepEqual(
      [...texts].filter((text) => !Object.hasOwn(table, text)),
      [],
      'missing',
    );
    const names = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort();
    const differing = Object.entries(table).filter(
      ([text, translated]) => String(names(text)) !== String(names(translated)),
    );
    assert.deepEqual(differing, []);
  });
});

it('No text has two Chinese translations, one of which would never be seen', async () => {
  const tables = await Promise.all(
    ['frame', 'keys', 'kit', 'server', 'tools'].map(
      async (name) =>
        (
          (await import(`../../src/console/browser/texts/zh-${name}.js`)) as {
            default: Record<string, string>;
          }
        ).default,
    ),
  );
  const known = new Map<string, string>();
  for (const [text, translated] of tables.flatMap((table) => Object.entries(table))) {
    assert.equal(translated, known.get(text) ?? translated, text);
    known.set(text, translated);
  }
});

describe("The console's first files", () => {
  it('take less than 120 kB, and each other file less than 100 kB, compressed', async () => {
    const { browserFiles } = (await import('../../scripts/bundle-browser.mjs' as string)) as {
      browserFiles(): Promise<readonly { path: string; content: Buffer; isInitial: boolean }[]>;
    };
    const files = (await browserFiles()).map((file) => ({
      ...file,
      size: brotliCompressSync(file.content).length,
    }));
    const first = files.filter(({ isInitial }) => isInitial).reduce((sum, { size }) => sum + size, 0);
    assert.ok(first > 5_000 && first < 120_000, `${first} bytes`);
    for (const { path, size } of files) assert.ok(size < 100_000, `${path}: ${size} bytes`);
  });
});
