import { type EmbeddedOptions, type EmbeddedStore, StoreError, type StoreSnapshot } from '../store/index.js';
import { openMemory } from '../store/open.js';

/** The hooks of a test runner: those of Vitest and Jest, or of `node:test`. */
export interface TestHooks {
  beforeEach(work: () => void): unknown;
  /** Vitest, Jest. */
  afterAll?(work: () => Promise<void>): unknown;
  /** `node:test`. */
  after?(work: () => Promise<void>): unknown;
}

/**
 * Isolates the tests of a file from each other: the data that the shared store has before the first test (what `beforeAll` put there)
 * is restored before every other test, and the store is closed after the last one.
 *
 * @example
 * import { afterAll, beforeEach } from 'vitest'; // Jest: globals; node:test: { beforeEach, after }
 * import { setupStore } from 'sorrel/testing';
 *
 * const store = setupStore({ beforeEach, afterAll });
 */
export function setupStore(hooks: TestHooks, options?: EmbeddedOptions): EmbeddedStore {
  const end = hooks?.afterAll ?? hooks?.after;
  if (typeof hooks?.beforeEach !== 'function' || typeof end !== 'function') {
    throw new StoreError(
      'OPTION',
      'setupStore: pass the hooks { beforeEach, afterAll }, or { beforeEach, after } of node:test',
    );
  }
  const store = sharedStore(options);
  let initial: StoreSnapshot | undefined;
  hooks.beforeEach(() => {
    if (initial === undefined) initial = store.snapshot();
    else initial.restore();
  });
  end(() => closeShared());
  return store;
}

/**
 * The store of this test process, in memory. It is opened by the first call, whose options count, and is the one that `replaceIoredis` and
 * `replaceNodeRedis` lead to by default.
 *
 * @example
 * import { sharedStore } from 'sorrel/testing';
 *
 * sharedStore().sync.set('greeting', 'hello');
 */
export function sharedStore(options?: EmbeddedOptions): EmbeddedStore {
  const known = shared[SHARED];
  if (known !== undefined && options !== undefined) {
    throw new StoreError('OPTION', 'the shared store is open already: pass its options to the first call');
  }
  const store = known ?? openMemory(options ?? {});
  shared[SHARED] = store;
  return store;
}

/** The next call of `sharedStore` opens another one. */
async function closeShared(): Promise<void> {
  const store = shared[SHARED];
  shared[SHARED] = undefined;
  await store?.close();
}

/** Kept in the global object, since a test may load this module twice: by `import` and by `require`. */
const SHARED = Symbol.for('sorrel.testing.store');
const shared = globalThis as { [SHARED]?: EmbeddedStore | undefined };
