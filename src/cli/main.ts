import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { isMainThread, workerData } from 'node:worker_threads';
import { systemReason } from '../persistence/system-error.js';
import type { LoadThreadData } from './benchmark/load-threads.js';
import { fitHelp } from './fit-help.js';
import { packageVersion } from './package-version.js';
import { findSubcommand, SUBCOMMANDS } from './subcommands.js';
import { Usage } from './usage.js';

/** A link to this program with such a name does what Redis's program of that name does. */
const REDIS_TOOL = /^redis-(server|sentinel|cli|benchmark|check-rdb|check-aof)$/;

/** Calls whose failure is about a file that the user named. */
const FILE_CALLS: ReadonlySet<string> = new Set(['open', 'read', 'stat', 'scandir']);

if (isMainThread) process.exitCode = await main(process.argv.slice(2));
else await runThread(workerData as LoadThreadData);

/** A thread of `sorrel benchmark --threads`. */
async function runThread({ benchmarkPlan }: LoadThreadData): Promise<void> {
  const { runLoadThread } = await import('./benchmark/load-thread.js');
  await runLoadThread(benchmarkPlan);
}

/** Runs what the command line asks for; the result is the exit code. A server keeps the process alive beyond it. */
async function main(parameters: readonly string[]): Promise<number> {
  const [name, ...rest] = withSubcommand(parameters);
  if (name === undefined) {
    console.error(fitHelp(usage(), process.stderr.columns));
    return 1;
  }
  if (name === '--help' || name === '-h' || name === 'help')
    return print(fitHelp(usage(), process.stdout.columns));
  if (name === '--version' || name === '-v') return print(`sorrel ${packageVersion()}`);
  const subcommand = findSubcommand(name);
  if (subcommand === undefined) {
    console.error(`sorrel: there is no subcommand '${name}'. See 'sorrel --help'.`);
    return 1;
  }
  const asksHelp = rest[0] === '--help' || rest[0] === '-h';
  if (asksHelp && subcommand.readsOwnHelp !== true)
    return print(fitHelp(subcommand.help, process.stdout.columns));
  if (subcommand.version !== undefined && (rest[0] === '--version' || rest[0] === '-v'))
    return print(subcommand.version);
  try {
    await subcommand.run(rest);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    console.error(error instanceof Usage ? error.message : `sorrel ${name}: ${messageOf(error, name)}`);
    return 1;
  }
}

function messageOf(error: unknown, name: string): string {
  if (!(error instanceof Error)) return String(error);
  const { path, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== undefined && FILE_CALLS.has(syscall)) {
    return path === undefined ? systemReason(error) : `${path}: ${systemReason(error)}`;
  }
  const isMisspelt = (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS') === true;
  // Node also explains how to pass a name that begins with a hyphen.
  return isMisspelt ? `${error.message.split('. ')[0]}. See 'sorrel ${name} --help'.` : error.message;
}

/** Adds the subcommand where only the program's name or the parameters tell which it is. */
function withSubcommand(parameters: readonly string[]): readonly string[] {
  const tool = REDIS_TOOL.exec(basename(process.argv[1] ?? ''))?.[1];
  if (tool !== undefined) return [tool, ...parameters];
  return isForServer(parameters) ? ['server', ...parameters] : parameters;
}

/** Parameters as those of redis-server (a configuration file, or options only) start the server. */
function isForServer([first]: readonly string[]): boolean {
  if (
    first === undefined ||
    first === '--help' ||
    first === '--version' ||
    findSubcommand(first) !== undefined
  )
    return false;
  return first.startsWith('--') || existsSync(first);
}

function print(text: string): number {
  console.log(text);
  return 0;
}

function usage(): string {
  const width = Math.max(...SUBCOMMANDS.map(({ name }) => name.length));
  return [
    'Usage: sorrel SUBCOMMAND [options]',
    '',
    ...SUBCOMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'Without a subcommand, parameters of redis-server start the server.',
    "'sorrel SUBCOMMAND --help' describes one; 'sorrel --version' prints the version.",
  ].join('\n');
}
