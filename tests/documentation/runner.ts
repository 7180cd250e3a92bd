/**
 * A process that runs examples, one after the other, each in its own directory. Arguments: the directory they are in
 * and their names. Reports each result to its parent, and ends with it.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** `error` is undefined if the example succeeded. */
export interface Outcome {
  readonly name: string;
  readonly error?: string;
}

const [folder = '', ...names] = process.argv.slice(2);
let problem: unknown;

process.once('disconnect', () => process.exit(1));
process.on('unhandledRejection', (error) => {
  problem ??= error;
});
process.on('uncaughtException', (error) => {
  problem ??= error;
});

Object.assign(globalThis, {
  compareExample(line: number, actual: unknown, shown: unknown): void {
    assert.deepEqual(actual, shown, `line ${line} shows another value than comes out`);
  },
});

for (const name of names) {
  problem = undefined;
  const workplace = join(folder, `${name}-files`);
  mkdirSync(workplace);
  process.chdir(workplace);
  try {
    await runOnce(name);
  } catch (error) {
    problem ??= error;
  }
  // Promises that were not awaited fail now, if at all.
  await new Promise(setImmediate);
  const outcome: Outcome = problem === undefined ? { name } : { name, error: described(problem) };
  await new Promise((resolve) => process.send?.(outcome, resolve));
}
process.exit(0);

/** An example may need a port that another program uses at the moment. */
async function runOnce(name: string): Promise<void> {
  const address = pathToFileURL(join(folder, `${name}.mts`)).href;
  for (let attempt = 0; ; attempt++) {
    try {
      await import(`${address}?${attempt}`);
      return;
    } catch (error) {
      if (attempt === 50 || !/EADDRINUSE|address already in use/i.test(described(error))) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

function described(error: unknown): string {
  return error instanceof Error ? `${error.stack ?? error.message}` : String(error);
}
