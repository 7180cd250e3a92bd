import type { RandomSource } from '../../../src/bytes/random.js';
import type { Argument, ArgumentType } from '../../../src/commands/argument.js';
import type { CommandGroup } from '../../../src/commands/row.js';
import type { Command } from '../../../src/commands/table.js';
import { commandTable } from '../../../src/engine/running/command-table.js';
import type { Command as CommandLine } from '../../oracle/support/index.js';

/** Keys of every type, small and large, as targets of hostile commands. */
export const PREPARED: readonly CommandLine[] = [
  'FLUSHALL',
  'MSET int 12345 short text empty "" float 3.14 negative -1 largest 9223372036854775807',
  ['SET', 'raw', 'x'.repeat(200)],
  ['SET', 'binary', Buffer.from([0, 255, 13, 10, 128])],
  'RPUSH list a b c 1 2 3',
  ['RPUSH', 'longlist', ...numbered(600)],
  'SADD intset 1 2 3 100000',
  'SADD set a b c',
  ['SADD', 'longset', ...numbered(600)],
  'HSET hash f v g 10 h 1.5',
  ['HSET', 'longhash', ...numbered(600)],
  'ZADD zset 1 a 2 b 3 c inf d -inf e',
  'ZADD lex 0 a 0 b 0 c 0 d',
  ['ZADD', 'longzset', ...Array.from({ length: 300 }, (_, i) => [String(i), `m${i}`]).flat()],
  'SET expiring v EX 100000',
  'RPUSH list2 x',
  'XADD stream 1-1 f v g w',
  'XADD stream 2-2 f v',
  'XGROUP CREATE stream a 0',
  'XREADGROUP GROUP a b COUNT 1 STREAMS stream >',
  ...Array.from({ length: 150 }, (_, i) => `XADD longstream ${i + 1}-0 f ${i}`),
  'GEOADD geo 13.361389 38.115556 a 15.087269 37.502669 b 2.35 48.85 c',
  'PFADD hll a b c d e f g',
  'PFADD hll2 x y z',
];

const KEYS_BY_GROUP: Readonly<Partial<Record<CommandGroup, readonly string[]>>> = {
  string: ['int', 'short', 'empty', 'float', 'negative', 'largest', 'raw', 'binary', 'expiring', 'none'],
  bitmap: ['int', 'short', 'empty', 'raw', 'binary', 'none'],
  list: ['list', 'longlist', 'list2', 'none'],
  set: ['intset', 'set', 'longset', 'none'],
  hash: ['hash', 'longhash', 'none'],
  'sorted-set': ['zset', 'lex', 'longzset', 'set', 'none'],
  stream: ['stream', 'longstream', 'none'],
  geo: ['geo', 'zset', 'none'],
  hyperloglog: ['hll', 'hll2', 'none'],
};
const KEYS = [...new Set(Object.values(KEYS_BY_GROUP).flat())];

const WORDS: readonly (string | Buffer)[] = [
  '',
  'a',
  'b',
  'f',
  'x',
  '0',
  '1',
  '-1',
  '2',
  '3',
  '10',
  '100',
  '-100',
  '2147483647',
  '2147483648',
  '-2147483648',
  '-2147483649',
  '4294967296',
  '9223372036854775806',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775807',
  '-9223372036854775808',
  '-9223372036854775809',
  '18446744073709551615',
  '18446744073709551616',
  '1e18',
  '1e400',
  '1.5',
  '-0',
  '-0.0',
  '+5',
  ' 5',
  '5 ',
  '007',
  '0x10',
  'nan',
  '-nan',
  'inf',
  '-inf',
  '+inf',
  'infinity',
  '1e-400',
  '0.1',
  '3.0e3',
  '(1',
  '(inf',
  '[a',
  '(b',
  '-',
  '+',
  '(',
  '[',
  '*',
  '?',
  '[^',
  '\\',
  '*a*a*a*a*b',
  '$-1',
  '#1',
  '#-1',
  'u8',
  'i64',
  'u64',
  'i0',
  'a\r\nb',
  Buffer.from([0]),
  Buffer.from([255, 254, 0, 128]),
  'é',
  'y'.repeat(100),
  'z'.repeat(1000),
];

