import type { WireCommand } from './command-runner.js';
import { StoreError } from './store-error.js';
import type { Argument } from './value.js';

/**
 * The command of this name: `GET`, `config get`. Refuses commands that change the state of their connection, even if the second
 * word of the name is the first argument: `CLIENT`, `REPLY`, `OFF`.
 */
export function commandNamed(name: string, args: readonly Argument[] = []): WireCommand {
  const command = known.get(name) ?? remember(name);
  if (command.words.length === 1 && command.words[0] === 'CLIENT') refuseReply(args);
  return command;
}

function refuseReply([subcommand]: readonly Argument[]): void {
  const word = subcommand instanceof Uint8Array ? Buffer.from(subcommand).toString() : subcommand;
  if (typeof word === 'string' && word.toUpperCase() === 'REPLY') commandNamed('CLIENT REPLY');
}

const known = new Map<string, WireCommand>();

/** Usually there are few names. If a program generates them, this bounds the memory. */
const MAX_KNOWN = 2_000;

function remember(name: string): WireCommand {
  if (typeof name !== 'string') throw new StoreError('MISUSE', 'a command needs a name: a string');
  const words = name.trim().toUpperCase().split(/\s+/);
  const [first = ''] = words;
  if (first === '') throw new StoreError('MISUSE', 'a command needs a name');
  const instead = INSTEAD.get(first) ?? INSTEAD.get(words.join(' '));
  if (instead !== undefined) {
    throw new StoreError('MISUSE', `${words.join(' ')} changes the state of its connection: use ${instead}`);
  }
  const command: WireCommand = { words, blocks: blocksOf(first) };
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(name, command);
  return command;
}

function blocksOf(name: string): NonNullable<WireCommand['blocks']> {
  if (BLOCKING.has(name)) return true;
  return MAY_BLOCK.has(name) ? hasBlockOption : false;
}

/** Whether the command blocks in the server with these arguments. */
export function blocks(command: WireCommand, args: readonly Argument[]): boolean {
  return typeof command.blocks === 'function' ? command.blocks(args) : command.blocks === true;
}

/** The timeout, in ms, that a blocking command has in its arguments; `Infinity` for none. */
export function waitingTime({ words }: WireCommand, args: readonly Argument[]): number {
  const name = words[0] as string;
  if (MAY_BLOCK.has(name)) {
    const at = args.findIndex((arg) => typeof arg === 'string' && arg.toUpperCase() === 'BLOCK');
    return orForever(Number(args[at + 1]));
  }
  const seconds = name === 'BLMPOP' || name === 'BZMPOP' ? args[0] : args.at(-1);
  return orForever(Number(seconds) * 1000);
}

/** NaN becomes `Infinity` too: Redis refuses such a timeout at once. */
function orForever(ms: number): number {
  return ms > 0 ? ms : Number.POSITIVE_INFINITY;
}

function hasBlockOption(args: readonly Argument[]): boolean {
  for (const arg of args) {
    const word = typeof arg === 'string' ? arg.toUpperCase() : '';
    if (word === 'BLOCK') return true;
    if (word === 'STREAMS') return false;
  }
  return false;
}

const BLOCKING = new Set([
  'BLPOP',
  'BRPOP',
  'BLMOVE',
  'BRPOPLPUSH',
  'BLMPOP',
  'BZPOPMIN',
  'BZPOPMAX',
  'BZMPOP',
]);

const MAY_BLOCK = new Set(['XREAD', 'XREADGROUP']);

const TRANSACTION = 'transaction()';
const SUBSCRIBE = 'subscribe(), psubscribe() or ssubscribe()';
const INSTEAD = new Map([
  ...['MULTI', 'EXEC', 'DISCARD', 'WATCH', 'UNWATCH'].map((name) => [name, TRANSACTION] as const),
  ...['SUBSCRIBE', 'PSUBSCRIBE', 'SSUBSCRIBE'].map((name) => [name, SUBSCRIBE] as const),
  ...['UNSUBSCRIBE', 'PUNSUBSCRIBE', 'SUNSUBSCRIBE'].map(
    (name) => [name, "the subscription's close()"] as const,
  ),
  ['SELECT', 'the `database` option of open()'],
  ['AUTH', 'the address or options of open()'],
  ['HELLO', 'the address or options of open()'],
  ['QUIT', 'close()'],
  ['RESET', 'close() and open()'],
  ['MONITOR', 'a Redis client of your own'],
  ['SYNC', 'a Redis client of your own'],
  ['PSYNC', 'a Redis client of your own'],
  ['CLIENT REPLY', 'pipeline() to wait less'],
]);
