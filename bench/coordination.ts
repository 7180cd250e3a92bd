/**
 * Locks, rate limiters and task queues of the kit beside those that people use, in alternating rounds on redis-server and embedded:
 * (1) how often 1, 2, 5 and 10 clients get the same lock in ten seconds, how often they have to try, how even their shares
 * are and how long they wait: the guide's plain lock, ours, redlock with quick retries, redlock by default; (2) tasks
 * added and processed a second, beside a script that does nothing, and bytes for each of 100,000 waiting tasks: ours and BullMQ; (3) units taken from rate limits a second, one call at a time and 50 at once:
 * ours and rate-limiter-flexible. Prints medians and ratios.
 * Options: --rounds=3 --seconds=2 (of a lock's run; figures are for ten) --tasks=10000 --calls=20000 (of a limiter)
 * --locks=1 --queues=1 --memory=1 --limiters=1
 * --cpu=1 (rates for a second of processor time, of this process and, for locks and limiters, of the server: what to compare on a busy machine)
 */
import { LIMITER_CONTENDERS, measureLimiter } from './support/limiter-contenders.js';
import {
  LOCK_CONTENDERS,
  type LockScore,
  OURS,
  QUICK_REDLOCK,
  REDLOCK,
  raceForLock,
} from './support/lock-contenders.js';
import { median, option, printTable, progress, thousands } from './support/measure.js';
import { embeddedPlace, type Place, redisPlace } from './support/place.js';
import {
  measureFloor,
  measureMemory,
  measureQueue,
  QUEUE_CONTENDERS,
  QUEUE_MEASURES,
  type QueueMeasure,
} from './support/queue-contenders.js';

const rounds = option('rounds', 3);
const seconds = option('seconds', 2);
const tasks = option('tasks', 10_000);
const calls = option('calls', 20_000);
/** Tasks whose memory is measured. */
const WAITING = 100_000;
const isCpuTime = option('cpu', 0) === 1;
const CLIENTS = [1, 2, 5, 10];

