/**
 * How long a program waits for its first embedded store: import, `open()` and one command in a fresh process (Node's
 * own start not counted), and the same for a second store of the process. Prints medians and what is aimed at.
 * Options: --rounds=15
 */
import { execFileSync } from 'node:child_process';
import { median, option, printTable, progress } from './support/measure.js';

const rounds = option('rounds', 15);
const built = new URL('../dist/store/index.js', import.meta.url).href;

/** Run in a process of its own; prints milliseconds. */
const PROGRAM = `
  const times = [performance.now()];
  const { open } = await import(${JSON.stringify(built)});
  times.push(performance.now());
  for (let i = 0; i < 2; i++) {
    const store = await open();
    await store.set('greeting', 'hello');
    times.push(performance.now());
  }
  const [begin, imported, first, second] = times;
  console.log(JSON.stringify({ imported: imported - begin, first: first - begin, second: second - first }));
  process.exit();`;

interface Start {
  readonly imported: number;
  readonly first: number;
  readonly second: number;
}

function start(): Start {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', PROGRAM]);
  return JSON.parse(output.toString()) as Start;
}

const starts: Start[] = [];
for (let round = 1; round <= rounds; round++) {
  progress(`start ${round} of ${rounds}`);
  starts.push(start());
}
progress('');

function row(title: string, part: keyof Start, goal: string): string[] {
  const times = starts.map((each) => each[part]);
  return [title, median(times).toFixed(2), Math.min(...times).toFixed(2), goal];
}

printTable(
  ['ms', 'median', 'best', 'goal'],
  [
    row('import', 'imported', ''),
    row('import, open, first command', 'first', '50'),
    row('second store, first command', 'second', '1'),
  ],
);
