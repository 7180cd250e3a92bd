import type { EnginePort } from '../engine-port.js';
import type { LatencyEvent } from '../statistics-port.js';

const DISABLED =
  "I'm sorry, Dave, I can't do that. Latency monitoring is disabled in this Redis instance. You may use " +
  '"CONFIG SET latency-monitor-threshold <milliseconds>." in order to enable it. If we weren\'t in a deep space ' +
  "mission I'd suggest to take a look at https://redis.io/topics/latency-monitor.\n";
const NOTHING =
  'Dave, no latency spike was observed during the lifetime of this Redis instance, not in the slightest bit. I ' +
  'honestly think you ought to sit down calmly, take a stress pill, and think things over.\n';
const GREETING =
  "Dave, I have observed latency spikes in this Redis instance. You don't mind talking about it, do you Dave?\n\n";
const NO_ADVICE =
  "\nWhile there are latency events logged, I'm not able to suggest any easy fix. Please use the Redis community to " +
  'get some help, providing this report in your help request.\n';

/** Advice in the order in which it is given. */
const ADVICE = {
  enableSlowLog: (threshold: number) =>
    '- There are latency issues with potentially slow commands you are using. Try to enable the Slow Log Redis ' +
    `feature using the command 'CONFIG SET slowlog-log-slower-than ${threshold * 1000}'. If the Slow log is disabled ` +
    'Redis is not able to log slow commands execution for you.\n',
  tuneSlowLog: (threshold: number) =>
    '- Your current Slow Log configuration only logs events that are slower than your configured latency monitor ' +
    `threshold. Please use 'CONFIG SET slowlog-log-slower-than ${threshold * 1000}'.\n`,
  readSlowLog: () =>
    '- Check your Slow Log to understand what are the commands you are running which are too slow to execute. Please ' +
    'check https://redis.io/commands/slowlog for more information.\n',
  lowerSystemLoad: () =>
    '- The system is slow to execute Redis code paths not containing system calls. This usually means the system does ' +
    'not provide Redis CPU time to run for long periods. You should try to:\n' +
    '  1) Lower the system load.\n' +
    '  2) Use a computer / VM just for Redis if you are running other software in the same system.\n' +
    '  3) Check if you have a "noisy neighbour" problem.\n' +
    "  4) Check with 'redis-cli --intrinsic-latency 100' what is the intrinsic latency in your system.\n",
  useFasterDisk: () =>
    '- Writing to the append-only file takes long. Keep it on a local disk, best an SSD, and away from other programs ' +
    'that write much.\n',
  syncLessDuringJobs: () =>
    "- A snapshot or rewrite competes for the disk. If losing some seconds of writes is acceptable, 'CONFIG SET " +
    "no-appendfsync-on-rewrite yes' leaves syncing to the system meanwhile.\n",
  relaxSync: () =>
    "- With 'appendfsync always' every write waits for the disk. If losing a second of writes is acceptable, use " +
    "'CONFIG SET appendfsync everysec'.\n",
  raiseHz: () =>
    '- In order to make the Redis keys expiring process more incremental, try to set the ' +
    "'hz' configuration parameter to 100 using 'CONFIG SET hz 100'.\n",
  splitLargeObjects: () =>
    '- Deleting, expiring or evicting (because of maxmemory policy) large objects is a blocking operation. If you have ' +
    'very large objects that are often deleted, expired, or evicted, try to fragment those objects into multiple ' +
    'smaller objects.\n',
  avoidMassEviction: () =>
    "- Sudden changes to the 'maxmemory' setting via 'CONFIG SET', or allocation of large objects via sets or sorted " +
    'sets intersections, STORE option of SORT, Redis Cluster large keys migrations (RESTORE command), may create ' +
    'sudden memory pressure forcing the server to block trying to evict keys. \n',
};

type Advice = keyof typeof ADVICE;

const ADVICE_FOR: Readonly<Record<string, readonly Advice[]>> = {
  command: ['readSlowLog', 'splitLargeObjects'],
  'fast-command': ['lowerSystemLoad'],
  'aof-write-pending-fsync': ['useFasterDisk'],
  'aof-write-active-child': ['useFasterDisk', 'syncLessDuringJobs'],
  'aof-write-alone': ['useFasterDisk'],
  'aof-fsync-always': ['relaxSync'],
  'expire-cycle': ['raiseHz', 'splitLargeObjects'],
  'eviction-del': ['splitLargeObjects'],
  'eviction-cycle': ['avoidMassEviction'],
};

/** LATENCY DOCTOR: reports the spikes seen so far, with advice. */
export function latencyReport(engine: EnginePort): string {
  const { settings, latencyMonitor } = engine;
  const threshold = settings.number('latency-monitor-threshold');
  const events = [...latencyMonitor.events.values()];
  if (events.length === 0) return threshold === 0 ? DISABLED : NOTHING;
  const nowSeconds = Math.floor(engine.keyspace.now / 1000);
  const findings = events.map((event, i) => `${i + 1}. ${finding(event, nowSeconds)}`).join('');
  const advice = adviceFor(engine, events, threshold);
  const chosen = (Object.keys(ADVICE) as Advice[]).filter((each) => advice.has(each));
  if (chosen.length === 0) return GREETING + findings + NO_ADVICE;
  const texts = chosen.map((each) => ADVICE[each](threshold)).join('');
  return `${GREETING}${findings}\nI have a few advices for you:\n\n${texts}`;
}

function finding({ name, samples, longest }: LatencyEvent, nowSeconds: number): string {
  const latencies = samples.map(({ latency }) => latency);
  const mean = (values: readonly number[]): number => {
    return Math.floor(values.reduce((sum, each) => sum + each, 0) / values.length);
  };
  const average = mean(latencies);
  const deviation = mean(latencies.map((each) => Math.abs(each - average)));
  const span = Math.max(1, nowSeconds - (samples[0]?.time ?? nowSeconds));
  const period = (span / samples.length).toFixed(2);
  return (
    `${name}: ${samples.length} latency spikes (average ${average}ms, mean deviation ${deviation}ms, ` +
    `period ${period} sec). Worst all time event ${longest}ms.\n`
  );
}

function adviceFor(
  { settings }: EnginePort,
  events: readonly LatencyEvent[],
  threshold: number,
): Set<Advice> {
  const advice = new Set<Advice>();
  for (const { name } of events) for (const each of ADVICE_FOR[name] ?? []) advice.add(each);
  if (!advice.has('readSlowLog')) return advice;
  const slow = settings.number('slowlog-log-slower-than');
  if (slow < 0 || settings.number('slowlog-max-len') === 0) advice.add('enableSlowLog');
  else if (Math.floor(slow / 1000) > threshold) advice.add('tuneSlowLog');
  return advice;
}
