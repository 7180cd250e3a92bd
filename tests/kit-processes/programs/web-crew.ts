import { type ChildProcess, spawn } from 'node:child_process';
import { SOURCE_OPTIONS, sourceProgram } from '../../../scripts/transpiled.mjs';

/** Of a producer: short, so that the value of a dead one is produced again soon. */
export const LEASE_MS = 1_000;
/** Sessions that a cleaner leaves. */
export const LIMIT = 10;

interface Answer {
  readonly number: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** Another process of the shop, which is asked by message. */
export class ShopProcess {
  readonly #child: ChildProcess;
  readonly #pending = new Map<number, (answer: Answer) => void>();
  #last = 0;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (answer: Answer) => this.#pending.get(answer.number)?.(answer));
  }

  /** Returns when the process is ready. */
  static async start(port: number): Promise<ShopProcess> {
    const script = sourceProgram(new URL('./web-worker.ts', import.meta.url));
    const child = spawn(process.execPath, [...SOURCE_OPTIONS, script, `${port}`], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const started = new ShopProcess(child);
    await new Promise<void>((resolve, reject) => {
      started.#pending.set(0, () => resolve());
      child.once('exit', (code) => reject(new Error(`the process ended with ${code}`)));
    });
    return started;
  }

  ask<Result>(call: string, ...args: unknown[]): Promise<Result> {
    const number = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#pending.set(number, ({ result, error }) => {
        this.#pending.delete(number);
        if (error === undefined) resolve(result as Result);
        else reject(new Error(error));
      });
      this.#child.send({ number, call, args });
    });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
