/** Runs every example of the task queue: its page, its chapter of the guide, and the documentation of its functions. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import ts from 'typescript';
import { z } from 'zod';
import * as kit from '../../src/kit/queue/index.js';
import * as sorrel from '../../src/store/index.js';

const FOLDER = new URL('../../src/kit/queue/', import.meta.url);
const PAGES = [new URL('README.md', FOLDER), new URL('../../docs/guide/06-queues.md', import.meta.url)];

interface Example {
  readonly name: string;
  readonly code: string;
}

/** Blocks of a page that are whole programs: those that import something. */
function examplesOfPage(page: URL): Example[] {
  const blocks = readFileSync(page, 'utf8').matchAll(/```ts\n(.*?)```/gs);
  return [...blocks]
    .map(([, code = ''], index) => ({ name: `${page.pathname.split('/').at(-1)} ${index + 1}`, code }))
    .filter(({ code }) => code.startsWith('import'));
}

function examplesOfSource(file: string): Example[] {
  const source = readFileSync(new URL(file, FOLDER), 'utf8');
  const blocks = source.matchAll(
    /@example\n((?:\s*\* ?.*\n)*?)\s*\*\/\n\s*(?:export )?(?:async )?(?:class |function )?(\w+)/g,
  );
  return [...blocks].map(([, text = '', name = '']) => ({
    name: `${file}: ${name}`,
    code: text.replace(/^\s*\* ?/gm, ''),
  }));
}

/** Turns `expression; // value` into a comparison of the two; imports are given as parameters. */
function runnable(code: string): string {
  const checked = code
    .replace(/^import .*$/gm, '')
    .replaceAll('import.meta.url', 'moduleUrl')
    .replace(
      /^([^\n/]*[^\s/]); \/\/ ('.*')$/gm,
      (_line, expression, value) => `check(${expression}, ${value});`,
    );
  const { outputText } = ts.transpileModule(`export async function example() {${checked}\n}`, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  return `${outputText.replace('export async function', 'async function')}\nreturn example();`;
}

const examples = [
  ...PAGES.flatMap(examplesOfPage),
  ...readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap(examplesOfSource),
];

describe('examples of the task queue', () => {
  it('are found', () => assert.ok(examples.length >= 15, `${examples.length}`));

  for (const { name, code } of examples) {
    it(`run: ${name}`, { timeout: 60_000 }, async () => {
      await using store = await sorrel.open();
      const mail = kit.queue(store, 'mail');
      const reports = kit.queue(store, 'reports');
      const email = kit.defineTask<{ to: string }, string>('email');
      const month = kit.defineTask<{ month: number }>('month');
      let checks = 0;
      const surroundings = {
        ...kit,
        ...sorrel,
        z,
        store,
        mail,
        reports,
        email,
        films: kit.queue(store, 'films'),
        images: kit.queue(store, 'images'),
        makeRoom: async () => {},
        render: month,
        moduleUrl: import.meta.url,
        summary: month,
        sales: month,
        costs: month,
        worker: mail.work(email.handle(({ to }) => `sent to ${to}`)),
        signal: AbortSignal.timeout(50),
        console: { log() {} },
        process: { once() {} },
        check(actual: unknown, expected: unknown) {
          checks++;
          assert.deepEqual(actual, expected);
        },
      };
      const run = new Function(...Object.keys(surroundings), runnable(code));
      await run(...Object.values(surroundings));
      await surroundings.worker.stop();
      assert.equal(checks > 0, /; \/\/ '/.test(code), 'what an example says it gives was compared');
    });
  }
});
