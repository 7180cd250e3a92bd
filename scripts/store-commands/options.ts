/** Optional arguments of a command as fields of an options object. */
import type { Argument } from '../../src/commands/argument.js';
import { optionName, parameterName } from './names.js';

/** Fields of an options object, and the code that sends them. */
export interface OptionPart {
  /** Fields that can be combined with all others: `withScores?: boolean`. */
  readonly fields: readonly string[];
  /** Object types to combine with the fields, for alternatives that exclude each other. */
  readonly alternatives: readonly string[];
  readonly names: readonly string[];
  /** Names of boolean fields. All others have a value. */
  readonly flags: readonly string[];
  /** Statements that add to `args`. */
  readonly code: readonly string[];
}

/** The type of an option, and the statement that sends it. */
interface Field {
  readonly name: string;
  readonly type: string;
  readonly isFlag: boolean;
  readonly code: string;
}

/** Each `oneof` here is a field with a value, not a choice between flags. */
const VALUES = new Set(['order', 'unit', 'index_unit', 'policy', 'mode', 'timeout_error']);

export type Types = Readonly<Record<string, string>>;

export function simpleType(argument: Argument): string {
  switch (argument.type) {
    case 'integer':
    case 'unix-time':
      return 'number | bigint';
    case 'double':
      return argument.name === 'timeout' ? 'number' : 'number | string';
    default:
      return 'Argument';
  }
}

export const isToken = (argument: Argument): boolean => argument.type === 'pure-token';
export const isSimple = (argument: Argument): boolean => argument.parts === undefined && !isToken(argument);

/** `AnyCase<'left' | 'right'>` */
export function wordsType(parts: readonly Argument[]): string {
  return `AnyCase<${parts.map(({ token = '' }) => `'${token.toLowerCase()}'`).join(' | ')}>`;
}

/** The fields for one argument, found at `on` (`options`). */
export function optionPart(argument: Argument, types: Types, on = 'options'): OptionPart {
  const { type, token, parts = [], optional = false } = argument;
  if (token === undefined && type === 'oneof' && !VALUES.has(argument.name)) {
    return choice(
      parts.map((part) => field(part, types, on)),
      optional,
    );
  }
  if (token === undefined && type === 'block') {
    const [first] = parts;
    if (first?.token === undefined || first.optional === true) return sequence(parts, types, on);
    return parts.slice(1).every((part) => part.optional === true)
      ? guarded(parts, types, on)
      : single(field(argument, types, on), optional);
  }
  return single(field(argument, types, on), optional);
}

function single({ name, type, isFlag, code }: Field, optional: boolean): OptionPart {
  const text = optional ? `readonly ${name}?: ${type} | undefined;` : `readonly ${name}: ${type};`;
  return { fields: [text], alternatives: [], names: [name], flags: isFlag ? [name] : [], code: [code] };
}

/** Fields that exclude each other. */
function choice(fields: readonly Field[], optional: boolean): OptionPart {
  const text = fields.map(({ name, type }) => `${name}: ${type}`).join('; ');
  return {
    fields: [],
    alternatives: [`${optional ? 'AtMostOne' : 'ExactlyOne'}<{ ${text} }>`],
    names: fields.map(({ name }) => name),
    flags: fields.filter(({ isFlag }) => isFlag).map(({ name }) => name),
    code: fields.map(({ code }) => code),
  };
}

/** Fields that are only allowed together with the first one: `any` needs `count`. */
function guarded(parts: readonly Argument[], types: Types, on: string): OptionPart {
  const [first, ...rest] = parts.map((part) => optionPart(part, types, on)) as [OptionPart, ...OptionPart[]];
  const [guard = ''] = first.names;
  const all = [first, ...rest];
  const names = all.flatMap((part) => part.names);
  const absent = names.map((name) => `readonly ${name}?: undefined;`).join(' ');
  const present = all.flatMap((part) => part.fields).join(' ');
  return {
    fields: [],
    alternatives: [`({ ${present} } | { ${absent} })`],
    names,
    flags: all.flatMap((part) => part.flags),
    code: [`if (${on}.${guard} !== undefined) { ${statements(all.flatMap((part) => part.code))} }`],
  };
}

/** Fields in order. Required ones need no condition, since the object is optional as a whole. */
function sequence(parts: readonly Argument[], types: Types, on: string): OptionPart {
  const all = parts.map((part) =>
    part.type === 'block' && part.optional === true
      ? guarded(part.parts ?? [], types, on)
      : optionPart(part, types, on),
  );
  return {
    fields: all.flatMap((part) => part.fields),
    alternatives: all.flatMap((part) => part.alternatives),
    names: all.flatMap((part) => part.names),
    flags: all.flatMap((part) => part.flags),
    code: all.flatMap((part) => part.code),
  };
}

