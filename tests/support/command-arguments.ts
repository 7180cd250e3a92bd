import type { Argument } from '../../src/commands/argument.js';
import type { Command } from '../../src/commands/table.js';

/** A key of each type, named after it: the commands of `argumentsOf` find what they need. */
export const DATA: readonly (readonly string[])[] = [
  ['FLUSHALL'],
  ['SET', 'string', '12'],
  ['RPUSH', 'list', 'a', 'b', 'c'],
  ['SADD', 'set', 'member'],
  ['ZADD', 'sorted-set', '1', 'member'],
  ['HSET', 'hash', 'field', '12'],
  ['XADD', 'stream', '1-1', 'field', 'value'],
  ['XGROUP', 'CREATE', 'stream', 'group', '0'],
  ['GEOADD', 'geo', '13.3', '38.1', 'member'],
  ['PFADD', 'hyperloglog', 'a'],
];

const KEYS: Readonly<Record<string, string>> = { bitmap: 'string', generic: 'string', string: 'string' };

/** The arguments that the command needs, each once, as its documentation describes them. */
export function argumentsOf({ spec }: Command): string[] {
  const { group } = spec.docs;
  return (spec.docs.arguments ?? [])
    .filter(({ optional }) => optional !== true)
    .flatMap((argument) => valuesOf(argument, group));
}

function valuesOf(argument: Argument, group: string): string[] {
  const { name, type, token, parts = [] } = argument;
  const before = token === undefined || type === 'pure-token' ? [] : [token];
  switch (type) {
    case 'pure-token':
      return [token ?? name];
    case 'oneof':
      return [...before, ...valuesOf(parts[0] as Argument, group)];
    case 'block':
      return [
        ...before,
        ...parts.filter(({ optional }) => optional !== true).flatMap((part) => valuesOf(part, group)),
      ];
    case 'key':
      return [...before, /dest/i.test(name) ? 'destination' : (KEYS[group] ?? group)];
    case 'integer':
    case 'double':
      return [...before, NUMBERS[name] ?? '1'];
    case 'unix-time':
      return [...before, '1900000000'];
    case 'pattern':
      return [...before, '*'];
    case 'string':
      return [...before, TEXTS[name] ?? 'member'];
  }
}

const NUMBERS: Readonly<Record<string, string>> = { timeout: '0.01', cursor: '0' };

const TEXTS: Readonly<Record<string, string>> = {
  field: 'field',
  group: 'group',
  script: 'return KEYS[1]',
  id: '1-1',
  min: '-inf',
  max: '+inf',
  timeout: '0.01',
};
