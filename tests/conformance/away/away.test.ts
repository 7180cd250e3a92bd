/** All waits, signals and time limits work while the server is unreachable, and closing a store ends all calls immediately. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Store, StoreError } from '../../../src/store/index.js';
import { stopAllServers } from '../../support/fleet/index.js';
import { OUTAGE_KINDS, type Outage, type OutageKind, type OutageSite } from '../../support/outage/sites.js';
import { type Abilities, PARTICIPANTS } from './participants.js';

/** The configured limits, in ms. */
const LIMITS = { commandTimeout: 1_000, connectTimeout: 1_000 };
const WAIT = 300;
/** The maximum time of a call with a limit of a second or less: several times that, because machines are busy. */
const LATEST = 10_000;
/** The maximum time of an immediate end on a busy machine. */
const AT_ONCE = 3_000;

type Begin = () => Promise<unknown>;

interface Case {
  readonly name: string;
  readonly begin: Begin;
  /** The possible codes of the error; if empty, the call must end without an error. */
  readonly codes: readonly string[];
}

function casesOf({ calls, waits, signals, loops, ends }: Abilities): Case[] {
  const signal = (): AbortSignal => AbortSignal.timeout(WAIT);
  return [
    ...cases('fails at its time limit', calls, (call) => call(), ['TIMEOUT', 'UNREACHABLE']),
    ...cases('ends at the end of its wait', waits, (call) => call(WAIT), ['TIMEOUT']),
    ...cases('rejects when its signal aborts', signals, (call) => call(signal()), ['ABORTED']),
    ...cases('ends when its signal aborts', loops, (call) => call(signal()), []),
    ...cases('ends within its time limit', ends, (call) => call(WAIT), []),
  ];
}

function cases<Call>(
  text: string,
  calls: Readonly<Record<string, Call>> | undefined,
  begin: (call: Call) => Promise<unknown>,
  codes: readonly string[],
): Case[] {
  return Object.entries(calls ?? {}).map(([name, call]) => ({
    name: `${name} ${text}`,
    begin: () => begin(call),
    codes,
  }));
}

/** The outcome of a call, and its duration in ms. */
interface Ending {
  readonly outcome: unknown;
  readonly ms: number;
}

async function endingOf(begin: Begin, latest: number): Promise<Ending> {
  const start = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const outcome = await Promise.race([
    begin().then(
      (value) => ({ value }),
      (error: unknown) => error,
    ),
    new Promise((resolve) => {
      timer = setTimeout(() => resolve('still under way'), latest * 2);
    }),
  ]);
  clearTimeout(timer);
  return { outcome, ms: performance.now() - start };
}

function assertEnded({ outcome, ms }: Ending, codes: readonly string[], latest: number): void {
  const seen = outcome instanceof Error ? `${outcome.name}: ${outcome.message}` : JSON.stringify(outcome);
  assert.ok(ms < latest, `ended after ${Math.round(ms)} ms: ${seen}`);
  if (codes.length === 0) {
    assert.ok(!(outcome instanceof Error) && typeof outcome === 'object', seen);
    return;
  }
  assert.ok(outcome instanceof StoreError, `expected ${codes.join(' or ')}: ${seen}`);
  assert.ok(codes.includes(outcome.code), `expected ${codes.join(' or ')}, got ${outcome.code}: ${seen}`);
}

function isLost(outcome: unknown): boolean {
  return outcome instanceof StoreError && outcome.code === 'UNREACHABLE' && outcome.mayHaveRun;
}

