/**
 * Locks and task queues of the kit beside those that people use, in alternating rounds on redis-server and embedded:
 * (1) how often 1, 2, 5 and 10 clients get the same lock in ten seconds, and how often they have to try: the plain lock of
 * the notes, ours, redlock; (2) tasks added and worked off a second: ours and BullMQ. Prints medians and ratios.
 * Options: --rounds=3 --seconds=2 (of a lock's run; figures are for ten) --tasks=10000 --locks=1 --queues=1
 * --cpu=1 (rates of queues for a second of this process's own time: what to compare embedded on a busy machine)
 */
import { LOCK_CONTENDERS, type LockScore, raceForLock } from './support/lock-contenders.js';
import { median, option, printTable, progress, thousands } from './support/measure.js';
import { embeddedPlace, type Place, redisPlace } from './support/place.js';
import {
  measureQueue,
  QUEUE_CONTENDERS,
  QUEUE_MEASURES,
  type QueueMeasure,
} from './support/queue-contenders.js';

const rounds = option('rounds', 3);
const seconds = option('seconds', 2);
const tasks = option('tasks', 10_000);
const isCpuTime = option('cpu', 0) === 1;
const CLIENTS = [1, 2, 5, 10];

/** In ms: of the wall, or what this process has used of its processors. */
function clock(): number {
  if (!isCpuTime) return performance.now();
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Each part has places of its own: what one leaves behind is not the other's burden. */
async function inPlaces(work: (places: readonly Place[]) => Promise<void>): Promise<void> {
  const places = [await redisPlace(), await embeddedPlace()];
  try {
    await work(places);
  } finally {
    for (const place of places) await place.stop();
  }
}

async function benchLocks(places: readonly Place[]): Promise<void> {
  const rows: string[][] = [];
  for (const place of places) {
    for (const clients of CLIENTS) {
      const scores = new Map<string, LockScore[]>(LOCK_CONTENDERS.map(({ name }) => [name, []]));
      for (let round = 1; round <= rounds; round++) {
        for (const contender of LOCK_CONTENDERS) {
          progress(
            `locks, ${place.name}, ${clients} clients, ${contender.name}, round ${round} of ${rounds}`,
          );
          scores.get(contender.name)?.push(await raceForLock(contender, place, clients, seconds * 1_000));
        }
      }
      const inTenSeconds = (name: string, what: keyof LockScore): number =>
        (median((scores.get(name) ?? []).map((score) => score[what])) * 10) / seconds;
      const cells = LOCK_CONTENDERS.flatMap(({ name }) => [
        thousands(inTenSeconds(name, 'tries')),
        thousands(inTenSeconds(name, 'acquires')),
      ]);
      const ratio = inTenSeconds('ours', 'acquires') / inTenSeconds('redlock', 'acquires');
      rows.push([`${place.name}, ${clients} clients`, ...cells, ratio.toFixed(2)]);
    }
  }
  progress('');
  console.log(`\nOne lock, held for one INCR: tries and acquires in 10 s (measured for ${seconds} s)\n`);
  const titles = LOCK_CONTENDERS.flatMap(({ name }) => [`${name}: tries`, 'acquires']);
  printTable(['', ...titles, 'ours : redlock'], rows);
}

async function benchQueues(places: readonly Place[]): Promise<void> {
  const rates = new Map<string, number>();
  const keyOf = (place: Place, name: string, measure: QueueMeasure): string =>
    `${place.name} ${name} ${measure}`;
  for (const place of places) {
    const found = new Map<string, number[]>();
    // The first round warms up, for everybody.
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
    }
    for (const [key, values] of found) rates.set(key, median(values));
  }
  progress('');
  const rate = (place: string, name: string, measure: string): number =>
    rates.get(`${place} ${name} ${measure}`) ?? 0;
  const rows = QUEUE_MEASURES.map((measure) => {
    const [ours, peer] = ['ours', 'BullMQ'].map((name) => rate('redis-server', name, measure)) as [
      number,
      number,
    ];
    const [own, peerInside] = ['ours', 'BullMQ'].map((name) => rate('embedded', name, measure)) as [
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

if (option('locks', 1) === 1) await inPlaces(benchLocks);
if (option('queues', 1) === 1) await inPlaces(benchQueues);