/** In ms: elapsed time, or the processor time of this process. */
function clock(): number {
  if (!isCpuTime) return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Each part has its own places, so that the data of one part does not slow down another. */
async function inPlaces(work: (places: readonly Place[]) => Promise<void>): Promise<void> {
  const places = [await redisPlace(), await embeddedPlace()];
  try {
    await work(places);
  } finally {
    for (const place of places) await place.stop();
  }
}

/** Acquisitions in ten seconds, by place, contender and number of clients. */
type LockScores = (place: string, contender: string, clients: number) => LockScore;

async function measureLocks(places: readonly Place[]): Promise<LockScores> {
  const medians = new Map<string, LockScore>();
  const keyOf = (...parts: readonly (string | number)[]): string => parts.join(' ');
  for (const place of places) {
    for (const clients of CLIENTS) {
      const found = new Map<string, LockScore[]>();
      for (let round = 1; round <= rounds; round++) {
        for (const contender of LOCK_CONTENDERS) {
          const { name } = contender;
          progress(`locks, ${place.name}, ${clients} clients, ${name}, round ${round} of ${rounds}`);
          const score = await raceForLock(contender, place, clients, seconds * 1_000);
          found.set(name, [...(found.get(name) ?? []), score]);
        }
      }
      for (const [name, scores] of found) {
        const middle = (what: keyof LockScore): number => median(scores.map((score) => score[what]));
        const inTenSeconds = (what: 'tries' | 'acquires'): number =>
          median(scores.map((score) => (score[what] * 10_000) / (isCpuTime ? score.busy : seconds * 1_000)));
        medians.set(keyOf(place.name, name, clients), {
          tries: inTenSeconds('tries'),
          acquires: inTenSeconds('acquires'),
          smallestShare: middle('smallestShare'),
          largestShare: middle('largestShare'),
          p99: middle('p99'),
          busy: middle('busy'),
        });
      }
    }
  }
  progress('');
  return (place, contender, clients) => medians.get(keyOf(place, contender, clients)) as LockScore;
}

async function benchLocks(places: readonly Place[]): Promise<void> {
  const scoreOf = await measureLocks(places);
  const cases = places.flatMap(({ name }) => CLIENTS.map((clients) => ({ place: name, clients })));
  console.log(
    `\nOne lock, held for one INCR: acquires in 10 s${isCpuTime ? ' of processor time' : ''}, of how many tries (measured for ${seconds} s)\n`,
  );
  printTable(
    ['', ...LOCK_CONTENDERS.map(({ name }) => name)],
    cases.map(({ place, clients }) => [
      `${place}, ${clients} clients`,
      ...LOCK_CONTENDERS.map(({ name }) => {
        const { acquires, tries } = scoreOf(place, name, clients);
        return name === OURS || name === REDLOCK
          ? thousands(acquires)
          : `${thousands(acquires)} of ${thousands(tries)}`;
      }),
    ]),
  );
  console.log(
    "\nThe smallest and the largest client's share of the acquires, and the p99 of the wait of the client that fared worst, in ms\n",
  );
  printTable(
    ['', ...LOCK_CONTENDERS.map(({ name }) => name)],
    cases.map(({ place, clients }) => [
      `${place}, ${clients} clients`,
      ...LOCK_CONTENDERS.map(({ name }) => {
        const { smallestShare, largestShare, p99 } = scoreOf(place, name, clients);
        const shares = [smallestShare, largestShare].map((share) => `${share.toFixed(0)}%`);
        return `${shares.join(' to ')}, ${p99.toFixed(2)}`;
      }),
    ]),
  );
  const [server] = places as readonly [Place];
  const ratios = [QUICK_REDLOCK, REDLOCK] as const;
  console.log('\nOurs, as a multiple\n');
  printTable(
    ['', ...ratios.map((name) => `of ${name}`), ...ratios.map((name) => `of ${name}, on ${server.name}`)],
    cases.map(({ place, clients }) => {
      const ours = scoreOf(place, OURS, clients).acquires;
      const times = (where: string, name: string): string =>
        (ours / scoreOf(where, name, clients).acquires).toFixed(2);
      return [
        `${place}, ${clients} clients`,
        ...ratios.map((name) => times(place, name)),
        ...ratios.map((name) => (place === server.name ? '' : times(server.name, name))),
      ];
    }),
  );
}

/** The row below the first: no task that is added alone, by a script, can be added faster. */
const FLOOR = '… a script that does nothing';

async function benchQueues(places: readonly Place[]): Promise<void> {
  const rates = new Map<string, number>();
  const keyOf = (place: Place, name: string, measure: QueueMeasure | typeof FLOOR): string =>
    `${place.name} ${name} ${measure}`;
  for (const place of places) {
    const found = new Map<string, number[]>();
    // The first round is a warm-up.
    for (let round = 0; round <= rounds; round++) {
      for (const contender of QUEUE_CONTENDERS) {
        progress(`queues, ${place.name}, ${contender.name}, round ${round} of ${rounds}`);
        const measured = await measureQueue(contender, place, tasks, clock);
        if (round === 0) continue;
        for (const measure of QUEUE_MEASURES) {
          const key = keyOf(place, contender.name, measure);
          found.set(key, [...(found.get(key) ?? []), measured[measure]]);
        }
      }
      const floor = await measureFloor(place, Math.ceil(tasks / 2), clock);
      const key = keyOf(place, OURS, FLOOR);
      if (round > 0) found.set(key, [...(found.get(key) ?? []), floor]);
    }
    for (const [key, values] of found) rates.set(key, median(values));
  }
  progress('');
  const rate = (place: string, name: string, measure: string): number =>
    rates.get(`${place} ${name} ${measure}`) ?? 0;
  const [alone, ...others] = QUEUE_MEASURES;
  const rows = [alone, FLOOR, ...others].map((measure) => {
    // The floor is compared with what BullMQ does.
    const done = measure === FLOOR ? alone : measure;
    const [ours, own] = ['redis-server', 'embedded'].map((place) => rate(place, OURS, measure)) as [
      number,
      number,
    ];
    const [peer, peerInside] = ['redis-server', 'embedded'].map((place) => rate(place, 'BullMQ', done)) as [
      number,
      number,
    ];
    return [
      measure,
      ...[thousands(ours), thousands(peer), (ours / peer).toFixed(2)],
      ...[thousands(own), thousands(peerInside), (own / peerInside).toFixed(2), (own / peer).toFixed(2)],
    ];
  });
  console.log(isCpuTime ? "\nTasks for a second of this process's time\n" : '\nTasks a second\n');
  printTable(
    [
      '',
      ...['ours, redis-server', 'BullMQ, redis-server', 'ratio'],
      ...['ours, embedded', 'BullMQ, embedded', 'ratio', 'ours embedded : BullMQ redis-server'],
    ],
    rows,
  );
}

async function benchLimiters(places: readonly Place[]): Promise<void> {
  const rates = new Map<string, number[]>();
  const cases = places.flatMap((place) => [1, 50].map((atOnce) => ({ place, atOnce })));
  const keyOf = (name: string, { place, atOnce }: (typeof cases)[number]): string =>
    `${name} ${place.name} ${atOnce}`;
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    for (const one of cases) {
      for (const contender of LIMITER_CONTENDERS) {
        progress(`limiters, ${one.place.name}, ${contender.name}, round ${round} of ${rounds}`);
        const now = isCpuTime ? () => one.place.processorTime() : undefined;
        const rate = await measureLimiter(contender, one.place, { calls, atOnce: one.atOnce }, now);
        const key = keyOf(contender.name, one);
        if (round > 0) rates.set(key, [...(rates.get(key) ?? []), rate]);
      }
    }
  }
  progress('');
  const rateOf = (name: string, one: (typeof cases)[number]): number =>
    median(rates.get(keyOf(name, one)) ?? []);
  const second = isCpuTime ? 'second of processor time' : 'second';
  console.log(
    `\nUnits taken a ${second}, and as a multiple of rate-limiter-flexible (two windows: of its union of two)\n`,
  );
  printTable(
    ['', ...cases.map(({ place, atOnce }) => `${place.name}, ${atOnce} at once`)],
    LIMITER_CONTENDERS.map(({ name, peer }) => [
      name,
      ...cases.map((one) => {
        const rate = rateOf(name, one);
        return `${thousands(rate)} (${(rate / rateOf(peer, one)).toFixed(2)})`;
      }),
    ]),
  );
  console.log(
    '\nrate-limiter-flexible counts a fixed window with three commands in a script, and computes the rest in the program. Ours decides in the\n' +
      'script, so that a refused call takes nothing; GCRA, buckets and logs also read the time there, which takes a server 2 to 3 µs.',
  );
}

/** Bytes per waiting task, small data. */
async function benchMemory(places: readonly Place[]): Promise<void> {
  const rows: string[][] = [];
  for (const place of places) {
    const bytes: number[] = [];
    for (const contender of QUEUE_CONTENDERS) {
      progress(`memory, ${place.name}, ${contender.name}`);
      bytes.push(await measureMemory(contender, place, WAITING));
    }
    const [ours, peer] = bytes as [number, number];
    rows.push([place.name, ours.toFixed(0), peer.toFixed(0), (peer / ours).toFixed(2)]);
  }
  progress('');
  console.log(`\nBytes for each of ${thousands(WAITING)} waiting tasks, by used_memory\n`);
  printTable(['', 'ours', 'BullMQ', 'BullMQ : ours'], rows);
}

if (option('locks', 1) === 1) await inPlaces(benchLocks);
if (option('queues', 1) === 1) await inPlaces(benchQueues);
if (option('memory', 1) === 1) await inPlaces(benchMemory);
if (option('limiters', 1) === 1) await inPlaces(benchLimiters);
