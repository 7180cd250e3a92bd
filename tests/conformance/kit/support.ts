import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { open, type Store, StoreError } from '../../../src/store/index.js';
import { type SentinelGroup, startSentinelGroup, whenRedisIsInstalled } from '../../support/fleet/index.js';
import {
  once,
  onMixedCluster,
  prepareServers as prepare,
  STORE_KINDS,
  type StoreKind,
  type StoreSite,
} from '../../support/stores/index.js';

/** The arguments of a component's test besides its store. */
export interface Surroundings {
  readonly kind: StoreKind;
  readonly site: StoreSite;
  /** A text that is unique to the test. Make it part of every prefix or name, because all tests share the data. */
  readonly space: string;
  /** Opens another store on the same data, with its own connections. It is closed after the test. */
  another(): Promise<Store>;
  /** With Sentinels: exchanges master and replica, and returns after that. With other stores: does nothing. */
  failover(): Promise<void>;
}

export type KitTest = (
  name: string,
  body: (store: Store, surroundings: Surroundings) => Promise<void>,
) => void;

/** Long, because the machine may be busy, but shorter than the limit of CI, so that a stuck test is named. */
const LIMIT_MS = 120_000;

/** For a component, a user's own client and a socket instead of a port are no different. */
const OF_NO_CONCERN = /client$|socket$|Sentinels$/;

/** The components that are tested on these Clusters, too. On a Redis Cluster all are. */
const ON_CLUSTERS: Readonly<Record<string, readonly string[]>> = {
  'on our Cluster': ['Locks', 'Rate limiters'],
  'on a mixed Cluster': ['Locks'],
};

/** With SORREL_KINDS, all components are tested on the kinds of stores whose names match it, and on no others. */
const CHOSEN = process.env['SORREL_KINDS'];

function isTestedOn({ name }: StoreKind, title: string): boolean {
  if (CHOSEN !== undefined) return new RegExp(CHOSEN).test(name);
  return ON_CLUSTERS[name]?.includes(title) ?? true;
}

/** Not the group of other tests, because the master changes here. */
const startGroup = once(startSentinelGroup);
let group: SentinelGroup;

/** Begins to start all servers, so that they are ready when they are needed. */
export function prepareServers(): void {
  prepare(startGroup);
}

const behindSentinels: StoreKind = {
  name: 'on Redis behind Sentinels',
  skip: whenRedisIsInstalled.skip,
  isCluster: false,
  isEmbedded: false,
  start: async () => {
    group = await startGroup();
    const hosts = group.sentinelPorts.map((port) => `127.0.0.1:${port}`).join(',');
    const address = `redis+sentinel://${hosts}/${group.name}`;
    return { address, open: () => open(address), askAll: unanswered, stop: async () => {} };
  },
};

async function unanswered(): Promise<never> {
  throw new Error('tests of the kit ask through stores');
}

const KINDS: readonly StoreKind[] = [
  ...STORE_KINDS.filter(({ name }) => !OF_NO_CONCERN.test(name)),
  onMixedCluster,
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
  for (const kind of KINDS.filter((each) => isMeant(each) && isTestedOn(each, title))) {
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

/** For tests that need a failover: only with Sentinels. */
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

/** Asserts that the promise rejects with an error with this code and, if given, this text. */
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
