import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SOURCE_OPTIONS, sourceProgram } from '../../scripts/transpiled.mjs';

const script = fileURLToPath(new URL('terminal.py', import.meta.url));
const main = sourceProgram(new URL('../../src/cli/main.ts', import.meta.url));

/** `sorrel` on a pseudo-terminal, used as a person would. */
export class Terminal {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #ended: Promise<number | null>;
  /** Everything shown so far. */
  shown = '';
  /** Up to where `shows` has looked. */
  #seen = 0;
  #wake: () => void = () => {};

  constructor(parameters: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const program = [process.execPath, ...SOURCE_OPTIONS, main, ...parameters];
    const { REDISCLI_AUTH: _, NO_COLOR: __, ...inherited } = process.env;
    this.#child = spawn('python3', [script, ...program], {
      env: { ...inherited, TERM: 'xterm-256color', ...environment },
    });
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.shown += chunk.toString();
      this.#wake();
    });
    this.#child.stderr.resume();
    this.#ended = new Promise((resolve) => this.#child.once('close', resolve));
  }

  type(text: string): void {
    this.#child.stdin.write(text);
  }

  /** Waits until the text is shown, after what an earlier call has found. */
  async shows(text: string | RegExp): Promise<void> {
    for (const end = Date.now() + PATIENCE_MS; ; ) {
      const rest = this.shown.slice(this.#seen);
      const found = typeof text === 'string' ? rest.indexOf(text) : rest.search(text);
      if (found >= 0) {
        const length = typeof text === 'string' ? text.length : (text.exec(rest)?.[0].length ?? 0);
        this.#seen += found + length;
        return;
      }
      if (Date.now() > end) throw new Error(`not shown: ${text}\nbut ${JSON.stringify(rest)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, 100);
      });
    }
  }

  /** Types a line when the prompt is there. */
  async enter(line: string, prompt = '> '): Promise<void> {
    await this.shows(prompt);
    this.type(`${line}\r`);
  }

  /** The exit code. */
  ended(): Promise<number | null> {
    return this.#ended;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

const PATIENCE_MS = 20_000;
