import { MAX_TIMEOUT } from '../../engine/timers.js';
import { StoreError, storeClosed } from '../store-error.js';
import { aborted } from '../time.js';

/** The reasons to end a call before its reply arrives. */
export interface CallLimits {
  /** In ms; `Infinity` for none. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

/** The state of a running call. The work reports to it, and learns from it whether the caller still waits. */
export interface PendingCall {
  /** The command's name, for error texts. */
  readonly name: string;
  /** Set by the work: the request was sent, and it changes data. */
  mayHaveRun: boolean;
  /** Set by the work while it waits for a connection: gives the latest reason why there is none. */
  offline: (() => StoreError) | undefined;
  /** The call has ended: nothing more may be sent for it. */
  readonly isOver: boolean;
  /** Called once if the call ends before its answer comes, with the error that the caller gets. */
  onLeave: ((error: StoreError) => void) | undefined;
}

/**
 * The running calls of a store. Each ends when its answer comes, its time limit passes, its signal aborts or the store is
 * closed, whichever is first. Calls with the same time limit share one timer: most calls end long before it.
 */
export class PendingCalls {
  readonly #groups = new Map<number, CallGroup>();
  #closed: StoreError | undefined;

  /** Runs the work within the limits. The work must check `isOver` and stop when it is true. `transform` converts its result. */
  run<T, Result = T>(
    name: string,
    limits: CallLimits,
    work: (call: PendingCall) => Promise<T>,
    transform?: (value: T) => Result,
  ): Promise<Result> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    const { signal, timeout } = limits;
    if (signal?.aborted === true) return Promise.reject(aborted(signal));
    return new Promise<Result>((resolve, reject) => {
      const call = new Call(name, this.#groupOf(timeout), reject, signal);
      work(call).then(
        (value) => {
          if (!call.end()) return;
          try {
            resolve(transform === undefined ? (value as unknown as Result) : transform(value));
          } catch (error) {
            reject(error);
          }
        },
        (error: unknown) => {
          if (call.end()) reject(error);
        },
      );
    });
  }

  #groupOf(timeout: number): CallGroup {
    let group = this.#groups.get(timeout);
    if (group === undefined) {
      // Usually there are few different limits. If a program computes them, forget those without calls.
      if (this.#groups.size >= MAX_IDLE_GROUPS) this.#forgetIdle();
      group = new CallGroup(timeout);
      this.#groups.set(timeout, group);
    }
    return group;
  }

  #forgetIdle(): void {
    for (const [timeout, group] of this.#groups) if (group.isEmpty) this.#groups.delete(timeout);
  }

  /** Ends all calls and rejects new ones. */
  close(): void {
    if (this.#closed !== undefined) return;
    this.#closed = storeClosed();
    for (const group of this.#groups.values()) group.close();
  }
}

/** Calls with the same time limit: they time out in the order in which they began. */
class CallGroup {
  readonly timeout: number;
  readonly calls = new Set<Call>();
  #timer: NodeJS.Timeout | undefined;

  constructor(timeout: number) {
    this.timeout = timeout;
  }

  get isEmpty(): boolean {
    return this.calls.size === 0;
  }

  add(call: Call): void {
    this.calls.add(call);
    if (this.#timer === undefined && this.timeout !== Number.POSITIVE_INFINITY) this.#wait(this.timeout);
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(this.#tick, Math.min(ms, MAX_TIMEOUT));
  }

  readonly #tick = (): void => {
    this.#timer = undefined;
    const now = performance.now();
    for (const call of this.calls) {
      const left = call.due - now;
      if (left > 0) {
        this.#wait(left);
        return;
      }
      call.timeOut();
    }
  };

  close(): void {
    clearTimeout(this.#timer);
    for (const call of [...this.calls]) call.close();
  }
}

class Call implements PendingCall {
  readonly name: string;
  readonly due: number;
  mayHaveRun = false;
  offline: (() => StoreError) | undefined;
  onLeave: ((error: StoreError) => void) | undefined;
  isOver = false;
  readonly #group: CallGroup;
  readonly #reject: (error: StoreError) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort: (() => void) | undefined;

  constructor(
    name: string,
    group: CallGroup,
    reject: (error: StoreError) => void,
    signal: AbortSignal | undefined,
  ) {
    this.name = name;
    this.due = performance.now() + group.timeout;
    this.#group = group;
    this.#reject = reject;
    this.#signal = signal;
    if (signal !== undefined) {
      this.#onAbort = () => this.#leave(aborted(signal, this.mayHaveRun));
      signal.addEventListener('abort', this.#onAbort, { once: true });
    }
    group.add(this);
  }

  /** False if the call has already ended. */
  end(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    this.#group.calls.delete(this);
    if (this.#onAbort !== undefined) this.#signal?.removeEventListener('abort', this.#onAbort);
    return true;
  }

  timeOut(): void {
    const { name, mayHaveRun } = this;
    const { timeout } = this.#group;
    const offline = this.offline?.();
    this.#leave(
      offline === undefined
        ? new StoreError('TIMEOUT', `no answer to ${name} within ${timeout} ms${fate(mayHaveRun)}`, {
            mayHaveRun,
          })
        : new StoreError(
            'UNREACHABLE',
            `${name} could not be sent within ${timeout} ms: ${offline.message}`,
            { cause: offline, mayHaveRun },
          ),
    );
  }

  close(): void {
    const { name, mayHaveRun } = this;
    const text = `the store was closed before ${name} was answered${fate(mayHaveRun)}`;
    this.#leave(new StoreError('CLOSED', text, { mayHaveRun }));
  }

  #leave(error: StoreError): void {
    if (!this.end()) return;
    this.#reject(error);
    this.onLeave?.(error);
  }
}

/** The end of an error text about a command that was not answered. */
export function fate(mayHaveRun: boolean): string {
  return mayHaveRun ? '; it may have been executed' : '';
}

const MAX_IDLE_GROUPS = 64;