function duringOutage(kind: OutageKind, outage: Outage): void {
  describe(`While the server is ${outage}, ${kind.name}`, { skip: kind.skip, timeout: 300_000 }, () => {
    let site: OutageSite;
    const stores = new Map<string, Store>();
    const abilities = new Map<string, Abilities>();
    const told: string[] = [];
    const endings = new Map<string, Promise<Ending>>();
    const closings = new Map<string, Promise<Ending>>();

    before(async () => {
      site = await kind.start();
      for (const { name, prepare } of PARTICIPANTS) {
        const space = `${outage}-${name.replaceAll(' ', '-')}`;
        const store = await site.open(LIMITS);
        stores.set(name, store);
        abilities.set(name, await prepare(store, space));
      }
      for (const event of ['disconnected', 'reconnected'] as const) {
        stores.get('the store')?.on(event, () => told.push(event));
      }
      // Closed while the server is unreachable.
      const doomed = new Map<string, { store: Store; able: Abilities }>();
      for (const { name, prepare } of PARTICIPANTS) {
        const store = await site.open({ ...LIMITS, commandTimeout: LATEST * 10 });
        doomed.set(name, {
          store,
          able: await prepare(store, `${outage}-closed-${name.replaceAll(' ', '-')}`),
        });
      }
      await site.leave(outage);
      // All calls run at the same time, so that each outage is waited for only once.
      for (const [name, able] of abilities) {
        for (const { name: what, begin } of casesOf(able)) {
          endings.set(`${name}: ${what}`, endingOf(begin, LATEST));
        }
      }
      await Promise.all(
        [...doomed].map(([name, { store, able }]) => closeUnder(name, store, able, closings)),
      );
      await Promise.all(endings.values());
    });

    after(async () => {
      await Promise.all([...stores.values()].map((store) => store.close()));
      await site?.stop();
    });

    for (const { name } of PARTICIPANTS) {
      it(`${name}: all calls end as documented`, async () => {
        const able = abilities.get(name) as Abilities;
        for (const { name: what, codes } of casesOf(able)) {
          const ending = (await endings.get(`${name}: ${what}`)) as Ending;
          try {
            // A call that was running when connections were cut may fail because of that.
            if (outage === 'refusing' && isLost(ending.outcome)) continue;
            assertEnded(ending, codes, LATEST);
          } catch (error) {
            throw new Error(`${name}: ${what}: ${(error as Error).message}`);
          }
        }
      });

      it(`${name}: closing the store ends all calls immediately`, async () => {
        for (const [what, ending] of closings) {
          if (!what.startsWith(`${name}: `)) continue;
          const { outcome, ms } = await ending;
          const seen = outcome instanceof Error ? outcome.message : JSON.stringify(outcome);
          assert.ok(ms < AT_ONCE, `${what} ended after ${Math.round(ms)} ms: ${seen}`);
          const isOver =
            !(outcome instanceof Error) || (outcome instanceof StoreError && outcome.code === 'CLOSED');
          assert.ok(isOver && outcome !== 'still under way', `${what}: expected CLOSED: ${seen}`);
        }
      });
    }

    it('the store works again when the server is back, and has reported both events', async () => {
      await site.comeBack();
      const able = abilities.get('the store') as Abilities;
      await eventually(() => able.works());
      assert.deepEqual([...new Set(told)], ['disconnected', 'reconnected']);
    });

    for (const { name } of PARTICIPANTS.slice(1)) {
      it(`${name}: works again when the server is back`, () =>
        eventually(() => (abilities.get(name) as Abilities).works()));
    }
  });
}

/** Begins all calls, closes the store, and measures how long each took to end after that. */
async function closeUnder(
  name: string,
  store: Store,
  { calls, waits, signals, loops }: Abilities,
  closings: Map<string, Promise<Ending>>,
): Promise<void> {
  const never = new AbortController().signal;
  const begun = [
    ...Object.entries(calls ?? {}).map(([what, call]) => [what, () => call()] as const),
    ...Object.entries(waits ?? {}).map(([what, call]) => [what, () => call(LATEST * 10)] as const),
    ...Object.entries(signals ?? {}).map(([what, call]) => [what, () => call(never)] as const),
    ...Object.entries(loops ?? {}).map(([what, call]) => [what, () => call(never)] as const),
  ].map(([what, begin]) => [what, new Begun(begin())] as const);
  await new Promise((resolve) => setTimeout(resolve, WAIT));
  const closing = endingOf(() => store.close(), AT_ONCE);
  closings.set(`${name}: close itself`, closing);
  for (const [what, { promise, isOver }] of begun) {
    // Some have failed before, because their connection was cut while they were running.
    if (!isOver)
      closings.set(
        `${name}: ${what}`,
        endingOf(() => promise, AT_ONCE),
      );
  }
  await Promise.all(closings.values());
}

class Begun {
  readonly promise: Promise<unknown>;
  isOver = false;

  constructor(promise: Promise<unknown>) {
    this.promise = promise;
    const end = (): void => {
      this.isOver = true;
    };
    promise.then(end, end);
  }
}

/** Commands may fail for a moment after the server is back. */
async function eventually(work: () => Promise<unknown>): Promise<void> {
  const giveUpAt = Date.now() + 60_000;
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

for (const kind of OUTAGE_KINDS) for (const outage of kind.outages) duringOutage(kind, outage);

after(stopAllServers);
