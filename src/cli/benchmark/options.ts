import {
  leadingInteger,
  ParameterReader,
  type ServerOptions,
  ServerOptionsBuilder,
  UsageError,
} from '../shell/server-options.js';
import type { Endpoint } from '../wire/connect.js';

export interface BenchmarkOptions {
  readonly server: ServerOptions;
  /** A second server, whose rounds alternate with those of the first. */
  readonly against: Endpoint | undefined;
  readonly embedded: boolean;
  /** All masters of the cluster that the server belongs to. */
  readonly cluster: boolean;
  readonly clients: number;
  readonly requests: number;
  readonly dataSize: number;
  readonly pipeline: number;
  readonly range: number;
  readonly keepAlive: boolean;
  readonly threads: number;
  readonly rounds: number;
  readonly tests: readonly string[];
  /** The command of the command line; empty: the named tests. */
  readonly command: readonly string[];
  readonly lastArgumentFromInput: boolean;
  readonly protocol: 2 | 3;
  readonly tracks: boolean;
  readonly output: 'full' | 'quiet' | 'csv' | 'json';
  readonly precision: number;
  readonly loops: boolean;
  readonly idles: boolean;
  readonly asks: 'help' | 'version' | undefined;
  readonly warnings: readonly string[];
}

type Choices = { -readonly [Name in Exclude<keyof BenchmarkOptions, 'server'>]: BenchmarkOptions[Name] };

/** Parses the parameters of `sorrel benchmark`, which are latin1. Throws a `UsageError`. */
export function parseBenchmarkOptions(parameters: readonly string[]): BenchmarkOptions {
  const reader = new ParameterReader(parameters);
  const server = new ServerOptionsBuilder();
  const warnings: string[] = [];
  const options: Choices = { ...DEFAULTS, warnings };
  while (!reader.isAtEnd && reader.peek().startsWith('-')) {
    const option = reader.take();
    const value = (): string => {
      if (reader.isAtEnd) throw invalid(option);
      return reader.take();
    };
    if (option === '--dbnum') server.database = leadingInteger(value());
    else if (option === '-h' && reader.isAtEnd) options.asks = 'help';
    else if (TAKERS[option] !== undefined) TAKERS[option](options, value, option, warnings);
    else if (!server.take(option, reader)) throw invalid(option);
  }
  options.command = reader.rest();
  if (options.lastArgumentFromInput && options.command.length === 0)
    throw new UsageError('-x needs a command, whose last argument is read from standard input');
  if (options.embedded && options.against !== undefined)
    throw new UsageError('--embedded measures the engine of this process: --against is for servers');
  const built = server.build();
  if (options.cluster) {
    if (options.embedded || options.against !== undefined)
      throw new UsageError('--cluster measures the nodes of one cluster: without --embedded and --against');
    if (built.database !== 0) throw new UsageError('--cluster: a cluster has only database 0, not --dbnum');
  }
  return { ...options, server: built };
}

function invalid(option: string): UsageError {
  return new UsageError(
    `Invalid option "${option}" or option argument missing. See 'sorrel benchmark --help'.`,
  );
}

const DEFAULTS: Omit<Choices, 'warnings'> = {
  against: undefined,
  embedded: false,
  cluster: false,
  clients: 50,
  requests: 100_000,
  dataSize: 3,
  pipeline: 1,
  range: 0,
  keepAlive: true,
  threads: 0,
  rounds: 5,
  tests: [],
  command: [],
  lastArgumentFromInput: false,
  protocol: 2,
  tracks: false,
  output: 'full',
  precision: 3,
  loops: false,
  idles: false,
  asks: undefined,
};

type Taker = (options: Choices, value: () => string, option: string, warnings: string[]) => void;

const TAKERS: Readonly<Record<string, Taker>> = {
  '-c': (options, value, option) => {
    options.clients = atLeast(1, option, value());
  },
  '-n': (options, value, option) => {
    options.requests = atLeast(1, option, value());
  },
  '-d': (options, value, option) => {
    options.dataSize = Math.min(MAX_DATA, atLeast(1, option, value()));
  },
  '-P': (options, value, option) => {
    options.pipeline = atLeast(1, option, value());
  },
  '-r': (options, value, option) => {
    options.range = atLeast(0, option, value());
  },
  '-k': (options, value) => {
    options.keepAlive = leadingInteger(value()) !== 0;
  },
  '-t': (options, value) => {
    options.tests = value().toLowerCase().split(',').filter(Boolean);
  },
  '-x': (options) => {
    options.lastArgumentFromInput = true;
  },
  '-q': (options) => {
    options.output = 'quiet';
  },
  '--csv': (options) => {
    options.output = 'csv';
  },
  '--json': (options) => {
    options.output = 'json';
  },
  '--precision': (options, value, option) => {
    options.precision = Math.min(6, atLeast(0, option, value()));
  },
  '-l': (options) => {
    options.loops = true;
  },
  '-I': (options) => {
    options.idles = true;
  },
  '-3': (options) => {
    options.protocol = 3;
  },
  '-e': (_, __, ___, warnings) => {
    warnings.push(
      'WARNING: -e option has no effect. We now immediately exit on error to avoid false results.',
    );
  },
  '--threads': (options, value, option) => {
    options.threads = atLeast(1, option, value());
  },
  '--rounds': (options, value, option) => {
    options.rounds = atLeast(1, option, value());
  },
  '--enable-tracking': (options) => {
    options.tracks = true;
  },
  '--embedded': (options) => {
    options.embedded = true;
  },
  '--against': (options, value) => {
    const text = value();
    const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(text) ?? [];
    if (port === '' && !text.startsWith('/'))
      throw new UsageError('--against takes host:port, or the path of a socket');
    options.against =
      port === ''
        ? { host: '', port: 0, path: text }
        : { host: host.replace(/^\[(.*)\]$/, '$1') || '127.0.0.1', port: Number(port) };
  },
  '--cluster': (options) => {
    options.cluster = true;
  },
  '--help': (options) => {
    options.asks = 'help';
  },
  '--version': (options) => {
    options.asks = 'version';
  },
};

function atLeast(min: number, option: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < min)
    throw new UsageError(`${option} takes a whole number from ${min} on, not '${text}'`);
  return number;
}

const MAX_DATA = 1024 ** 3;
