import { readFileSync } from 'node:fs';
import { splitWords } from '../../bytes/quoting.js';
import {
  MANAGER_DEFAULTS,
  type ManagerChoices,
  type ManagerOptions,
  takeManagerOption,
  wordsBeforeOption,
} from '../cluster-manager/manager-options.js';
import { latin1Of, utf8Of } from '../wire/request.js';
import type { OutputMode } from './format-reply.js';
import {
  leadingInteger,
  leadingNumber,
  ParameterReader,
  type ServerOptions,
  ServerOptionsBuilder,
  UsageError,
  unrecognized,
} from './server-options.js';

/** What the command line asks for, if it is not a command or a session. */
export type Mode =
  | { readonly kind: 'command' }
  | { readonly kind: 'eval'; readonly path: string }
  | { readonly kind: 'pipe' | 'scan' | 'bigkeys' | 'hotkeys' | 'stat' | 'replica' }
  | { readonly kind: 'memkeys'; readonly samples: number | undefined }
  | { readonly kind: 'latency' | 'latency-history' | 'latency-dist' }
  | { readonly kind: 'intrinsic-latency'; readonly seconds: number }
  | { readonly kind: 'lru-test'; readonly keys: number }
  | { readonly kind: 'rdb'; readonly path: string; readonly onlyFunctions: boolean }
  /** The words of the subcommand are the command. */
  | { readonly kind: 'cluster'; readonly name: string }
  | { readonly kind: 'version' | 'help' };

export interface CliOptions {
  readonly server: ServerOptions;
  readonly mode: Mode;
  /** latin1 */
  readonly command: readonly string[];
  /** The file or folder to open instead of a server. */
  readonly file: string | undefined;
  readonly canWrite: boolean;
  readonly protocol: 2 | 3;
  /** The protocol was asked for, so it is an error if the server does not have it. */
  readonly isProtocolRequired: boolean;
  /** Undefined: depends on whether the output is a terminal. */
  readonly output: OutputMode | undefined;
  readonly itemDelimiter: string;
  readonly replyDelimiter: string;
  readonly repeat: number;
  readonly intervalMs: number;
  readonly lastArgumentFromInput: boolean;
  readonly inputTag: string | undefined;
  readonly quotedInput: boolean;
  readonly showPushes: boolean | undefined;
  readonly followsRedirections: boolean;
  readonly exitsOnError: boolean;
  /** `--ldb`, `--ldb-sync-mode`: the script of `--eval` is debugged. */
  readonly debugging: 'no' | 'copy' | 'sync';
  readonly pipeTimeout: number;
  readonly pattern: string | undefined;
  readonly count: number | undefined;
  readonly type: string | undefined;
  readonly isVerbose: boolean;
  readonly asksPassword: boolean;
  /** The options of `--cluster`. */
  readonly manager: ManagerOptions;
  /** To print to standard error before anything is done. */
  readonly warnings: readonly string[];
}

/** What the options other than those of the server set. */
type Choices = { -readonly [Name in Exclude<keyof CliOptions, 'server'>]: CliOptions[Name] };

