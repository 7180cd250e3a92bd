/**
 * What users and encryption cost: GET and SET by the default user, by one that is restricted to some commands and keys, and over
 * TLS, on our server and on redis-server, in alternating rounds. Prints medians of rates and of the servers' processor time, and their
 * ratios to those of the default user without TLS.
 * Options: --rounds=5 --pipelines=1,16 --tls=1 (0 leaves TLS out)
 */
import { Certificates } from '../tests/support/certificates.js';
import { type Server, startRedis, startSorrel, stopAllServers } from '../tests/support/fleet/index.js';
import { freePort } from '../tests/support/fleet/server-process.js';
import { Loader } from './support/load.js';
import {
  median,
  option,
  printTable,
  processorMicros,
  progress,
  runRedisBenchmark,
  textOption,
  thousands,
} from './support/measure.js';

/** Enough for a second or more: processor time is counted in hundredths. */
const REQUESTS: Readonly<Record<number, number>> = { 1: 60_000, 16: 2_000_000 };
const RANGE = 100_000;
const TESTS = ['set', 'get'];
const rounds = option('rounds', 5);
const hasTls = option('tls', 1) === 1;
const pipelines = textOption('pipelines', '1,16').split(',').map(Number);

const certificates = new Certificates();
const own = certificates.issue('server');
const TLS = [
  ...['--tls-cert-file', own.certFile, '--tls-key-file', own.keyFile],
  ...['--tls-ca-cert-file', certificates.authority.certFile, '--tls-auth-clients', 'no'],
];

/** How clients reach the server: who they are, and by which port. */
interface Way {
  readonly name: string;
  readonly isTls?: boolean;
  readonly options: readonly string[];
}

const WAYS: readonly Way[] = [
  { name: 'default user', options: [] },
  { name: 'restricted user', options: ['--user', 'shop', '-a', 'secret'] },
  ...(hasTls
    ? [{ name: 'TLS', isTls: true, options: ['--tls', '--cacert', certificates.authority.certFile] }]
    : []),
];

interface Side {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly tlsPort: number;
}

interface Figures {
  readonly rate: number;
  readonly micros: number;
}

async function start(name: string, starting: (options: readonly string[]) => Promise<Server>): Promise<Side> {
  const tlsPort = await freePort();
  const { port, process } = await starting([...TLS, '--tls-port', String(tlsPort)]);
  const client = await Loader.connect(port);
  await client.ask('ACL', 'SETUSER', 'shop', 'on', '>secret', '~key:*', '+@read', '+@write', '-@dangerous');
  client.close();
  return { name, pid: process.pid as number, port, tlsPort };
}

async function measure(side: Side, way: Way, test: string, pipeline: number): Promise<Figures> {
  const requests = REQUESTS[pipeline] ?? 100_000;
  const before = processorMicros(side.pid);
  const port = way.isTls === true ? side.tlsPort : side.port;
  const { rate } = await runRedisBenchmark({
    port,
    test,
    requests,
    pipeline,
    range: RANGE,
    options: way.options,
  });
  return { rate, micros: (processorMicros(side.pid) - before) / requests };
}

const sides = [await start('sorrel', startSorrel), await start('redis', startRedis)];
for (const pipeline of pipelines) {
  const rows: string[][] = [];
  for (const test of TESTS) {
    const found = new Map<string, Figures[]>();
    // The first round warms up and is not counted.
    for (let round = 0; round <= rounds; round++) {
      for (const way of WAYS) {
        for (const side of sides) {
          progress(`${test}, pipeline ${pipeline}, ${way.name}: round ${round} of ${rounds}`);
          const figures = await measure(side, way, test, pipeline);
          const key = `${side.name} ${way.name}`;
          if (round > 0) found.set(key, [...(found.get(key) ?? []), figures]);
        }
      }
    }
    const of = (side: Side, way: string, part: keyof Figures): number =>
      median((found.get(`${side.name} ${way}`) ?? []).map((figures) => figures[part]));
    for (const { name } of WAYS) {
      rows.push([
        `${test.toUpperCase()}, ${name}`,
        ...sides.flatMap((side) => [
          thousands(of(side, name, 'rate')),
          (of(side, name, 'rate') / of(side, 'default user', 'rate')).toFixed(2),
          of(side, name, 'micros').toFixed(2),
          (of(side, name, 'micros') / of(side, 'default user', 'micros')).toFixed(2),
        ]),
      ]);
    }
  }
  progress('');
  console.log(
    `\nPipeline ${pipeline}: requests a second, processor time of a request in µs, each with its ratio`,
  );
  printTable(['test', ...sides.flatMap(({ name }) => [name, 'ratio', `${name} µs`, 'ratio'])], rows);
}
certificates.remove();
await stopAllServers();
