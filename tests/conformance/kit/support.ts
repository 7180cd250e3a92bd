import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { open, type Store, StoreError } from '../../../src/store/index.js';
import { type SentinelGroup, startSentinelGroup, whenRedisIsInstalled } from '../../support/fleet/index.js';
import { prepareServers, STORE_KINDS, type StoreKind, type StoreSite } from '../../support/stores/index.js';

/** What a test of a component gets beside its store. */
export interface Surroundings {
  readonly kind: StoreKind;
  readonly site: StoreSite;
  /** Text that no other test has: make it part of every prefix or name, since all tests share the data. */
  readonly space: string;
  /** One more store on the same data, with connections of its own, closed with the test. */
  another(): Promise<Store>;
  /** Makes master and replica change over, behind Sentinels; elsewhere does nothing. Returns when it has happened. */
  failover(): Promise<void>;
}

export type KitTest = (
  name: string,
  body: (store: Store, surroundings: Surroundings) => Promise<void>,
) => void;

/** Generous: the machine may be busy. A test that is stuck is to say so before CI gives up. */
const LIMIT_MS = 120_000;

/** A client of the user's own and a socket in place of a port differ in nothing that a component could notice. */
const OF_NO_CONCERN = /client$|socket$|Sentinels$/;

/** Started when the tests behind Sentinels begin: no other test may use this group, since its master changes. */
let group: SentinelGroup;

const behindSentinels: StoreKind = {
  name: 'on Redis behind Sentinels',
  skip: whenRedisIsInstalled.skip,
  isCluster: false,
  isEmbedded: false,
  start: async () => {
    group = await startSentinelGroup();
    const hosts = group.sentinelPorts.map((port) => `127.0.0.1:${port}`).join(',');
    const address = `redis+sentinel://${hosts}/${group.name}`;
    return { address, open: () => open(address), askAll: unanswered, stop: () => group.stop() };
  },
};

async function unanswered(): Promise<never> {
  throw new Error('tests of the kit ask through stores');
}

const KINDS: readonly StoreKind[] = [
  ...STORE_KINDS.filter(({ name }) => !OF_NO_CONCERN.test(name)),
  behindSentinels,
];

/**
 * Runs a component's tests on every kind of store.
 *
 * @example
 * onEveryStore('Locks', (test) => {
 *   test('a lock is held by one', async (store, { space, another, failover }) => { … });
 * });
 */
export function onEveryStore(
  title: string,
  declare: (test: KitTest, kind: StoreKind) => void,
  isMeant: (kind: StoreKind) => boolean = () => true,
): void {
  for (const kind of KINDS.filter(isMeant)) {
    describe(`${title}, ${kind.name}`, { skip: kind.skip }, () => {
      let site: StoreSite;
      before(async () => {
        site = await kind.start();
      });
      after(() => site?.stop());
      declare((name, body) => {
        it(name, { timeout: LIMIT_MS }, () => run(kind, site, body));
      }, kind);
    });
  }
}

/** For tests that need a change of master: only behind Sentinels. */
export function isBehindSentinels(kind: StoreKind): boolean {
  return kind === behindSentinels;
}

let spaces = 0;

async function run(kind: StoreKind, site: StoreSite, body: Parameters<KitTest>[1]): Promise<void> {
  const opened: Store[] = [];
  const another = async (): Promise<Store> => {
    const store = await site.open();
    opened.push(store);
    return store;
  };
  const failover = async (): Promise<void> => {
    if (isBehindSentinels(kind)) await group.failover();
  };
  const space = `t${++spaces}`;
  try {
    await body(await another(), { kind, site, space, another, failover });
  } finally {
    await Promise.all(opened.map((store) => store.close()));
  }
}

/** The promise rejects with an error of this code, and of this text if one is given. */
export async function rejectsWith(
  promise: Promise<unknown>,
  code: string,
  text?: string | RegExp,
): Promise<StoreError> {
  const outcome = await promise.then(
    (value) => `nothing: it resolved to ${String(value)}`,
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof StoreError, `expected an error ${code}, got ${String(outcome)}`);
  assert.equal(outcome.code, code, outcome.message);
  if (typeof text === 'string') assert.equal(outcome.message, text);
  else if (text !== undefined) assert.match(outcome.message, text);
  return outcome;
}

/** Waits until the condition holds. For external events; where there is a promise, await it instead. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 60_000;
  while (!(await isSo())) {
    assert.ok(Date.now() < giveUpAt, `timed out waiting for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export { prepareServers };
