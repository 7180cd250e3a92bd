import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';

/**
 * Writes small batches of commands at a steady rate, and records how long each batch waited for its replies. It has a process of its own, so
 * that it does not measure what the benchmark does meanwhile, and runs before other processes where the system permits it: on a machine with few
 * processors, a client that waits for a processor with its reply at hand would be counted as waiting for the server (up to 4 ms, the
 * scheduler's period, even with the highest priority that is not a real-time one).
 */
export class SteadyWriter {
  readonly #process: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#process = child;
  }

  /** `{10}` in a word is a random number below 10, another one for each command. */
  static async connect(port: number, rate: number, words: readonly string[]): Promise<SteadyWriter> {
    const child = fork(PROGRAM, [`${port}`, `${rate}`, JSON.stringify(words)], { execArgv: [] });
    runFirst(child.pid as number);
    await once(child, 'message');
    return new SteadyWriter(child);
  }

  /** The waits since the last call in ms, including those of batches without a reply yet. */
  async take(): Promise<number[]> {
    this.#process.send('take');
    const [waits] = (await once(this.#process, 'message')) as [number[]];
    return waits;
  }

  stop(): void {
    this.#process.disconnect();
  }
}

/** In ms: the wait that one in a thousand exceeds, and the longest. */
export interface Waits {
  readonly p999: number;
  readonly longest: number;
}

/** Of at least a thousand waits: of fewer, the longest alone would decide. */
export function summary(waits: readonly number[]): Waits {
  if (waits.length < 1000) throw new Error(`${waits.length} waits are too few for 99.9 % of them`);
  const sorted = [...waits].sort((a, b) => b - a);
  return { p999: sorted[Math.floor(sorted.length / 1000)] as number, longest: sorted[0] as number };
}

/** Real-time scheduling, if there is `chrt`; else the highest priority. Only the superuser may do either. */
function runFirst(pid: number): void {
  if (spawnSync('chrt', ['--all-tasks', '--fifo', '--pid', '1', `${pid}`]).status === 0) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_HIGHEST);
  } catch {
    // Not the superuser.
  }
}

const PROGRAM = fileURLToPath(new URL('steady-writer-process.mjs', import.meta.url));