/** One field with its value. */
function field(argument: Argument, types: Types, on: string): Field {
  const { type, token, parts = [] } = argument;
  if (type === 'block' && token === undefined) return objectField(argument, types, on);
  const name = token === undefined ? parameterName(argument.name) : optionName(token);
  const at = `${on}.${name}`;
  const word = token === undefined ? [] : [`'${token}'`];
  const send = (...values: string[]): string => `args.push(${[...word, ...values].join(', ')});`;
  const always = argument.optional !== true && token === undefined;
  const when = (code: string): string => (always ? code : `if (${at} !== undefined) ${code}`);
  if (isToken(argument)) return { name, type: 'boolean', isFlag: true, code: `if (${at}) ${send()}` };
  if (type === 'oneof' && parts.every(isToken)) {
    return { name, type: types[name] ?? wordsType(parts), isFlag: false, code: when(send(at)) };
  }
  if (type === 'oneof') return nestedChoice(argument, name, types, on);
  if (type === 'block') return nestedBlock(argument, name, types, on);
  const own = types[name] ?? simpleType(argument);
  if (argument.multiple !== true) {
    return { name, type: own, isFlag: false, code: when(send(at)) };
  }
  const code =
    argument.multipleToken === true
      ? `appendEach(args, '${token}', ${at});`
      : `{ ${word.length > 0 ? send() : ''} append(args, ${at}); }`;
  return { name, type: types[name] ?? `OneOrMore<${own}>`, isFlag: false, code: when(code) };
}

/** A block whose first part has the token: `byRadius: { radius, unit }`. */
function objectField({ parts = [] }: Argument, types: Types, on: string): Field {
  const [first, ...rest] = parts as [Argument, ...Argument[]];
  const { token = '', ...plain } = first;
  const block: Argument = { name: first.name, type: 'block', token, parts: [plain, ...rest] };
  return field(block, types, on);
}

function nestedBlock({ token, parts = [] }: Argument, name: string, types: Types, on: string): Field {
  const at = `${on}.${name}`;
  const inner = sequence(parts, types, at);
  const type = objectType(inner);
  if (parts.every((part) => part.optional === true)) {
    const code = `if (${at}) { args.push('${token}'); if (typeof ${at} === 'object') { ${check(name, at, inner)} ${statements(inner.code)} } }`;
    return { name, type: `boolean | ${type}`, isFlag: true, code };
  }
  return {
    name,
    type,
    isFlag: false,
    code: `if (${at} !== undefined) { ${check(name, at, inner)} ${statements([`args.push('${token}');`, ...inner.code])} }`,
  };
}

function nestedChoice({ token, parts = [] }: Argument, name: string, types: Types, on: string): Field {
  const at = `${on}.${name}`;
  const inner = choice(
    parts.map((part) => field(part, types, at)),
    false,
  );
  return {
    name,
    type: objectType(inner),
    isFlag: false,
    code: `if (${at} !== undefined) { ${check(name, at, inner)} ${statements([`args.push('${token}');`, ...inner.code])} }`,
  };
}

/** Refuses unknown fields of a nested object. */
function check(name: string, at: string, { names }: OptionPart): string {
  const known = `[${names.map((each) => `'${each}'`).join(', ')}]`;
  return `if (isInvalid(${at}, ${known})) return refuse(this, '${name}', ${at}, ${known});`;
}

const PUSH = /^args\.push\((.*)\);$/;

/** Joins statements. Adjacent ones that add to `args` become one. */
export function statements(code: readonly string[]): string {
  const result: string[] = [];
  for (const each of code) {
    const [, values] = PUSH.exec(each) ?? [];
    const [, before] = PUSH.exec(result.at(-1) ?? '') ?? [];
    if (values === undefined || before === undefined) result.push(each);
    else result[result.length - 1] = `args.push(${before}, ${values});`;
  }
  return result.join('\n');
}

/** The intersection of all parts. */
export function objectType(...all: readonly OptionPart[]): string {
  const fields = all.flatMap((part) => part.fields);
  const types = all.flatMap((part) => part.alternatives);
  return [...(fields.length > 0 ? [`{ ${fields.join(' ')} }`] : []), ...types].join(' & ');
}
