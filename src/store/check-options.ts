import type { ClientTls } from '../commands/config/tls-options.js';
import { ManualClock } from './embedded/manual-clock.js';
import type { EmbeddedOptions, OpenOptions, RemoteOptions } from './options.js';
import { StoreError } from './store-error.js';

type OptionName = keyof EmbeddedOptions | keyof RemoteOptions;

/** Returns what the value must be; undefined if the value is valid. */
type Check = (value: unknown) => string | undefined;

const text: Check = (value) => (typeof value === 'string' ? undefined : 'a string');
const record: Check = (value) => (typeof value === 'object' && value !== null ? undefined : 'an object');
const whole: Check = (value) =>
  Number.isInteger(value) && (value as number) >= 0 ? undefined : 'a whole number of at least 0';
const signal: Check = (value) => (value instanceof AbortSignal ? undefined : 'an AbortSignal');
const milliseconds: Check = (value) =>
  typeof value === 'number' && value > 0 ? undefined : 'a number of milliseconds above 0';

const pem: Check = (value) =>
  typeof value === 'string' || value instanceof Uint8Array ? undefined : 'a text in PEM format';

const TLS_CHECKS: Readonly<Record<keyof ClientTls, Check>> = {
  ca: pem,
  cert: pem,
  key: pem,
  passphrase: text,
  servername: text,
  rejectUnauthorized: (value) => (typeof value === 'boolean' ? undefined : 'true or false'),
};

/** Returns what a part must be: certificates must not appear in messages. */
function clientTls(value: unknown): string | undefined {
  if (record(value) !== undefined) return 'an object';
  for (const [name, part] of Object.entries(value as object)) {
    if (!Object.hasOwn(TLS_CHECKS, name)) {
      return `an object with ${Object.keys(TLS_CHECKS).join(', ')}: '${name}' is unknown`;
    }
    const expected = part === undefined ? undefined : TLS_CHECKS[name as keyof ClientTls](part);
    if (expected !== undefined) return `an object whose '${name}' is ${expected}`;
  }
  return undefined;
}

const CHECKS: Readonly<Record<OptionName, Check>> = {
  database: whole,
  signal,
  clock: (value) => (value instanceof ManualClock ? undefined : 'a ManualClock'),
  settings: record,
  seed: (value) => (Number.isInteger(value) ? undefined : 'a whole number'),
  scriptTimeout: milliseconds,
  replicaOf: text,
  writes: (value) => (value === 'refuse' || value === 'forward' ? undefined : "'refuse' or 'forward'"),
  maxLag: milliseconds,
  username: text,
  password: text,
  connectTimeout: milliseconds,
  waitForServer: (value) =>
    typeof value === 'number' && value >= 0 ? undefined : 'a number of milliseconds of at least 0',
  commandTimeout: milliseconds,
  reads: (value) =>
    value === 'master' || value === 'replica' || value === 'any' ? undefined : "'master', 'replica' or 'any'",
  clientName: text,
  tls: clientTls,
  ioredis: record,
};

/** Options that have a meaning only with `replicaOf`. */
const OF_REPLICAS: readonly OptionName[] = ['writes', 'maxLag', 'connectTimeout', 'tls'];

const EMBEDDED: readonly OptionName[] = [
  'database',
  'clock',
  'settings',
  'seed',
  'scriptTimeout',
  'signal',
  'replicaOf',
  ...OF_REPLICAS,
];
const SERVER: readonly OptionName[] = [
  'database',
  'username',
  'password',
  'connectTimeout',
  'waitForServer',
  'commandTimeout',
  'clientName',
  'tls',
  'ioredis',
  'signal',
];

/** The options that each kind of address accepts. */
const ACCEPTED: Readonly<Record<string, readonly OptionName[]>> = {
  memory: EMBEDDED,
  file: EMBEDDED,
  standalone: SERVER,
  sentinel: SERVER,
  cluster: [...SERVER.filter((name) => name !== 'database'), 'reads'],
  client: ['connectTimeout', 'waitForServer', 'commandTimeout', 'signal'],
};

/** Throws `OPTION` if there are certificates for an address without TLS. */
export function checkTls(usesTls: boolean, { tls }: Pick<OpenOptions, 'tls'>): void {
  if (tls === undefined || usesTls) return;
  throw new StoreError('OPTION', "option 'tls' needs an address with TLS, such as rediss://host:6379");
}

/** Throws `OPTION` if an option is unknown, is not for this kind of store, or has an invalid value. */
export function checkOptions(kind: string, options: OpenOptions): void {
  const accepted = ACCEPTED[kind] as readonly string[];
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!accepted.includes(name)) {
      const reason = Object.hasOwn(CHECKS, name) ? `not for ${FOR[kind]}` : 'unknown';
      throw new StoreError(
        'OPTION',
        `option '${name}' is ${reason}: available options are ${accepted.join(', ')}`,
      );
    }
    const expected = CHECKS[name as OptionName](value);
    if (expected !== undefined) {
      throw new StoreError('OPTION', `option '${name}' must be ${expected}, not ${String(value)}`);
    }
  }
  if (kind === 'memory' || kind === 'file') checkReplica(options);
}

function checkReplica(options: OpenOptions): void {
  if (options.replicaOf === undefined) {
    const name = OF_REPLICAS.find((each) => options[each] !== undefined);
    if (name !== undefined)
      throw new StoreError('OPTION', `option '${name}' is only for stores with 'replicaOf'`);
  } else if (options.clock !== undefined) {
    throw new StoreError(
      'OPTION',
      "a store with 'replicaOf' cannot have a 'clock' of its own: its master has one",
    );
  }
}

const FOR: Readonly<Record<string, string>> = {
  memory: 'memory: stores',
  file: 'file: stores',
  standalone: 'servers',
  sentinel: 'servers behind Sentinel',
  cluster: 'Clusters',
  client: 'given clients, which have their own',
};
