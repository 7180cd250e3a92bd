/** Runs the examples in the documentation of the functions of the components for web applications. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import session from 'express-session';
import ts from 'typescript';
import { argumentKey } from '../../src/kit/cache/argument-key.js';
import * as cache from '../../src/kit/cache/index.js';
import * as carts from '../../src/kit/carts/index.js';
import * as rankings from '../../src/kit/rankings/index.js';
import * as rowCache from '../../src/kit/row-cache/index.js';
import * as sessions from '../../src/kit/sessions/index.js';
import * as viewAnalytics from '../../src/kit/view-analytics/index.js';
import { open, type Store } from '../../src/store/index.js';

const FOLDERS = ['sessions', 'carts', 'cache', 'rankings', 'row-cache', 'view-analytics'];

interface Example {
  readonly name: string;
  readonly code: string;
}

function examplesIn(folder: string): Example[] {
  const url = new URL(`../../src/kit/${folder}/`, import.meta.url);
  const files = readdirSync(url).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  return files.flatMap((file) => {
    const blocks = readFileSync(new URL(file, url), 'utf8').matchAll(/@example\n((?:\s*\* ?.*\n)*?)\s*\*\//g);
    return [...blocks].map(([, text = ''], index) => ({
      name: `${folder}/${file}, number ${index + 1}`,
      code: text.replace(/^\s*\* ?/gm, ''),
    }));
  });
}

/** `expression; // value` becomes a comparison; imports are parameters. */
function runnable(code: string): string {
  const lines = code.split('\n').map((line) => {
    if (line.startsWith('import ')) return '';
    const [, expression = '', remark = ''] = /^((?!const |let )\S.*?); \/\/ (.*)$/.exec(line) ?? [];
    const isValue = /^(\d+|'[^']*'|true|false|undefined|\{[^…]*\}|\[[^…]*\])$/.test(remark);
    return isValue ? `compare(${expression}, ${remark});` : line;
  });
  const { outputText } = ts.transpileModule(`async function example() {${lines.join('\n')}\n}`, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  return `${outputText}\nreturn example();`;
}

describe('Examples of the components for web applications', () => {
  const examples = FOLDERS.flatMap(examplesIn);
  let compared = 0;

  it('are found', () => assert.ok(examples.length >= 15, `${examples.length}`));

  for (const { name, code } of examples) {
    it(`run: ${name}`, async () => {
      await using store = await open();
      const opened: Store[] = [];
      const given: Record<string, unknown> = {
        store,
        session,
        createServer,
        argumentKey,
        compare: (actual: unknown, expected: unknown) => {
          compared++;
          assert.deepEqual(actual, expected);
        },
        open: async () => {
          const another = await open();
          opened.push(another);
          return another;
        },
        ...sessions,
        ...carts,
        ...cache,
        ...rankings,
        ...rowCache,
        ...viewAnalytics,
      };
      try {
        await new Function(...Object.keys(given), runnable(code))(...Object.values(given));
      } finally {
        for (const another of opened) await another.close();
      }
    });
  }

  it('have values that were compared', () => assert.ok(compared >= 20, `${compared}`));
});
