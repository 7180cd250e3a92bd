import { readSync } from 'node:fs';
import { checkAof } from '../persistence/aof/check-aof.js';
import { counted, ProgressBar } from './progress-bar.js';
import { Usage } from './usage.js';

/** `sorrel check-aof [--fix | --truncate-to-timestamp N] FILE`, in redis-check-aof's words. */
export function runCheckAof(parameters: readonly string[]): void {
  const { path, fixes, truncateTo } = parse(parameters);
  const bar = new ProgressBar();
  const say = (text: string): void => {
    bar.clear();
    process.stdout.write(text);
  };
  const { isSound, files } = checkAof(path, {
    fixes,
    truncateTo,
    say,
    confirm: (question) => {
      say(question);
      return /^y/i.test(readAnswer());
    },
    onProgress: ({ name, position, size }) => bar.show(size === 0 ? 1 : position / size, name),
  });
  bar.clear();
  for (const { name, bytes, keys, commands, sha256 } of files) {
    const contents = `${counted(bytes, 'byte')}, ${counted(keys, 'key')} (RDB), ${counted(commands, 'command')}`;
    console.log(`[info] ${name}: ${contents}, SHA-256 ${sha256}`);
  }
  if (!isSound) process.exitCode = 1;
}

interface Request {
  readonly path: string;
  readonly fixes: boolean;
  readonly truncateTo: number | undefined;
}

const USAGE = 'Usage: sorrel check-aof [--fix|--truncate-to-timestamp $timestamp] <file.manifest|file.aof>';

function parse(parameters: readonly string[]): Request {
  const [first, second, third] = parameters;
  if (parameters.length === 1 && first !== undefined)
    return { path: first, fixes: false, truncateTo: undefined };
  if (parameters.length === 2 && first === '--fix' && second !== undefined)
    return { path: second, fixes: true, truncateTo: undefined };
  if (parameters.length === 3 && first === '--truncate-to-timestamp' && third !== undefined) {
    const truncateTo = Number.parseInt(second ?? '', 10);
    if (!(truncateTo > 0)) throw new Error('Invalid timestamp, aborting...');
    return { path: third, fixes: false, truncateTo };
  }
  throw new Usage(USAGE);
}

/** A line of standard input; empty at its end. */
function readAnswer(): string {
  const byte = Buffer.alloc(1);
  let answer = '';
  for (;;) {
    try {
      if (readSync(0, byte, 0, 1, null) === 0) return answer;
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === 'EOF') return answer;
      if (code !== 'EAGAIN') throw error;
      // A terminal that does not block has nothing yet.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      continue;
    }
    if (byte[0] === 10) return answer;
    answer += byte.latin1Slice();
  }
}