const ORDINARY = [
  'a',
  'b',
  'c',
  'f',
  'g',
  'x',
  '1',
  '10',
  'm1',
  'm2',
  '*',
  'm*',
  '[a',
  '(b',
  '-',
  '+',
  '1.5',
  'u8',
  '',
];
const SMALL_NUMBERS = ['0', '1', '2', '3', '-1', '-2', '5', '10', '-10', '100', '1.5'];

/** Words that are in no command row: old options, and options of other commands. */
const COMMON = 'LIMIT COUNT MATCH NX XX GT LT EX PX GET BY WEIGHTS STORE ASC WITHSCORES'.split(' ');

/** Generates commands of the table with arguments that no normal client sends. */
export class HostileCommands {
  readonly #random: RandomSource;
  readonly #commands: readonly Command[];

  /** `isWanted` gets full names: `config|set`. */
  constructor(random: RandomSource, isWanted: (fullName: string) => boolean) {
    this.#random = random;
    this.#commands = [...commandTable]
      .flatMap((command) => (command.subcommands === undefined ? [command] : [...command.subcommands]))
      .filter(
        ({ fullName }) =>
          isWanted(fullName) && !LEFT_OUT.has(fullName) && !LEFT_OUT.has(fullName.split('|')[0]!),
      );
  }

  next(): Buffer[] {
    const command = this.#pick(this.#commands);
    const words: (string | Buffer)[] = command.fullName.split('|');
    const { arguments: shape = [] } = command.spec.docs;
    if (shape.length > 0 && this.#random.next() < 0.6) {
      for (const argument of shape) this.#addWellFormed(command, argument, words);
    } else {
      const count = this.#argumentCount(command);
      const keywords = [...tokensOf(shape), ...COMMON];
      while (words.length < count) words.push(this.#argument(command, words.length, keywords));
    }
    this.#limitWait(command, words);
    return words.map((word) => (typeof word === 'string' ? Buffer.from(word) : word));
  }

  /** An argument as described by the row, sometimes with an unusual value. */
  #addWellFormed(command: Command, argument: Argument, words: (string | Buffer)[]): void {
    const { type, token, parts = [], optional = false, multiple = false, multipleToken = false } = argument;
    if (optional && this.#random.next() < 0.5) return;
    const times = multiple ? 1 + this.#random.integer(3) : 1;
    for (let time = 0; time < times; time++) {
      if (token !== undefined && token !== '' && (time === 0 || multipleToken))
        words.push(this.#caseOf(token));
      if (type === 'oneof') this.#addWellFormed(command, this.#pick(parts), words);
      else if (type === 'block') for (const part of parts) this.#addWellFormed(command, part, words);
      else if (type !== 'pure-token') words.push(this.#valueOf(command, type));
    }
  }

  #valueOf(command: Command, type: ArgumentType): string | Buffer {
    if (this.#random.next() < 0.1) return this.#argument(command, 0, COMMON);
    if (type === 'key') return this.#key(command);
    if (type === 'string' || type === 'pattern') return this.#pick(ORDINARY);
    const word = this.#pick(this.#random.next() < 0.8 ? SMALL_NUMBERS : WORDS);
    return isTooMuch(command.fullName, word) ? '7' : word;
  }

  /** Usually a key of the command's type. */
  #key({ spec }: Command): string {
    const fitting = KEYS_BY_GROUP[spec.docs.group];
    return this.#pick(fitting !== undefined && this.#random.next() < 0.75 ? fitting : KEYS);
  }

  #argumentCount({ arity, parent }: Command): number {
    const min = Math.abs(arity);
    if (this.#random.next() < 0.1) return (parent === undefined ? 1 : 2) + this.#random.integer(8);
    return arity > 0 ? min : min + this.#random.integer(6);
  }

  #argument(command: Command, index: number, keywords: readonly string[]): string | Buffer {
    const chance = this.#random.next();
    const { firstKey } = command;
    if (firstKey > 0 && index >= firstKey && chance < (index === firstKey ? 0.95 : 0.2))
      return this.#key(command);
    if (chance < 0.5) return this.#caseOf(this.#pick(keywords));
    if (chance < 0.55) return this.#pick(KEYS);
    if (chance < 0.56) return Buffer.alloc(20_000, this.#random.integer(256));
    const word = this.#pick(WORDS);
    return isTooMuch(command.fullName, word) ? '7' : word;
  }

  #caseOf(word: string): string {
    return this.#random.next() < 0.5 ? word : word.toLowerCase();
  }

  /** Blocking commands wait only for a moment. */
  #limitWait({ fullName }: Command, words: (string | Buffer)[]): void {
    const at = TIMEOUT_FIRST.has(fullName) ? 1 : TIMEOUT_LAST.has(fullName) ? words.length - 1 : 0;
    if (at > 0 && at < words.length) words[at] = this.#pick(TIMEOUTS);
    const block = words.findIndex((word) => String(word).toLowerCase() === 'block');
    if (block > 0 && block + 1 < words.length) words[block + 1] = this.#pick(['1', '2', '-1', 'x']);
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#random.integer(from.length)] as T;
  }
}

