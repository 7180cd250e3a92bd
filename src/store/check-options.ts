import { ManualClock } from './embedded/manual-clock.js';
import type { EmbeddedOptions, OpenOptions, RemoteOptions } from './options.js';
import { StoreError } from './store-error.js';

type OptionName = keyof EmbeddedOptions | keyof RemoteOptions;

/** Says what is wrong with a value; undefined if nothing is. */
type Check = (value: unknown) => string | undefined;

const text: Check = (value) => (typeof value === 'string' ? undefined : 'a text');
const record: Check = (value) => (typeof value === 'object' && value !== null ? undefined : 'an object');
const whole: Check = (value) =>
  Number.isInteger(value) && (value as number) >= 0 ? undefined : 'a whole number from 0';
const signal: Check = (value) => (value instanceof AbortSignal ? undefined : 'an AbortSignal');
const milliseconds: Check = (value) =>
  typeof value === 'number' && value > 0 ? undefined : 'a number of milliseconds above 0';

const CHECKS: Readonly<Record<OptionName, Check>> = {
  database: whole,
  signal,
  clock: (value) => (value instanceof ManualClock ? undefined : 'a ManualClock'),
  settings: record,
  seed: (value) => (Number.isInteger(value) ? undefined : 'a whole number'),
  scriptTimeout: milliseconds,
  username: text,
  password: text,
  connectTimeout: milliseconds,
  waitForServer: (value) =>
    typeof value === 'number' && value >= 0 ? undefined : 'a number of milliseconds from 0',
  commandTimeout: milliseconds,
  reads: (value) =>
    value === 'master' || value === 'replica' || value === 'any' ? undefined : "'master', 'replica' or 'any'",
  clientName: text,
  ioredis: record,
};

const EMBEDDED: readonly OptionName[] = ['database', 'clock', 'settings', 'seed', 'scriptTimeout', 'signal'];
const SERVER: readonly OptionName[] = [
  'database',
  'username',
  'password',
  'connectTimeout',
  'waitForServer',
  'commandTimeout',
  'clientName',
  'ioredis',
  'signal',
];

/** Which options each kind of address takes. */
const TAKEN: Readonly<Record<string, readonly OptionName[]>> = {
  memory: EMBEDDED,
  file: EMBEDDED,
  standalone: SERVER,
  sentinel: SERVER,
  cluster: [...SERVER.filter((name) => name !== 'database'), 'reads'],
  client: ['connectTimeout', 'waitForServer', 'commandTimeout', 'signal'],
};

/** Throws `OPTION` if an option is misspelt, does not belong to this kind of store, or cannot have its value. */
export function checkOptions(kind: string, options: OpenOptions): void {
  const taken = TAKEN[kind] as readonly string[];
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!taken.includes(name)) {
      const reason = Object.hasOwn(CHECKS, name) ? `not for ${FOR[kind]}` : 'unknown';
      throw new StoreError('OPTION', `option '${name}' is ${reason}: there are ${taken.join(', ')}`);
    }
    const expected = CHECKS[name as OptionName](value);
    if (expected !== undefined) {
      throw new StoreError('OPTION', `option '${name}' must be ${expected}, not ${String(value)}`);
    }
  }
}

const FOR: Readonly<Record<string, string>> = {
  memory: 'memory: stores',
  file: 'file: stores',
  standalone: 'servers',
  sentinel: 'servers behind Sentinel',
  cluster: 'Clusters',
  client: 'clients, which have their own',
};
