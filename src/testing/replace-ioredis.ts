import type { EmbeddedStore } from '../store/index.js';
import { sharedStore } from './test-store.js';

/** A class of ioredis, as far as it is used here. */
type AnyClass = new (...args: never[]) => object;

/** The parts of the module `ioredis` that are replaced. Its default export is the class, whichever way it is loaded. */
interface Ioredis {
  readonly Redis?: unknown;
  readonly default?: unknown;
}

/**
 * A replacement for the module `ioredis`, for module mocks of test runners: `new Redis(…)`, whatever the address, leads to a store in
 * this process. It is ioredis itself, only without a network: pipelines, scripts, subscriptions and its events are the real ones.
 * `Cluster` has one node.
 *
 * @param actual the real module: `await importOriginal()` in Vitest, `jest.requireActual('ioredis')` in Jest
 * @param store default: `sharedStore()`
 *
 * @example
 * import * as ioredis from 'ioredis';
 * import { replaceIoredis, sharedStore } from 'sorrel/testing';
 *
 * const { Redis } = replaceIoredis(ioredis);
 * await new Redis('redis://cache.example:6379').set('greeting', 'hello');
 * await sharedStore().get('greeting'); // 'hello'
 */
export function replaceIoredis<Module extends object>(actual: Module, store?: EmbeddedStore): Module {
  const { Redis: named, default: main } = actual as Ioredis;
  const Original = (named ?? main ?? actual) as AnyClass;
  const connector = lateConnector(() => store ?? sharedStore());
  const options = { Connector: connector, sentinels: null, username: null, password: null, tls: null };

  /** Whatever the arguments are, our options come first, and the first ones count. */
  class Redis extends Original {
    parseOptions(...args: unknown[]): void {
      const parse = Reflect.get(Original.prototype, 'parseOptions') as (...args: unknown[]) => void;
      parse.call(this, options, ...args);
    }
  }

  class Cluster extends Redis {
    constructor(_nodes: never, options?: { readonly redisOptions?: object }) {
      super({ ...options?.redisOptions } as never);
    }

    nodes(): readonly this[] {
      return [this];
    }
  }

  const own = { Redis, Cluster, default: Redis, __esModule: true };
  // `require` returns the class, with the exports as properties. It inherits those of the original.
  const createClient = (...args: never[]): Redis => new Redis(...args);
  for (const [name, value] of Object.entries({ ...own, createClient })) {
    Object.defineProperty(Redis, name, { value, enumerable: true, configurable: true });
  }
  return { ...actual, ...own } as unknown as Module;
}

interface Connector {
  connect(emit: unknown): Promise<unknown>;
  disconnect(): void;
  check?(info: unknown): boolean;
}

/** A class for ioredis's option `Connector`, for a store that may not be open yet. */
function lateConnector(storeOf: () => EmbeddedStore): AnyClass {
  return class LateConnector implements Connector {
    readonly #options: unknown;
    #real: Connector | undefined;
    #isWanted = false;

    constructor(options: unknown) {
      this.#options = options;
    }

    check(): boolean {
      return true;
    }

    async connect(emit: unknown): Promise<unknown> {
      this.#isWanted = true;
      const Real = (await storeOf().connector()) as unknown as new (options: unknown) => Connector;
      this.#real = new Real(this.#options);
      const socket = this.#real.connect(emit);
      if (!this.#isWanted) this.#real.disconnect();
      return socket;
    }

    disconnect(): void {
      this.#isWanted = false;
      this.#real?.disconnect();
    }
  };
}