/** Parses the parameters of `sorrel cli`, which are latin1; throws a `UsageError`. `isDataFile` tells whether a word names a file to open. */
export function parseCliOptions(
  parameters: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  isDataFile: (word: string) => boolean,
): CliOptions {
  const reader = new ParameterReader(parameters);
  const server = new ServerOptionsBuilder();
  const warnings: string[] = [];
  const manager: ManagerChoices = { ...MANAGER_DEFAULTS, isYes: environment['REDISCLI_CLUSTER_YES'] === '1' };
  const options: Choices = { ...DEFAULTS, manager, warnings };
  const words: string[] = [];
  let noWarning = false;
  while (!reader.isAtEnd) {
    const word = reader.peek();
    if (options.file === undefined && !word.startsWith('-') && isDataFile(utf8Of(word))) {
      options.file = utf8Of(reader.take());
      continue;
    }
    if (!word.startsWith('-')) break;
    const option = reader.take();
    if (option === '--') break;
    if (option === '-h' && reader.isAtEnd) options.mode = { kind: 'help' };
    else if (option === '--no-auth-warning') noWarning = true;
    else if (option === '-n') server.database = leadingInteger(reader.value(option));
    else if (option === '--cluster') {
      options.mode = { kind: 'cluster', name: reader.value(option) };
      words.push(...wordsBeforeOption(reader));
    } else if (
      !server.take(option, reader) &&
      !takeManagerOption(option, reader, manager) &&
      !takeOption(option, reader, options, warnings)
    )
      throw unrecognized(option);
  }
  words.push(...reader.rest());
  if (options.canWrite && options.file === undefined)
    throw new UsageError('--write is for files: sorrel cli --write dump.rdb');
  if (options.debugging !== 'no' && options.mode.kind !== 'eval')
    throw new UsageError('Options --ldb and --ldb-sync-mode require --eval.');
  if (options.lastArgumentFromInput && options.inputTag !== undefined)
    throw new UsageError('Options -x and -X are mutually exclusive.');
  server.password ??= latin1Of(environment['REDISCLI_AUTH'] ?? '') || undefined;
  if (server.isPasswordVisible && !noWarning) warnings.unshift(PASSWORD_WARNING);
  options.command = options.quotedInput ? words.map((word) => unquoted(word, INVALID_ARGUMENT)) : words;
  return { ...options, server: server.build() };
}

const PASSWORD_WARNING =
  "Warning: Using a password with '-a' or '-u' option on the command line interface may not be safe.";

const DEFAULTS: Omit<CliOptions, 'server' | 'manager' | 'warnings'> = {
  mode: { kind: 'command' },
  command: [],
  file: undefined,
  canWrite: false,
  protocol: 2,
  isProtocolRequired: false,
  output: undefined,
  itemDelimiter: '\n',
  replyDelimiter: '\n',
  repeat: 1,
  intervalMs: 0,
  lastArgumentFromInput: false,
  inputTag: undefined,
  quotedInput: false,
  showPushes: undefined,
  followsRedirections: false,
  exitsOnError: false,
  debugging: 'no',
  pipeTimeout: 30,
  pattern: undefined,
  count: undefined,
  type: undefined,
  isVerbose: false,
  asksPassword: false,
};

type Taker = (options: Choices, value: () => string, warnings: string[]) => void;

/** Options that only set something. */
const TAKERS: Readonly<Record<string, Taker>> = {
  '-2': (options) => {
    options.protocol = 2;
    options.isProtocolRequired = true;
  },
  '-3': (options) => {
    options.protocol = 3;
    options.isProtocolRequired = true;
  },
  '-r': (options, value) => {
    options.repeat = leadingInteger(value());
  },
  '-i': (options, value) => {
    const seconds = leadingNumber(value());
    if (seconds < 0) throw new UsageError('-i takes seconds: a number that is not negative');
    options.intervalMs = seconds * 1000;
  },
  '-d': (options, value) => {
    options.itemDelimiter = value();
  },
  '-D': (options, value) => {
    options.replyDelimiter = value();
  },
  '-x': (options) => {
    options.lastArgumentFromInput = true;
  },
  '-X': (options, value) => {
    options.inputTag = value();
  },
  '-c': (options) => {
    options.followsRedirections = true;
  },
  '-e': (options) => {
    options.exitsOnError = true;
  },
  '--ldb': (options) => {
    options.debugging = 'copy';
  },
  '--ldb-sync-mode': (options) => {
    options.debugging = 'sync';
  },
  '--raw': (options) => {
    options.output = 'raw';
  },
  '--no-raw': (options) => {
    options.output = 'standard';
  },
  '--csv': (options) => {
    options.output = 'csv';
  },
  '--json': (options) => preferJson(options, 'json'),
  '--quoted-json': (options) => preferJson(options, 'quoted-json'),
  '--quoted-input': (options) => {
    options.quotedInput = true;
  },
  '--show-pushes': (options, value, warnings) => {
    const text = value();
    if (/^[yn]/i.test(text)) options.showPushes = /^y/i.test(text);
    else warnings.push(`Unknown --show-pushes value '${text}' (valid: '[y]es', '[n]o')`);
  },
  '--write': (options) => {
    options.canWrite = true;
  },
  '--askpass': (options) => {
    options.asksPassword = true;
  },
  '--verbose': (options) => {
    options.isVerbose = true;
  },
  '--pipe-timeout': (options, value) => {
    options.pipeTimeout = leadingInteger(value());
  },
  '--pattern': (options, value) => {
    options.pattern = value();
  },
  '--quoted-pattern': (options, value) => {
    options.pattern = unquoted(value(), INVALID_PATTERN);
  },
  '--count': (options, value) => {
    options.count = leadingInteger(value());
    if (options.count <= 0) throw new UsageError('--count takes a number above 0');
  },
  '--type': (options, value) => {
    options.type = value();
  },
};