/** Valid numbers that make either server write or allocate hundreds of megabytes. */
function isTooMuch(name: string, word: string | Buffer): boolean {
  const value = Math.abs(Number(word));
  if (Number.isNaN(value) || value < 1000) return false;
  return REPEATS.has(name) || (OFFSETS.has(name) && value < 2 ** 33);
}

const REPEATS = new Set(['srandmember', 'hrandfield', 'zrandmember', 'lolwut']);
const OFFSETS = new Set(['setbit', 'bitfield', 'setrange']);

const TIMEOUT_LAST = new Set(['blpop', 'brpop', 'brpoplpush', 'blmove', 'bzpopmin', 'bzpopmax', 'wait']);
const TIMEOUT_FIRST = new Set(['blmpop', 'bzmpop']);
const TIMEOUTS = ['0.001', '0.01', '-1', 'x', '', 'nan', 'inf', '1e400', '99999999999999999999', '-0.5'];

/** Commands that end, silence or redirect the connection or the server, block forever, or affect all later commands. */
const LEFT_OUT = new Set([
  ...[
    'shutdown',
    'quit',
    'monitor',
    'subscribe',
    'psubscribe',
    'ssubscribe',
    'unsubscribe',
    'punsubscribe',
    'sunsubscribe',
    'multi',
    'sync',
    'psync',
  ],
  ...['replicaof', 'slaveof', 'replconf', 'failover', 'migrate', 'module', 'cluster', 'acl', 'auth', 'debug'],
  ...['save', 'bgsave', 'bgrewriteaof', 'flushall', 'flushdb', 'swapdb', 'pfdebug', 'restore-asking'],
  ...['client|kill', 'client|pause', 'client|reply', 'client|unblock', 'client|tracking', 'config|set'],
  ...[
    'config|rewrite',
    'config|resetstat',
    'latency|reset',
    'slowlog|reset',
    'memory|purge',
    'hello',
    'reset',
  ],
  ...['function|flush', 'function|kill', 'script|kill', 'script|debug'],
]);

function tokensOf(parts: readonly Argument[]): string[] {
  return parts.flatMap(({ token, parts: inner }) => [
    ...(token === undefined || token === '' ? [] : [token]),
    ...tokensOf(inner ?? []),
  ]);
}

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `m${i}`);
}
