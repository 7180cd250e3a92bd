import type { StoreTime } from '../../../store/index.js';
import { KitError } from '../../foundation/index.js';
import { fromJson, problemOf, type TaskProblem, toJson } from '../record.js';
import type { TaskContext } from '../working/context.js';
import { NoRetryError } from '../working/no-retry-error.js';
import { PostponeError } from '../working/postpone-error.js';
import { SandboxCrash } from './sandbox-crash.js';
import { SANDBOX_PROGRAM } from './sandbox-program.js';

/** The module of a handler, and where it runs. */
export interface SandboxPlan {
  readonly kind: 'process' | 'thread';
  /** URL of the module. */
  readonly module: string;
  readonly exported: string;
  /** How long a handler may go on after its signal has aborted, in ms. */
  readonly grace: number;
}

/** A process or thread that can be killed. */
interface Runner {
  send(message: object): void;
  kill(): void;
}

interface RunnerEvents {
  onMessage(message: Message): void;
  onEnd(why: string): void;
}

type Message =
  | { readonly type: 'ready' }
  | { readonly type: 'done'; readonly result: string }
  | { readonly type: 'failed'; readonly problem: TaskProblem }
  | {
      readonly type: 'call';
      readonly number: number;
      readonly method: 'progress' | 'log' | 'update' | 'inputs' | 'deadInputs';
      readonly args: readonly [never];
    };

/** Waits for the answer to `start` or `run`. */
interface Waiter {
  resolve(result: string): void;
  reject(error: unknown): void;
}

/** One process or thread, which runs one task at a time. */
export class SandboxHost {
  readonly #plan: SandboxPlan;
  #runner: Runner | undefined;
  #waiter: Waiter | undefined;
  #task: TaskContext | undefined;
  #end: string | undefined;

  private constructor(plan: SandboxPlan) {
    this.#plan = plan;
  }

  /** Starts a host, and loads the module. Rejects if that fails. */
  static async start(plan: SandboxPlan): Promise<SandboxHost> {
    const host = new SandboxHost(plan);
    const events: RunnerEvents = {
      onMessage: (message) => host.#receive(message),
      onEnd: (why) => host.#ended(why),
    };
    host.#runner = await (plan.kind === 'process' ? startProcess(events) : startThread(events));
    const { module, exported } = plan;
    try {
      await host.#ask({ type: 'start', module, exported });
      return host;
    } catch (error) {
      host.kill();
      throw error;
    }
  }

  get isAlive(): boolean {
    return this.#end === undefined;
  }

  kill(): void {
    this.#ended('it was killed');
    this.#runner?.kill();
  }

  /** Runs a task. If its signal aborts and the handler does not end, the host is killed. */
  async run(data: unknown, task: TaskContext, time: StoreTime): Promise<unknown> {
    const { id, name, group, attempt, recoveries, signal } = task;
    this.#task = task;
    let cancel: () => void = () => {};
    const onAbort = (): void => {
      this.#runner?.send({ type: 'abort', problem: JSON.parse(problemOf(signal.reason)) });
      cancel = time.after(this.#plan.grace, () => this.kill());
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      const context = { id, name, group, attempt, recoveries };
      return fromJson(await this.#ask({ type: 'run', data: toJson(data), task: context }));
    } finally {
      cancel();
      signal.removeEventListener('abort', onAbort);
      this.#task = undefined;
    }
  }

  #ask(message: object): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#end !== undefined) {
        reject(new SandboxCrash(this.#end));
        return;
      }
      this.#waiter = { resolve, reject };
      this.#runner?.send(message);
    });
  }

  #receive(message: Message): void {
    if (message.type === 'call') {
      void this.#call(message);
      return;
    }
    const waiter = this.#waiter;
    this.#waiter = undefined;
    if (message.type === 'failed') waiter?.reject(errorOf(message.problem));
    else waiter?.resolve(message.type === 'done' ? message.result : '');
  }

  /** The handler calls a method of its task. */
  async #call({ number, method, args }: Message & { type: 'call' }): Promise<void> {
    try {
      const task = this.#task;
      if (task === undefined) throw new KitError('LOST', `${method}: the task is over`);
      const value = await task[method](...args);
      this.#runner?.send({ type: 'reply', number, value });
    } catch (error) {
      this.#runner?.send({ type: 'reply', number, problem: JSON.parse(problemOf(error)) });
    }
  }

  #ended(why: string): void {
    if (this.#end !== undefined) return;
    this.#end = why;
    this.#waiter?.reject(new SandboxCrash(why));
  }
}

/** The error of a handler, as this process has it. */
function errorOf(problem: TaskProblem & { readonly delay?: unknown }): Error {
  const { name, message, code, stack, delay } = problem;
  if (
    name === 'PostponeError' &&
    typeof delay === 'number' &&
    delay >= 0 &&
    delay < Number.POSITIVE_INFINITY
  ) {
    return new PostponeError(delay, message);
  }
  const error =
    name === 'NoRetryError' ? new NoRetryError(message) : Object.assign(new Error(message), { name });
  return Object.assign(error, code === undefined ? {} : { code }, stack === undefined ? {} : { stack });
}

/** Options of Node that are not for a second program: what to run, how to test, what to debug. */
const NOT_INHERITED =
  /^(-e|--eval|-p|--print|-c|--check|-i|--interactive|--input-type.*|--test.*|--inspect.*|--watch.*)$/;

async function startProcess({ onMessage, onEnd }: RunnerEvents): Promise<Runner> {
  const { spawn } = await import('node:child_process');
  const options = process.execArgv.filter((word, index, all) => {
    const isValue = /^(-e|--eval|-p|--print)$/.test(all[index - 1] ?? '');
    return !isValue && !NOT_INHERITED.test(word);
  });
  const child = spawn(process.execPath, [...options, '-e', SANDBOX_PROGRAM], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.on('message', (message) => onMessage(message as Message));
  child.once('error', (error) => onEnd(String(error)));
  child.once('exit', (code, signal) => onEnd(`it ended with ${signal ?? `code ${code}`}`));
  return {
    // An error of the channel means that the process is gone, which `exit` tells.
    send: (message) => void child.send(message, () => {}),
    kill: () => void child.kill('SIGKILL'),
  };
}

async function startThread({ onMessage, onEnd }: RunnerEvents): Promise<Runner> {
  const { Worker } = await import('node:worker_threads');
  const thread = new Worker(SANDBOX_PROGRAM, { eval: true });
  thread.on('message', (message) => onMessage(message as Message));
  thread.once('error', (error) => onEnd(String(error)));
  thread.once('exit', (code) => onEnd(`it ended with code ${code}`));
  return {
    send: (message) => thread.postMessage(message),
    kill: () => void thread.terminate(),
  };
}