/** Options that say what to do. */
const MODES: Readonly<Record<string, (value: () => string) => Mode>> = {
  '--eval': (value) => ({ kind: 'eval', path: utf8Of(value()) }),
  '--pipe': () => ({ kind: 'pipe' }),
  '--scan': () => ({ kind: 'scan' }),
  '--bigkeys': () => ({ kind: 'bigkeys' }),
  '--hotkeys': () => ({ kind: 'hotkeys' }),
  '--memkeys': () => ({ kind: 'memkeys', samples: undefined }),
  '--memkeys-samples': (value) => ({ kind: 'memkeys', samples: leadingInteger(value()) }),
  '--stat': () => ({ kind: 'stat' }),
  '--replica': () => ({ kind: 'replica' }),
  '--slave': () => ({ kind: 'replica' }),
  '--latency': () => ({ kind: 'latency' }),
  '--latency-history': () => ({ kind: 'latency-history' }),
  '--latency-dist': () => ({ kind: 'latency-dist' }),
  '--intrinsic-latency': (value) => ({ kind: 'intrinsic-latency', seconds: leadingInteger(value()) }),
  '--lru-test': (value) => ({ kind: 'lru-test', keys: positive('--lru-test', value()) }),
  '--rdb': (value) => ({ kind: 'rdb', path: utf8Of(value()), onlyFunctions: false }),
  '--functions-rdb': (value) => ({ kind: 'rdb', path: utf8Of(value()), onlyFunctions: true }),
  '--version': () => ({ kind: 'version' }),
  '-v': () => ({ kind: 'version' }),
  '--help': () => ({ kind: 'help' }),
};

function takeOption(option: string, reader: ParameterReader, options: Choices, warnings: string[]): boolean {
  const value = (): string => reader.value(option);
  const mode = MODES[option];
  if (mode !== undefined) options.mode = mode(value);
  else if (TAKERS[option] !== undefined) TAKERS[option](options, value, warnings);
  else return false;
  return true;
}

/** JSON has maps, which RESP2 does not; a server without RESP3 is used as it is. */
function preferJson(options: Choices, mode: OutputMode): void {
  options.output = mode;
  if (!options.isProtocolRequired) options.protocol = 3;
}

function positive(option: string, text: string): number {
  const number = leadingInteger(text);
  if (number <= 0) throw new UsageError(`${option} takes a number above 0`);
  return number;
}

/** As redis-cli, on standard output. */
const INVALID_ARGUMENT = new UsageError('Invalid quoted string', { isOutput: true });
const INVALID_PATTERN = new UsageError('Invalid quoted string specified for --quoted-pattern.');

/** A word that may be in quotes, with escapes. */
function unquoted(word: string, error: UsageError): string {
  if (!/^["']/.test(word)) return word;
  const words = splitWords(word);
  if (words?.length !== 1) throw error;
  return words[0] as string;
}

/**
 * The parameters as latin1, one byte per character. Node decodes them as UTF-8, so bytes that are not UTF-8 are lost; Linux
 * still has them.
 */
export function exactParameters(parameters: readonly string[]): readonly string[] {
  if (!parameters.some((word) => word.includes('\ufffd'))) return parameters.map(latin1Of);
  try {
    const words = readFileSync('/proc/self/cmdline').latin1Slice().split('\0').slice(0, -1);
    return words.slice(-parameters.length);
  } catch {
    return parameters.map(latin1Of);
  }
}
