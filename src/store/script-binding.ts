import { createHash } from 'node:crypto';
import type { ScriptInFull, WireCommand } from './command-runner.js';
import { checkFields } from './commands/options.js';
import type { ScriptDefinition } from './script.js';
import { StoreError } from './store-error.js';
import type { Request } from './transport.js';
import type { Argument } from './value.js';

/** A script that is ready to be sent. */
export interface CompiledScript {
  readonly source: string;
  /** EVALSHA with the digest. */
  readonly byDigest: WireCommand;
  /** The arguments of a call: the number of keys, the keys and the other inputs. */
  parameters(inputs: Readonly<Record<string, unknown>>): Argument[];
  /** The call as EVAL. */
  requestInFull(inputs: Readonly<Record<string, unknown>>): Request;
}

const compiled = new WeakMap<object, CompiledScript>();

/** Declares the names as local variables, all on the script's first line so that line numbers in errors stay right. */
export function compileScript(definition: ScriptDefinition): CompiledScript {
  const known = compiled.get(definition);
  if (known !== undefined) return known;
  checkFields('script', definition, ['keys', 'args', 'lua', 'readOnly', 'repeatable', 'reply']);
  if (typeof definition.lua !== 'string')
    throw new StoreError('OPTION', 'script needs its text in the option `lua`');
  const keys = inputNames(definition.keys ?? []);
  const args = inputNames(definition.args ?? []);
  const names = [...keys, ...args].map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new StoreError('MISUSE', `two inputs of the script have the name '${twice}'`);
  const source = withLocals(definition.lua, `${locals(keys, 'KEYS')}${locals(args, 'ARGV')}`);
  const isRepeatable = definition.repeatable === true;
  const suffix = definition.readOnly === true ? '_RO' : '';
  const inFull: ScriptInFull = { command: { words: [`EVAL${suffix}`], isRepeatable }, source };
  const digest = createHash('sha1').update(source).digest('hex');
  const script: CompiledScript = {
    source,
    byDigest: { words: [`EVALSHA${suffix}`, digest], isRepeatable, inFull },
    parameters(inputs) {
      if (countFields(inputs) !== names.length) checkNames(Object.keys(inputs), names);
      const parameters: Argument[] = [0];
      for (let i = 0; i < keys.length; i++) append(parameters, keys[i] as InputName, inputs, names);
      parameters[0] = parameters.length - 1;
      for (let i = 0; i < args.length; i++) append(parameters, args[i] as InputName, inputs, names);
      return parameters;
    },
    requestInFull: (inputs) => inFullOf(inFull, script.parameters(inputs)),
  };
  compiled.set(definition, script);
  return script;
}

/** The call to send instead if the server does not have the script that the command names; undefined for other errors. */
export function insteadOf(
  command: WireCommand,
  parameters: readonly Argument[],
  error: unknown,
): Request | undefined {
  if (command.inFull === undefined || !(error instanceof StoreError) || error.code !== 'NOSCRIPT')
    return undefined;
  return inFullOf(command.inFull, parameters);
}

function inFullOf({ command, source }: ScriptInFull, parameters: readonly Argument[]): Request {
  return { command, args: [source, ...parameters] };
}

/** Faster than the length of a list of keys. */
function countFields(inputs: object): number {
  let count = 0;
  for (const _ in inputs) count++;
  return count;
}

interface InputName {
  readonly name: string;
  readonly isList: boolean;
}

function inputNames(names: readonly string[]): InputName[] {
  return names.map((text, index) => {
    const isList = text.startsWith('...');
    const name = isList ? text.slice(3) : text;
    if (!/^[A-Za-z_]\w*$/.test(name) || LUA_WORDS.has(name)) {
      throw new StoreError(
        'MISUSE',
        `'${text}' cannot be the name of a script's input: it must be a valid Lua name`,
      );
    }
    if (isList && index < names.length - 1) {
      throw new StoreError('MISUSE', `'${text}' takes all remaining values: it must be the last of its list`);
    }
    return { name, isList };
  });
}

function locals(names: readonly InputName[], table: 'KEYS' | 'ARGV'): string {
  return names
    .map(({ name, isList }, index) => {
      if (!isList) return `local ${name} = ${table}[${index + 1}] `;
      if (index === 0) return `local ${name} = ${table} `;
      return `local ${name} = {} for i = ${index + 1}, #${table} do ${name}[i - ${index}] = ${table}[i] end `;
    })
    .join('');
}

function withLocals(lua: string, head: string): string {
  if (!lua.startsWith('#!')) return head + lua;
  const lineEnd = lua.indexOf('\n') + 1;
  return lineEnd === 0 ? lua : lua.slice(0, lineEnd) + head + lua.slice(lineEnd);
}

function checkNames(given: readonly string[], names: readonly string[]): void {
  for (const name of given) {
    if (!names.includes(name)) throw new StoreError('MISUSE', `the script has no input '${name}'`);
  }
}

function append(
  parameters: Argument[],
  { name, isList }: InputName,
  inputs: Readonly<Record<string, unknown>>,
  names: readonly string[],
): void {
  const value = inputs[name];
  // It may be misspelt.
  if (value === undefined) checkNames(Object.keys(inputs), names);
  if (isList) {
    if (!Array.isArray(value))
      throw new StoreError('MISUSE', `the script's input '${name}' must be an array`);
    for (const item of value) parameters.push(argument(name, item));
  } else {
    parameters.push(argument(name, value));
  }
}

function argument(name: string, value: unknown): Argument {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
      return value;
    default:
      if (value instanceof Uint8Array) return value;
      throw new StoreError(
        'MISUSE',
        `the script's input '${name}' must be a string, number, bigint or Uint8Array, not ${String(value)}`,
      );
  }
}

const LUA_WORDS = new Set(
  (
    'and break do else elseif end false for function if in local nil not or repeat return then true until while ' +
    'KEYS ARGV redis'
  ).split(' '),
);
