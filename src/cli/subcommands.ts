import { REDIS_VERSION, SORREL_VERSION } from '../commands/version.js';
import { BENCHMARK_HELP } from './benchmark/benchmark-help.js';
import { fitHelp } from './fit-help.js';
import { startMainThread } from './main-thread.js';
import { packageVersion } from './package-version.js';
import { CLI_HELP } from './shell/cli-help.js';

export interface Subcommand {
  readonly name: string;
  /** Other names for the same. */
  readonly aliases?: readonly string[];
  /** One line for the list of subcommands. */
  readonly summary: string;
  /** It treats `--help` and `-h` itself: `-h` may be an option. */
  readonly readsOwnHelp?: boolean;
  /** The text of `sorrel NAME --help`. */
  readonly help: string;
  /** The line of `sorrel NAME --version`, if it has one of its own. */
  readonly version?: string;
  /** Resolves when there is nothing more to start; rejects with an error whose message is for the user. */
  run(parameters: string[]): Promise<void>;
}

/** As redis-server prints it: programs that start a server look for `v=`. */
const SERVER_VERSION = `Redis server v=${REDIS_VERSION} sha=00000000:0 malloc=arenas bits=64 build=sorrel-${SORREL_VERSION}`;

/** Everything `sorrel` can do. Each loads its code when it is called, so that none slows the others' start. */
export const SUBCOMMANDS: readonly Subcommand[] = [
  {
    name: 'server',
    summary: 'serve a Redis 7.0 compatible engine over RESP',
    version: SERVER_VERSION,
    help: `Usage: sorrel server [redis.conf] [--OPTION VALUE …]

Options are those of redis.conf and override the file, as with redis-server:

  sorrel server                               listens on port 6379
  sorrel server --port 7000 --save ''         another port, no snapshots
  sorrel server /etc/redis/redis.conf --appendonly yes`,
    run: async (parameters) => {
      const { runServer } = await import('../server/process/run.js');
      await runServer(parameters);
    },
  },
  {
    name: 'cli',
    summary: 'send commands to a server, or look into a file',
    help: CLI_HELP,
    readsOwnHelp: true,
    run: async (parameters) => {
      const { runCli } = await import('./shell/cli.js');
      process.exitCode = await runCli(parameters, {
        help: fitHelp(CLI_HELP, process.stdout.columns),
        version: `sorrel cli ${packageVersion()}`,
      });
    },
  },
  {
    name: 'console',
    summary: 'serve a page in the browser that shows and edits what is in a store',
    help: `Usage: sorrel console [--port N] [--read-only] [ADDRESS]

Serves a console in the browser: what the servers do, all keys with editors for every type, memory, a command line, clients, settings,
replication. ADDRESS is an address as open() takes it: a server, Sentinels, a Cluster, or the folder of an embedded store that no
other process has open. Without one it is redis://127.0.0.1:6379.

Only browsers on this machine can reach it, and only with the token in the address that it prints.

  --port N             the port; by default any free one
  --read-only          nothing can be changed, neither keys nor settings
  --host ADDRESS       the address to listen on, by default 127.0.0.1; others are reachable from elsewhere, without encryption
  --base-path /PATH    the path under which a proxy serves it
  --allow-host NAME    a name under which a proxy serves it, as in the Host header; may be repeated
  --token TEXT         the token, by default a new one each time
  --title TEXT         the name shown on the page

  sorrel console
  sorrel console --read-only redis://reader:secret@cache.example:6379/2
  sorrel console redis+cluster://a:7000,b:7000`,
    run: async (parameters) => {
      const { runConsole } = await import('./console.js');
      await runConsole(parameters);
    },
  },
  {
    name: 'sentinel',
    summary: 'watch masters and replicas, and replace a master that is down',
    version: SERVER_VERSION,
    help: `Usage: sorrel sentinel sentinel.conf [--OPTION VALUE …]

Runs a Sentinel, as redis-sentinel does: it agrees with other Sentinels, of Sorrel or Redis, that a master is down, makes
a replica the master, and tells clients. The file must be writable: the state is stored in it.

  port 26379
  sentinel monitor mymaster 127.0.0.1 6379 2
  sentinel down-after-milliseconds mymaster 5000

  sorrel sentinel sentinel.conf`,
    run: async (parameters) => {
      const { runSentinel } = await import('../server/process/run-sentinel.js');
      await runSentinel(parameters.filter((parameter) => parameter !== '--sentinel'));
    },
  },
  {
    name: 'benchmark',
    summary: 'measure a server, two servers, or the embedded engine',
    help: BENCHMARK_HELP,
    readsOwnHelp: true,
    run: async (parameters) => {
      const { runBenchmark } = await import('./benchmark/benchmark.js');
      const version = `sorrel benchmark ${packageVersion()}`;
      process.exitCode = await runBenchmark(parameters, {
        help: fitHelp(BENCHMARK_HELP, process.stdout.columns),
        version,
        startThread: startMainThread,
      });
    },
  },
  {
    name: 'check-rdb',
    summary: 'check an RDB file and describe it',
    version: `redis-check-rdb ${REDIS_VERSION}`,
    help: `Usage: sorrel check-rdb FILE

Reads the whole file without loading it. Prints what redis-check-rdb prints: what the file says about itself, where the damage was
found and what it is, the number of keys; then the keys by type and the SHA-256 of the file. The exit code is 1 if it is damaged.

  sorrel check-rdb /var/lib/redis/dump.rdb`,
    run: async (parameters) => {
      const { runCheckRdb } = await import('./check-rdb.js');
      runCheckRdb(parameters);
    },
  },
  {
    name: 'check-aof',
    summary: 'check an append-only file, and cut off what is unsound',
    help: `Usage: sorrel check-aof [--fix | --truncate-to-timestamp SECONDS] FILE

FILE is one file, or the manifest for all of them. Prints what redis-check-aof prints: for each file whether it is valid, up to where, and
what is wrong there; then its contents and SHA-256. The exit code is 1 if a file is not valid. Nothing is changed unless asked for:

  --fix                              cuts off the last file where the damage begins; asks first (echo y answers)
  --truncate-to-timestamp SECONDS    cuts it off where what was done after this Unix time begins

  sorrel check-aof appendonlydir/appendonly.aof.manifest
  echo y | sorrel check-aof --fix appendonlydir/appendonly.aof.manifest`,
    run: async (parameters) => {
      const { runCheckAof } = await import('./check-aof.js');
      runCheckAof(parameters);
    },
  },
  {
    name: 'copy',
    aliases: ['export', 'import'],
    summary: 'copy everything from one address to another, and verify it (also: export, import)',
    help: `Usage: sorrel copy [--replace] [--delete] [--state FILE] FROM TO
       sorrel copy --live [--switch] [--pause MS] [--replace] [--source-address HOST:PORT] FROM TO

Copies all databases with all keys, times to live and functions, then compares every value at both places and copies
again what was changed meanwhile. Ends with exit code 1 if they are not the same in the end; the same command then
compares them once more.

FROM and TO are addresses as open() takes them, or files whose names end in .rdb:

  sorrel copy file:./data redis://localhost:6379       an embedded store moves to a server
  sorrel copy redis://localhost redis+cluster://a,b,c  a server moves to a Cluster (which has only database 0)
  sorrel copy redis://localhost/2 redis://other/5      one database only
  sorrel export redis://localhost backup.rdb           everything into a file that Redis loads
  sorrel import /var/lib/redis/dump.rdb file:./data    and out of one

  --replace     the target may have keys: those of the same name are overwritten
  --delete      keys that only the target has are deleted there: the source had them when they were copied, or never
  --state FILE  where to note how far the copy has come (by default a file in the current folder, removed at the end)

After an interruption or failure, the same command resumes the copy. Nothing is changed at FROM. Servers must be Redis 7.0 or
later, or Valkey.

With --live, FROM and TO are servers, and clients go on writing to FROM: TO becomes its replica, receives all data and follows every change. With
--switch they then exchange their roles. Writes wait for that, usually less than a second; afterwards FROM is a replica of TO and refuses them, so that no
write that was acknowledged is lost. Nothing has to run in between: without --switch the command ends when TO follows, and the same command
with --switch continues.

  --switch                    exchange the roles when TO has everything
  --pause MS                  for how long writes may wait (default 10000); after that, FROM continues as before
  --replace                   TO may have keys: all of them are removed
  --source-address HOST:PORT  how TO reaches FROM, if not by the address that is given`,
    run: async (parameters) => {
      const { runCopy } = await import('./copy/copy.js');
      await runCopy(parameters);
    },
  },
  {
    name: 'lab',
    summary: 'run an experiment: the simple way of the guide, ours, and published figures',
    help: `Usage: sorrel lab [NAME] [ADDRESS] [--PARAMETER VALUES …]

Runs an experiment of the guide: its simple way and ours are measured one after the other and plotted, with published
figures beside them. Without a name, the experiments and their parameters are listed. ADDRESS is an address as open() takes it;
without one, an engine in this process is measured. All keys are removed at the end.

  sorrel lab                                        all experiments
  sorrel lab locks --clients 1,10 --seconds 2       one lock, wanted by 1 and by 10 clients
  sorrel lab market redis://localhost               on a server
  sorrel lab pipelines --latency 0,1,20             how far away is the server?`,
    run: async (parameters) => {
      const { runLabCommand } = await import('./lab.js');
      await runLabCommand(parameters);
    },
  },
  {
    name: 'encodings',
    summary: 'measure what short and long structures cost, in time and memory',
    help: `Usage: sorrel encodings [--types LIST] [--lengths LIST] [--ms N] [--compare] [ADDRESS]

Builds lists, hashes, sets and sorted sets of several lengths, and prints and plots how many calls a second each length
allows and how many bytes each element takes. ADDRESS is an address as open() takes it; without one, an engine in this
process is measured. One key is used ('sorrel:encodings:test'), and removed. Packed hashes and sorted sets of more than 10,000
elements are left out: filling one takes minutes, since each element is searched for from the beginning.

  --types list,hash,set,zset    which structures
  --lengths 1,10,100,1000       how many elements
  --ms 200                      how long each is measured
  --compare                     on a server: compare packed and not packed structures. The settings of the server are
                                changed for each measurement and set back: not for a server that others use

  sorrel encodings                                    packed and not packed, in this process
  sorrel encodings redis://localhost --types hash     as the server is configured`,
    run: async (parameters) => {
      const { runEncodings } = await import('./encodings.js');
      await runEncodings(parameters);
    },
  },
];

export function findSubcommand(name: string): Subcommand | undefined {
  return SUBCOMMANDS.find((subcommand) => subcommand.name === name || subcommand.aliases?.includes(name));
}
