import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  components,
  deadLinks,
  documents,
  type Example,
  examplesIn,
  parseExamples,
} from './documentation/extract.js';
import type { Outcome } from './documentation/runner.js';
import { syntaxErrors, typeErrors } from './documentation/types.js';

/** The time limit of an example in ms: long, because the machine may be busy. */
const LIMIT = 120_000;

const folder = mkdtempSync(join(tmpdir(), 'sorrel-examples-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The result of each example by its name: undefined, or the error. */
async function runExamples(examples: readonly Example[]): Promise<Map<string, string | undefined>> {
  const outcomes = new Map<string, string | undefined>();
  for (const example of examples) writeFileSync(join(folder, `${nameOf(example)}.mts`), example.code);
  for (;;) {
    const left = examples.map(nameOf).filter((name) => !outcomes.has(name));
    const [next] = left;
    if (next === undefined) return outcomes;
    const end = await runProcess(left, ({ name, error }) => outcomes.set(name, error));
    // The process died or was killed at the first example that it has not reported.
    const culprit = left.find((name) => !outcomes.has(name));
    if (culprit !== undefined) outcomes.set(culprit, end);
  }
}

/** Runs examples in one process, because starting it takes longer than most of them. Returns how it ended. */
function runProcess(names: readonly string[], onOutcome: (outcome: Outcome) => void): Promise<string> {
  const runner = fileURLToPath(new URL('documentation/runner.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', runner, folder, ...names], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let end: string | undefined;
  const giveUp = (): void => {
    end = `it takes longer than ${LIMIT / 1000} s`;
    child.kill('SIGKILL');
  };
  let timer = setTimeout(giveUp, LIMIT);
  child.on('message', (outcome) => {
    clearTimeout(timer);
    timer = setTimeout(giveUp, LIMIT);
    onOutcome(outcome as Outcome);
  });
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve(end ?? `it ended the process with ${code}`);
    });
  });
}

function nameOf({ path, line }: Example): string {
  return `${path.replaceAll(/[^\w]/g, '-')}-${line}`;
}

describe('The documentation', () => {
  const examples = documents().flatMap(examplesIn);
  const programs = examples.filter(({ isFragment }) => !isFragment);
  let outcomes: ReadonlyMap<string, string | undefined>;
  let mistakes: ReadonlyMap<Example, string>;

  before(async () => {
    outcomes = await runExamples(programs);
    mistakes = typeErrors(programs);
  });

  for (const example of programs) {
    it(`runs and is well typed at ${example.path}:${example.line}`, () => {
      const problem = outcomes.get(nameOf(example));
      // Lines are those of the document; only the name of the file that was run is not.
      const text = problem?.replaceAll(new RegExp(`\\S*${nameOf(example)}\\.mts`, 'g'), example.path);
      assert.ok(problem === undefined, `${example.path}:${example.line}: ${text}`);
      assert.equal(mistakes.get(example), undefined);
    });
  }

  for (const example of examples.filter(({ isFragment }) => isFragment)) {
    it(`can be read by a compiler at ${example.path}:${example.line}`, () => {
      assert.equal(syntaxErrors(example), '');
    });
  }

  it('has no broken links', () => {
    assert.deepEqual(
      documents().flatMap((path) => deadLinks(path)),
      [],
    );
  });

  it('has an example for every component of the kit, and values that are compared', () => {
    const shown = new Set(programs.map(({ path }) => path));
    const missing = components().filter((name) => !shown.has(`src/kit/${name}/README.md`));
    assert.deepEqual(missing, [], 'components without an example in their README.md');
    assert.ok(programs.some(({ values }) => values > 0));
  });
});

describe('The runner of examples', () => {
  const fenced = (...lines: string[]): string => lines.join('\n').replaceAll("'''", '```');

  it('reports the error of an example, and continues with the others', async () => {
    const examples = parseExamples(
      'made-up.md',
      fenced(
        "'''ts",
        "import { open } from 'sorrel';",
        'await using store = await open();',
        "await store.set('key', 'value');",
        "await store.get('key'); // 'another value', which it is not",
        "'''",
        "'''ts",
        'process.exit(7);',
        "'''",
        "'''ts",
        'const answer = 42;',
        "'''",
        "'''ts continued",
        'Math.abs(answer); // 42',
        'answer > 40; // true',
        'const other = answer; // 7 is no value that is compared',
        "'''",
        "'''ts",
        "void Promise.reject(new Error('no handler waits for me'));",
        "'''",
      ),
    );
    assert.deepEqual(
      examples.map(({ line, values }) => [line, values]),
      [
        [1, 1],
        [7, 0],
        [10, 2],
        [18, 0],
      ],
    );
    const [value, exit, sound, rejection] = [...(await runExamples(examples)).values()];
    assert.match(value ?? '', /line 5 shows another value[\s\S]*made-up-md-1\.mts:5:/);
    assert.equal(exit, 'it ended the process with 7');
    assert.equal(sound, undefined);
    assert.match(rejection ?? '', /no handler waits for me/);
  });

  it('knows the kinds of fences and no others, and mistakes in them', () => {
    assert.throws(() => parseExamples('x.md', fenced("'''ts ignored", "'''")), /x\.md:1: .*neither/);
    assert.throws(() => parseExamples('x.md', fenced('', "'''typescript", "'''")), /x\.md:2: write/);
    assert.throws(() => parseExamples('x.md', fenced("'''ts continued", "'''")), /x\.md:1: .*nothing/);
    const [fragment] = parseExamples('x.md', fenced("'''ts fragment", 'return 1 +;', "'''"));
    assert.notEqual(syntaxErrors(fragment as Example), '');
    const [untyped] = parseExamples('x.md', fenced('', "'''ts", "'no number'.toFixed();", "'''"));
    assert.match(
      typeErrors([untyped as Example]).get(untyped as Example) ?? '',
      /^x\.md:3: Property 'toFixed'/,
    );
  });
});
