import type { Store } from '../../store/index.js';
import type { LabInfo, LabParameter, LabResult, LabUpdate } from '../types/labs.js';

export type {
  LabChart,
  LabInfo,
  LabParameter,
  LabResult,
  LabSeries,
  LabTable,
  LabUpdate,
} from '../types/labs.js';

/** Where and how an experiment runs. */
export interface LabSetting {
  /** The store under test. Clients of an experiment get duplicates of it. */
  readonly store: Store;
  /** The values of all parameters. */
  readonly values: Readonly<Record<string, readonly number[]>>;
  /** Begins the names of all keys. They are removed at the end. */
  readonly space: string;
  readonly signal: AbortSignal;
}

/** An experiment: the guide's simple way and ours measured in the same run, with published figures beside them. */
export interface Lab extends LabInfo {
  /** Yields after each measurement. The last update has the whole result. */
  run(setting: LabSetting): AsyncGenerator<LabUpdate, void, undefined>;
}

/** Parameters that several labs have. */
export const CLIENTS: LabParameter = {
  ...{ name: 'clients', label: 'Clients', isList: true, isWhole: true, min: 1, max: 100 },
  values: [1, 2, 5, 10],
};
export const SECONDS: LabParameter = {
  ...{ name: 'seconds', label: 'Seconds for each', min: 0.01, max: 60 },
  values: [1],
};

/** The first value of a parameter. */
export function oneValue({ values }: LabSetting, name: string): number {
  const [value] = values[name] ?? [];
  if (value === undefined) throw new Error(`the lab has no parameter '${name}'`);
  return value;
}

export function valuesOf({ values }: LabSetting, name: string): readonly number[] {
  return values[name] ?? [];
}

/** A measurement of a lab. */
export interface Step {
  readonly doing: string;
  run(): Promise<void>;
}

/** Runs measurements one after the other, and yields how far they are before each, and the result at the end. */
export async function* inSteps(
  steps: readonly Step[],
  signal: AbortSignal,
  result: () => LabResult,
): AsyncGenerator<LabUpdate, void, undefined> {
  for (const [at, { doing, run }] of steps.entries()) {
    signal.throwIfAborted();
    yield { share: at / steps.length, doing, result: result() };
    await run();
  }
  yield { share: 1, doing: '', result: result() };
}

/** Values that are filled in as they are measured, by contender and position. */
export class Measured {
  readonly #values = new Map<string, (number | null)[]>();
  readonly #length: number;

  constructor(length: number) {
    this.#length = length;
  }

  set(contender: string, position: number, value: number): void {
    this.of(contender)[position] = value;
  }

  of(contender: string): (number | null)[] {
    const known = this.#values.get(contender) ?? new Array<number | null>(this.#length).fill(null);
    this.#values.set(contender, known);
    return known;
  }
}

/** Published figures, at the positions that have one. */
export function publishedAt(
  figures: Readonly<Record<number, number>>,
  positions: readonly number[],
): (number | null)[] {
  return positions.map((position) => figures[position] ?? null);
}

/** Lets other work of the process run: embedded calls do not leave time for it by themselves. */
export const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

export const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** Removes the keys of an experiment. */
export async function removeSpace(store: Store, space: string): Promise<void> {
  let keys: string[] = [];
  for await (const key of store.scan({ match: `*${space}*`, count: 1_000 })) {
    keys.push(key);
    if (keys.length < 500) continue;
    await unlinkAll(store, keys);
    keys = [];
  }
  await unlinkAll(store, keys);
}

/** One by one: in a Cluster they are in different slots. */
async function unlinkAll(store: Store, keys: readonly string[]): Promise<void> {
  await store.pipeline((queue) => keys.map((key) => queue.send('UNLINK', key)));
}

/** Time before a race that is not counted: code is compiled in it. */
const WARM_UP_S = 0.5;

/** A race: all clients repeat their step until the time is over. Returns how many steps were done in `perSeconds` seconds. */
export async function race(
  clients: readonly ((round: number) => Promise<void>)[],
  seconds: number,
  perSeconds: number,
  signal: AbortSignal,
): Promise<number> {
  await lap(clients, Math.min(seconds, WARM_UP_S), signal);
  return (await lap(clients, seconds, signal)) * perSeconds;
}

/** Returns the steps of all clients in a second. Each client does at least one, however short the time is. */
async function lap(
  clients: readonly ((round: number) => Promise<void>)[],
  seconds: number,
  signal: AbortSignal,
): Promise<number> {
  const start = performance.now();
  const end = start + seconds * 1_000;
  let steps = 0;
  await Promise.all(
    clients.map(async (step) => {
      for (let round = 0; (round === 0 || performance.now() < end) && !signal.aborted; round++) {
        await step(round);
        steps++;
        if (round % 20 === 0) await turn();
      }
    }),
  );
  return (steps * 1_000) / (performance.now() - start);
}

/** Opens a client each, and closes them afterwards. */
export async function withClients<T>(
  store: Store,
  count: number,
  work: (clients: readonly Store[]) => Promise<T>,
): Promise<T> {
  const clients = await Promise.all(Array.from({ length: count }, () => store.duplicate()));
  try {
    return await work(clients);
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}
