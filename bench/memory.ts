/**
 * Resident memory per key, ours and redis-server's: growth over the empty, warmed-up server.
 * Options: --count=1000000 --overwrites=20000000.
 */
import { type Server, startRedis, startSorrel } from '../tests/support/fleet/index.js';
import { Loader, type Words } from './support/load.js';
import { option, printTable, progress, residentBytes, thousands } from './support/measure.js';

const count = option('count', 1_000_000);
const overwrites = option('overwrites', 20_000_000);

/** Repeatable pseudo-random integers. */
function scrambled(i: number): number {
  let x = Math.imul(i ^ (i >>> 16), 0x45d9f3b);
  x = Math.imul(x ^ (x >>> 16), 0x45d9f3b);
  return (x ^ (x >>> 16)) >>> 0;
}

const FILLER = 'abcdefghijklmnopqrstuvwxyz0123456789'.repeat(6);

interface DataSet {
  readonly name: string;
  readonly commands: number;
  readonly command: (i: number) => Words;
  /** Counts the elements at the end, which must be `count`. */
  readonly size: Words;
}

const dataSets: readonly DataSet[] = [
  {
    name: `${thousands(count)} short strings`,
    commands: count,
    command: (i) => ['SET', `key:${String(i).padStart(12, '0')}`, `value:${i}`],
    size: ['DBSIZE'],
  },
  {
    name: `${thousands(count)} hashes of 5 fields`,
    commands: count,
    command: (i) => [
      'HSET',
      `user:${i}`,
      'name',
      `name${i}`,
      'age',
      i % 100,
      'city',
      'Oslo',
      'score',
      i,
      'on',
      1,
    ],
    size: ['DBSIZE'],
  },
  {
    name: `${thousands(count)} sets of 10 integers`,
    commands: count,
    command: (i) => [
      'SADD',
      `set:${i}`,
      ...Array.from({ length: 10 }, (_, k) => scrambled(i * 10 + k) % 1_000_000),
    ],
    size: ['DBSIZE'],
  },
  {
    name: `one sorted set of ${thousands(count)}`,
    commands: count,
    command: (i) => ['ZADD', 'ranking', scrambled(i), `member:${i}`],
    size: ['ZCARD', 'ranking'],
  },
  {
    name: `one list of ${thousands(count)}`,
    commands: count,
    command: (i) => ['RPUSH', 'list', `element:${i}`],
    size: ['LLEN', 'list'],
  },
  {
    name: `${thousands(overwrites)} overwrites of 1-200 bytes on ${thousands(count)} keys`,
    commands: count + overwrites,
    command: (i) => {
      const key = i < count ? i : scrambled(i) % count;
      return ['SET', `key:${key}`, FILLER.slice(0, 1 + (scrambled(i + 7) % 200))];
    },
    size: ['DBSIZE'],
  },
];

/** Runs each data set on its own server, so that no set reuses the memory of another. */
async function growth(start: () => Promise<Server>, set: DataSet): Promise<number> {
  const server = await start();
  const pid = server.process.pid as number;
  const client = await Loader.connect(server.port);
  await client.send(100_000, (i) => ['SET', `warm:${i % 1000}`, FILLER.slice(0, i % 200)]);
  await client.ask('FLUSHALL');
  const before = residentBytes(pid);
  await client.send(set.commands, set.command, (done) =>
    progress(`${server.name}: ${set.name}: ${thousands(done)} of ${thousands(set.commands)}`),
  );
  const after = residentBytes(pid);
  const size = await client.ask(...set.size);
  if (size !== `:${count}\r\n`) throw new Error(`${server.name} has ${size.trim()} of ${set.name}`);
  client.close();
  await server.stop();
  return after - before;
}

const rows: string[][] = [];
for (const set of dataSets) {
  const ours = await growth(startSorrel, set);
  const redis = await growth(startRedis, set);
  const each = (bytes: number): string => (bytes / count).toFixed(1);
  rows.push([set.name, each(ours), each(redis), (ours / redis).toFixed(2)]);
}
progress('');
console.log('Resident bytes per key (or member, or element)');
printTable(['data', 'sorrel', 'redis', 'ratio'], rows);
