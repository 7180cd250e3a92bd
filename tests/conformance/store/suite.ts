import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Store, StoreError } from '../../../src/store/index.js';
import { STORE_KINDS, type StoreKind, type StoreSite } from '../../support/stores/index.js';

/** The arguments of a test besides its store. */
export interface Surroundings {
  readonly kind: StoreKind;
  readonly site: StoreSite;
  /** Opens another store on the same data, which is closed after the test. */
  another(): Promise<Store>;
}

/** Declares a test, which receives a store without data. */
export type StoreTest = (
  name: string,
  body: (store: Store, surroundings: Surroundings) => Promise<void>,
) => void;

/** Tests about one topic. */
export type Topic = (test: StoreTest) => void;

/** Long, because the machine may be busy, but shorter than the limit of CI, so that a stuck test is named. */
const LIMIT_MS = 120_000;

/** Runs the tests of a topic on every kind of store for which `isMeant` returns true. */
export function onEveryKind(
  title: string,
  topic: Topic,
  isMeant: (kind: StoreKind) => boolean = () => true,
): void {
  for (const kind of STORE_KINDS.filter(isMeant)) {
    describe(`${title}, ${kind.name}`, { skip: kind.skip }, () => {
      let site: StoreSite;
      before(async () => {
        site = await kind.start();
      });
      after(() => site.stop());
      topic((name, body) => {
        it(name, { timeout: LIMIT_MS }, ({ signal }) => run(kind, site, body, signal));
      });
    });
  }
}

async function run(
  kind: StoreKind,
  site: StoreSite,
  body: Parameters<StoreTest>[1],
  signal: AbortSignal,
): Promise<void> {
  await site.askAll('FLUSHALL');
  const opened: Store[] = [];
  const another = async (): Promise<Store> => {
    const store = await site.open();
    opened.push(store);
    return store;
  };
  const closeAll = (): Promise<unknown> => Promise.all(opened.map((store) => store.close()));
  // The connections of a stuck test would keep the process alive.
  signal.addEventListener('abort', () => void closeAll(), { once: true });
  try {
    await body(await another(), { kind, site, another });
  } finally {
    await closeAll();
  }
}

/** Asserts that the promise rejects with a StoreError with this code and, if given, this text. */
export async function rejectsWith(
  promise: Promise<unknown>,
  code: string,
  text?: string | RegExp,
): Promise<StoreError> {
  let error: unknown;
  try {
    const value = await promise;
    error = `nothing: it resolved to ${String(value)}`;
  } catch (thrown) {
    error = thrown;
  }
  assert.ok(error instanceof StoreError, `expected a StoreError ${code}, got ${String(error)}`);
  assert.equal(error.code, code, `${error.code}: ${error.message}`);
  if (typeof text === 'string') assert.equal(error.message, text);
  else if (text !== undefined) assert.match(error.message, text);
  return error;
}

/** Waits until the condition holds. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 60_000;
  while (!(await isSo())) {
    assert.ok(Date.now() < giveUpAt, `waited too long: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** All items of an iterator. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
