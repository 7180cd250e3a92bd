/**
 * `npm run torture [-- PART… --seed=N --times=N --at-once=N --packets=N]`: the long rounds of the random tests, which `npm test` runs only for a
 * short time. Prints the seed, with which a failure can be repeated, and how long each part took.
 */
import { runNode } from './steps.mjs';

/** For each part, the test files and how many rounds they get. */
const PARTS = {
  oracle: {
    about: 'generated sequences of commands, compared with redis-server',
    files: ['tests/oracle/'],
    environment: (times) => ({ SORREL_RUNS: 10 * times }),
  },
  hostile: {
    about: 'fuzzed commands and broken input',
    files: ['tests/server/fuzz', 'tests/server/errors-after-changes', 'tests/oracle/hostile'],
    environment: (times) => ({ SORREL_RUNS: 10 * times }),
  },
  acl: {
    about: 'random users and commands: the same permissions, errors and log as redis-server',
    files: ['tests/oracle/users/acl-generated'],
    environment: (times) => ({ SORREL_RUNS: 50 * times }),
  },
  crash: {
    about: 'kill -9 under load with an append-only file; nothing that was acknowledged may be lost',
    files: ['tests/durability/aof-crash'],
    environment: (times) => ({ SORREL_CRASH_ROUNDS: 200 * times }),
  },
  simulation: {
    about: 'histories of several servers in virtual time: cut off, crashed, promoted',
    files: [
      'tests/simulation/histories',
      'tests/simulation/sentinel-histories',
      'tests/simulation/cluster-histories',
    ],
    environment: (times) => ({ SORREL_SIMULATION_ROUNDS: 2000 * times }),
  },
  sentinel: {
    about: 'Sentinels of ours and real ones in one group: masters and leaders killed, stopped, slow, cut off',
    files: ['tests/sentinel/failovers', 'tests/sentinel/partitions'],
    environment: (times) => ({ SORREL_SENTINEL_ROUNDS: 60 * times, SORREL_PARTITION_ROUNDS: 60 * times }),
  },
  cluster: {
    about:
      'nodes of ours and redis-servers in one cluster: killed, returned, cut off, slow, slots moved; damaged packets on the bus',
    files: ['tests/cluster/mixed.test', 'tests/cluster/partitions', 'tests/cluster/hostile-bus'],
    environment: (times) => ({
      SORREL_CLUSTER_ROUNDS: 50 * times,
      SORREL_PARTITION_ROUNDS: 50 * times,
      // Two tests, with half of them each.
      SORREL_HOSTILE_PACKETS: Math.ceil(option('packets', 1_000_000 * times) / 2),
    }),
  },
  replication: {
    about: 'ours and real servers in random topologies: cut off, killed, stopped, promoted',
    files: ['tests/replication/topologies', 'tests/replication/sentinel'],
    environment: (times) => ({ SORREL_TOPOLOGY_ROUNDS: 100 * times }),
  },
  kit: {
    about:
      'components in several processes that are killed, stopped and cut off, and random histories of others',
    files: [
      'tests/kit-processes/',
      'src/kit/queue/invariants',
      'src/kit/queue/model',
      'src/kit/sessions/history',
      'src/kit/sharding/reshard',
      'src/kit/sharded-hash/',
      'src/kit/sharded-set/',
      'src/kit/packed-records/',
      'src/kit/unique-visitors/',
      'src/kit/carts/',
      'src/kit/rankings/',
      'src/kit/search/model',
      'src/kit/ads/model',
      'src/kit/jobs/',
      'src/kit/view-analytics/',
      'src/kit/social/history',
    ],
    environment: (times) => ({ SORREL_TORTURE_ROUNDS: 250 * times, SORREL_RUNS: 10 * times }),
  },
};

const parameters = process.argv.slice(2);
if (parameters.includes('--help')) {
  console.log(
    'Usage: npm run torture [-- PART… --seed=N --times=N --at-once=N --packets=N]\n\nParts (default: all):',
  );
  for (const [name, { about }] of Object.entries(PARTS)) console.log(`  ${name.padEnd(12)} ${about}`);
  console.log(
    [
      '\n--seed=N     repeats a run (default: another one each time)',
      '--times=N    as many times as long',
      '--at-once=N  rounds with several servers that run at a time (default: one)',
      '--packets=N  how many damaged packets the part cluster sends (default: a million)',
    ].join('\n'),
  );
  process.exit(0);
}

const misspelt = parameters.find((parameter) => /^--(?!(seed|times|at-once|packets)=)/.test(parameter));
if (misspelt !== undefined) {
  console.error(`There is no option ${misspelt}. See --help.`);
  process.exit(1);
}
const names = parameters.filter((parameter) => !parameter.startsWith('--'));
const unknown = names.find((name) => !(name in PARTS));
if (unknown !== undefined) {
  console.error(`There is no part named ${unknown}. Parts: ${Object.keys(PARTS).join(', ')}.`);
  process.exit(1);
}
const seed = option('seed', Math.floor(Math.random() * 1_000_000));
const times = option('times', 1);
const atOnce = option('at-once', 1);
const seeds = {
  SORREL_ROUNDS_AT_ONCE: atOnce,
  SORREL_SEED: seed,
  SORREL_TORTURE_SEED: seed,
  SORREL_CRASH_SEED: seed,
};
const results = [];
for (const name of names.length > 0 ? names : Object.keys(PARTS)) {
  const { about, files, environment } = PARTS[name];
  console.log(`\n=== ${name}: ${about} (seed ${seed})`);
  const startedAt = performance.now();
  const status = runNode(['scripts/test.mjs', ...files], asText({ ...seeds, ...environment(times) }));
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  results.push({ name, status, line: `${name}: ${status === 0 ? 'passed' : 'FAILED'}, ${minutes} min` });
}
console.log(`\nTorture, seed ${seed}:`);
for (const { line } of results) console.log(`  ${line}`);
process.exit(results.some(({ status }) => status !== 0) ? 1 : 0);

function option(name, fallback) {
  const given = parameters.find((parameter) => parameter.startsWith(`--${name}=`));
  const value = given === undefined ? fallback : Number(given.slice(name.length + 3));
  if (Number.isSafeInteger(value) && value > 0) return value;
  console.error(`--${name} needs a positive integer.`);
  process.exit(1);
}

function asText(environment) {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]));
}
