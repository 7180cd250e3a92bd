import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Redis as IoredisClient, type RedisOptions } from 'ioredis';
import { createClient as createNodeRedisClient } from 'redis';
import { ManualClock, open, openWorker, StoreError } from '../src/store/index.js';

/** Modules of the store whose documentation has examples. */
const FILES = [
  'open.ts',
  'store.ts',
  'embedded-store.ts',
  'store-error.ts',
  'embedded/manual-clock.ts',
  'worker/open-worker.ts',
];

/** Uses two threads: tests/integration runs it. */
const ELSEWHERE = 'worker/open-worker.ts: openPort';

interface Example {
  readonly name: string;
  readonly code: string;
}

function examplesOf(file: string): Example[] {
  const source = readFileSync(new URL(`../src/store/${file}`, import.meta.url), 'utf8');
  const blocks = source.matchAll(
    /@example\n((?:\s*\* ?.*\n)*?)\s*\*\/\n\s*(?:export )?(?:async )?(?:class |function )?(\w+)/g,
  );
  return [...blocks].map(([, text = '', name = '']) => ({
    name: `${file}: ${name}`,
    code: text.replace(/^\s*\* ?/gm, ''),
  }));
}

/** The programs of a document. */
function programsOf(document: string): Example[] {
  const source = readFileSync(new URL(`../docs/${document}`, import.meta.url), 'utf8');
  return [...source.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ''], index) => ({
    name: `${document}: program ${index + 1}`,
    code,
  }));
}

/** Turns `expression; // value` into a comparison of the two, and removes code that only the compiler needs. */
function runnable(code: string): string {
  return code
    .replace(/^import .*$/gm, '')
    .replace(/await using (\w+) = (.*);/g, 'const $1 = keep($2);')
    .replace(/send<\w+>/g, 'send')
    .replace(
      /^(\s*)([^/\n]*[^=\s/\n][^/\n]*); \/\/ ('.*'|null|\d+|false|true)$/gm,
      (line, indent, expression, value) =>
        /^(const|for|let)\b/.test(expression) ? line : `${indent}check(${expression}, ${value});`,
    );
}

/** Clients that examples create and leave open. */
class Clients {
  readonly #ends: (() => void)[] = [];

  readonly createClient = (options: object): object => {
    const client = createNodeRedisClient(options);
    client.on('error', () => {});
    this.#ends.push(() => client.destroy());
    return client;
  };

  readonly Redis = ((ends) =>
    class extends IoredisClient {
      constructor(options: RedisOptions) {
        super({ ...options, replyMapping: 'legacy' });
        this.on('error', () => {});
        ends.push(() => this.disconnect());
      }
    })(this.#ends);

  close(): void {
    for (const end of this.#ends) end();
  }
}

type Check = (actual: unknown, expected: unknown) => void;

const AsyncFunction = (async () => {}).constructor as new (
  ...parameters: string[]
) => (...values: unknown[]) => Promise<void>;

describe('examples of the documentation of stores', () => {
  const examples = FILES.flatMap(examplesOf).filter(({ name }) => name !== ELSEWHERE);

  it('are found', () => {
    assert.ok(examples.length >= 10, `${examples.length}`);
  });

  for (const { name, code } of examples) {
    it(`run: ${name}`, async () => {
      const checks = await run(code);
      assert.equal(
        checks > 0,
        / \/\/ ('|null|\d|true|false)/.test(code.replace(/^(const|for|let).*$/gm, '')),
      );
    });
  }
});

describe('programs of the document about stores', () => {
  const programs = programsOf('store.md');

  it('are found', () => {
    assert.ok(programs.length >= 4, `${programs.length}`);
  });

  for (const { name, code } of programs) {
    it(`run: ${name}`, async () => {
      await run(code);
    });
  }
});

/** Runs the code and compares its expressions with their values; returns the number of comparisons. */
async function run(code: string): Promise<number> {
  await using store = await open();
  await store.set('greeting', 'hello');
  await store.rpush('jobs', 'first');
  let checks = 0;
  const check: Check = (actual, expected) => {
    checks++;
    // The store chose a free port.
    const seen = typeof actual === 'string' ? actual.replace(/:\d{4,5}$/, ':49153') : actual;
    assert.deepEqual(seen, expected);
  };
  const kept: AsyncDisposable[] = [];
  const clients = new Clients();
  const scope = {
    store,
    open,
    openWorker,
    StoreError,
    ManualClock,
    check,
    console: { log() {} },
    Redis: clients.Redis,
    createClient: clients.createClient,
    keep: <T extends AsyncDisposable>(held: T): T => {
      kept.push(held);
      return held;
    },
  };
  try {
    await new AsyncFunction(...Object.keys(scope), `{${runnable(code)}}`)(...Object.values(scope));
  } finally {
    clients.close();
    for (const held of kept.reverse()) await held[Symbol.asyncDispose]();
  }
  return checks;
}
