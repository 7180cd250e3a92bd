/** Runs the examples in the documentation of the functions and classes of locks, semaphores and the rate limiter. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import express from 'express';
import fastify from 'fastify';
import ts from 'typescript';
import * as foundation from '../../src/kit/foundation/index.js';
import * as locks from '../../src/kit/locks/index.js';
import * as rateLimiter from '../../src/kit/rate-limiter/index.js';
import * as semaphores from '../../src/kit/semaphores/index.js';
import { open, type Store } from '../../src/store/index.js';

const FOLDERS = ['foundation', 'locks', 'semaphores', 'rate-limiter'];

interface Example {
  readonly name: string;
  readonly code: string;
}

function examplesIn(folder: string): Example[] {
  const url = new URL(`../../src/kit/${folder}/`, import.meta.url);
  const files = readdirSync(url, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );
  return files.flatMap((file) => {
    const blocks = readFileSync(new URL(file, url), 'utf8').matchAll(/@example\n((?:\s*\* ?.*\n)*?)\s*\*\//g);
    return [...blocks].map(([, text = ''], index) => ({
      name: `${folder}/${file}, number ${index + 1}`,
      code: text.replace(/^\s*\* ?/gm, ''),
    }));
  });
}

/** Whether what stands behind an expression is its value, as JavaScript writes it. */
function isValue(text: string): boolean {
  return /^(\d+|'[^']*'|true|false|undefined|\{[^…]*\})$/.test(text);
}

/** `expression; // value` becomes a comparison, `// throws: text` an expectation; imports are parameters. */
function runnable(code: string): string {
  const lines = code.split('\n').map((line) => {
    if (line.startsWith('import ')) return '';
    const [, expression = '', remark = ''] = /^([^=]*?); \/\/ (.*)$/.exec(line) ?? [];
    if (remark.startsWith('throws: ')) {
      const text = remark.slice('throws: '.length).replace(/ …$/, '');
      return `assert.throws(() => ${expression}, (error) => error.message.startsWith(${JSON.stringify(text)}));`;
    }
    return isValue(remark) ? `assert.deepEqual(${expression}, ${remark});` : line;
  });
  const body = lines.join('\n').replaceAll('import.meta.url', 'moduleUrl');
  const { outputText } = ts.transpileModule(`async function example() {${body}\n}`, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  return `${outputText}\nreturn example();`;
}

/** What the examples take for granted. */
function surroundings(store: Store, opened: Store[]): Record<string, unknown> {
  const nothing = async (): Promise<void> => {};
  return {
    assert,
    express,
    fastify,
    store,
    moduleUrl: new URL('../../src/kit/locks/locks.ts', import.meta.url).href,
    open: async () => {
      const another = await open();
      opened.push(another);
      return another;
    },
    writeReport: nothing,
    exportReport: nothing,
    countStock: nothing,
    tooManyRequests: nothing,
    ...foundation,
    ...locks,
    ...semaphores,
    ...rateLimiter,
  };
}

describe('Examples of locks, semaphores and the rate limiter', () => {
  const examples = FOLDERS.flatMap(examplesIn);

  it('are found', () => assert.ok(examples.length >= 20, `${examples.length}`));

  for (const { name, code } of examples) {
    it(`run: ${name}`, async () => {
      await using store = await open();
      const opened: Store[] = [];
      const given = surroundings(store, opened);
      try {
        await new Function(...Object.keys(given), runnable(code))(...Object.values(given));
      } finally {
        for (const another of opened) await another.close();
      }
    });
  }
});
