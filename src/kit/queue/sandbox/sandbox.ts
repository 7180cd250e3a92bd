import { pathToFileURL } from 'node:url';
import type { StoreTime } from '../../../store/index.js';
import { KitError, milliseconds, oneOf, resolveOptions, shown, text } from '../../foundation/index.js';
import type { TaskContext } from '../working/context.js';
import { SandboxHost, type SandboxPlan } from './sandbox-host.js';

/** Where a handler runs that can be killed. */
export interface SandboxOptions {
  /** A process of its own, or a thread of this one: cheaper, but it shares memory limits and native crashes. Default `process`. */
  readonly kind?: 'process' | 'thread';
  /** The name of the function among the module's exports. Default `default`. */
  readonly export?: string;
  /**
   * How long a handler may go on after its `task.signal` has aborted, in ms; then its process or thread is killed.
   * Default 1,000.
   */
  readonly grace?: number;
}

const RULES = {
  kind: oneOf(['process', 'thread'], 'process'),
  export: text('default'),
  grace: milliseconds(1_000),
};

export function sandboxPlan(module: string | URL, given: SandboxOptions): SandboxPlan {
  const { export: exported, ...options } = resolveOptions('sandbox', given, RULES);
  return { ...options, exported, module: urlOf(module) };
}

/** The processes or threads of one handler of a worker: as many as there are tasks at the same time. */
export class Sandbox {
  readonly #plan: SandboxPlan;
  readonly #hosts = new Set<SandboxHost>();
  readonly #idle: SandboxHost[] = [];
  #isClosed = false;

  readonly #time: StoreTime;

  constructor(plan: SandboxPlan, time: StoreTime) {
    this.#plan = plan;
    this.#time = time;
  }

  async run(data: unknown, task: TaskContext): Promise<unknown> {
    const host = await this.#take();
    try {
      return await host.run(data, task, this.#time);
    } finally {
      if (host.isAlive && !this.#isClosed) this.#idle.push(host);
      else this.#drop(host);
    }
  }

  async #take(): Promise<SandboxHost> {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle === undefined) break;
      if (idle.isAlive) return idle;
      this.#hosts.delete(idle);
    }
    const host = await SandboxHost.start(this.#plan);
    this.#hosts.add(host);
    return host;
  }

  #drop(host: SandboxHost): void {
    this.#hosts.delete(host);
    host.kill();
  }

  /** Ends all processes and threads. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const host of [...this.#hosts]) this.#drop(host);
  }
}

function urlOf(module: string | URL): string {
  if (module instanceof URL) return module.href;
  if (typeof module === 'string' && module.startsWith('file:')) return module;
  if (typeof module === 'string' && /^(\/|[a-zA-Z]:[\\/])/.test(module)) return pathToFileURL(module).href;
  throw new KitError(
    'OPTION',
    `sandbox: the module must be a URL or an absolute path, not ${shown(module)}: a relative path would depend on the current folder`,
  );
}
