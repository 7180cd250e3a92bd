/** Converts the arguments of a command to parameters of a method, and to code that sends them. */
import type { Argument } from '../../src/commands/argument.js';
import type { Command } from '../../src/commands/table.js';
import { capitalized, methodName, parameterName } from './names.js';
import {
  isSimple,
  isToken,
  type OptionPart,
  objectType,
  optionPart,
  simpleType,
  wordsType,
} from './options.js';
import type { MethodRow } from './row.js';

export interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly optional?: boolean;
  readonly rest?: boolean;
  /** The default value. */
  readonly initial?: string;
}

/** A part of what is sent, in this order. */
export type Piece =
  /** Always sent unchanged. */
  | { readonly kind: 'values'; readonly values: readonly string[] }
  /** Statements that add to `args`; `optional` ones do nothing unless an optional parameter is given. */
  | { readonly kind: 'code'; readonly code: string; readonly optional: boolean }
  /** Statements that handle `options`. */
  | { readonly kind: 'options'; readonly code: readonly string[] }
  /** The last parameter: a list, or the values as further arguments (`more`). */
  | { readonly kind: 'rest'; readonly name: string; readonly optional: boolean }
  /** Pairs: an object or, if `direct`, two parameters. */
  | { readonly kind: 'pairs'; readonly names: readonly [string, string]; readonly direct: boolean }
  /** Objects with these fields, or the fields of one object as parameters. */
  | { readonly kind: 'items'; readonly fields: readonly Parameter[] };

export interface OptionsType {
  readonly name: string;
  readonly type: string;
  readonly names: readonly string[];
  readonly flags: readonly string[];
  readonly required: boolean;
}

export interface Method {
  readonly name: string;
  readonly command: Command;
  readonly row: MethodRow;
  /** Without options. */
  readonly parameters: readonly Parameter[];
  readonly options: OptionsType | undefined;
  readonly pieces: readonly Piece[];
}

export function methodOf(command: Command, row: MethodRow): Method {
  return new MethodBuilder(command, row).build();
}

/** Processes the arguments one by one. */
class MethodBuilder {
  readonly #command: Command;
  readonly #row: MethodRow;
  readonly #name: string;
  readonly #required: Parameter[] = [];
  readonly #optional: Parameter[] = [];
  readonly #optionParts: OptionPart[] = [];
  readonly #pieces: Piece[] = [];
  readonly #arguments: readonly Argument[];
  #optionsRequired = false;

  constructor(command: Command, row: MethodRow) {
    this.#command = command;
    this.#row = row;
    this.#name = row.name ?? methodName(command.fullName);
    this.#arguments = (row.arguments ?? command.spec.docs.arguments ?? []).flatMap(flattened);
  }

  build(): Method {
    const list = this.#arguments;
    for (const [index, argument] of list.entries()) {
      const isCounted = list[index - 1]?.name === 'numkeys';
      if (argument.name !== 'numkeys') this.#take(argument, isCounted, index === list.length - 1);
    }
    return {
      name: this.#name,
      command: this.#command,
      row: this.#row,
      parameters: [...this.#required, ...this.#optional],
      options: this.#options(),
      pieces: this.#pieces,
    };
  }

  #options(): OptionsType | undefined {
    if (this.#optionParts.length === 0) return undefined;
    return {
      name: `${capitalized(this.#name)}Options`,
      type: objectType(...this.#optionParts),
      names: this.#optionParts.flatMap((part) => part.names),
      flags: this.#optionParts.flatMap((part) => part.flags),
      required: this.#optionsRequired || this.#row.needsOptions === true,
    };
  }

  #take(argument: Argument, isCounted: boolean, isLast: boolean): void {
    const { type, token, optional = false, multiple = false } = argument;
    if (argument.name === 'streams') this.#takeStreams();
    else if (argument.name === 'trim') this.#takeTrim(optional);
    else if (argument.name === 'operations') this.#takeOperations();
    else if (multiple && type === 'block' && !optional) this.#takeRepeatedBlock(argument);
    else if (multiple && token === undefined) this.#takeList(argument, isCounted, isLast);
    else if (optional) this.#takeOptional(argument);
    else if (type === 'oneof') this.#takeChoice(argument);
    else this.#takeRequired(argument);
  }

  #takeStreams(): void {
    this.#required.push({ name: 'streams', type: 'Pairs' });
    this.#add("args.push('STREAMS'); appendUnzipped(args, streams);");
  }

  #takeTrim(optional: boolean): void {
    const choice = `${optional ? 'AtMostOne' : 'ExactlyOne'}<{ maxLen: number | bigint; minId: Argument }>`;
    const fields = [
      'readonly approximate?: boolean | undefined;',
      'readonly limit?: number | bigint | undefined;',
    ];
    const names = ['maxLen', 'minId', 'approximate', 'limit'];
    this.#addOptions({
      fields,
      alternatives: [choice],
      names,
      flags: ['approximate'],
      code: ['appendTrim(args, options);'],
    });
    if (!optional) this.#optionsRequired = true;
  }

  #takeOperations(): void {
    this.#required.push({ name: 'operations', type: this.#row.types?.['operations'] ?? '' });
    this.#add('appendBitfield(args, operations);');
  }

  #takeRepeatedBlock({ parts = [] }: Argument): void {
    const [first, second] = parts as [Argument, Argument];
    if (parts.length === 2 && first.type !== 'double') {
      const direct = this.#arguments.every(({ optional }) => optional !== true);
      const names = [parameterName(first.name), parameterName(second.name)] as const;
      this.#required.push({ name: names[0] === 'key' ? 'values' : plural(names[0]), type: 'Pairs' });
      this.#pieces.push({ kind: 'pairs', names, direct });
      return;
    }
    const fields = parts.map((part) => ({ name: parameterName(part.name), type: this.#type(part) }));
    const item = fields.map(({ name, type }) => `readonly ${name}: ${type}`).join('; ');
    this.#required.push({ name: 'members', type: `OneOrMore<{ ${item} }>` });
    this.#pieces.push({ kind: 'items', fields });
  }

  #takeList(argument: Argument, isCounted: boolean, isLast: boolean): void {
    const { optional = false } = argument;
    const name = plural(parameterName(argument.name));
    const type = this.#row.types?.[name] ?? `OneOrMore<${this.#type(argument)}>`;
    if (isCounted || (optional && !isLast) || (optional && this.#optional.length > 0)) {
      const parameter = { name, type, ...(optional ? { optional, initial: '[]' } : {}) };
      (optional ? this.#optional : this.#required).push(parameter);
      this.#add(isCounted ? `appendCounted(args, ${name});` : `append(args, ${name});`);
    } else if (isLast) {
      const base = this.#type(argument);
      (optional ? this.#optional : this.#required).push({ name, type: `OneOrMore<${base}>`, optional });
      this.#optional.push({ name: 'more', type: `${base}[]`, rest: true });
      this.#pieces.push({ kind: 'rest', name, optional });
    } else {
      this.#required.push({ name, type });
      this.#add(`append(args, ${name});`);
    }
  }

  #takeOptional(argument: Argument): void {
    const { type, token, parts = [] } = argument;
    const name = parameterName(argument.name);
    const isPositional = this.#row.positional?.includes(argument.name) === true;
    if (isPositional || (isSimple(argument) && token === undefined)) {
      const own = type === 'oneof' ? wordsType(parts) : this.#type(argument);
      this.#optional.push({ name, type: own, optional: true });
      this.#pieces.push({
        kind: 'code',
        code: `if (${name} !== undefined) args.push(${name});`,
        optional: true,
      });
    } else this.#addOptions(optionPart(argument, this.#row.types ?? {}));
  }

  #takeChoice(argument: Argument): void {
    const { parts = [] } = argument;
    if (parts.every(isToken)) this.#value(argument, wordsType(parts));
    else if (parts.some((part) => isSimple(part) && part.token === undefined))
      this.#value(argument, 'Argument');
    else {
      this.#addOptions(optionPart(argument, this.#row.types ?? {}));
      this.#optionsRequired = true;
    }
  }

  #takeRequired(argument: Argument): void {
    if (argument.token !== undefined) this.#pieces.push({ kind: 'values', values: [`'${argument.token}'`] });
    if (argument.parts === undefined) this.#value(argument, this.#type(argument));
    else for (const part of argument.parts) this.#value(part, this.#type(part));
  }

  #value(argument: Argument, type: string): void {
    const name = parameterName(argument.name);
    this.#required.push({ name, type: this.#row.types?.[name] ?? type });
    this.#pieces.push({ kind: 'values', values: [name] });
  }

  #type(argument: Argument): string {
    return this.#row.types?.[parameterName(argument.name)] ?? simpleType(argument);
  }

  #add(code: string): void {
    this.#pieces.push({ kind: 'code', code, optional: false });
  }

  #addOptions(part: OptionPart): void {
    this.#optionParts.push(part);
    const last = this.#pieces.at(-1);
    if (last?.kind === 'options')
      this.#pieces[this.#pieces.length - 1] = { kind: 'options', code: [...last.code, ...part.code] };
    else this.#pieces.push({ kind: 'options', code: part.code });
  }
}

/** Blocks that only group arguments: with one part, or with a count and what it counts. */
function flattened(argument: Argument): Argument[] {
  const { type, parts = [], ...rest } = argument;
  if (type !== 'block' || argument.name === 'streams' || argument.name === 'trim') return [argument];
  const [first, ...others] = parts as [Argument, ...Argument[]];
  if (others.length === 0 && first.optional !== true) return [{ ...rest, ...first, type: first.type }];
  if (argument.name === 'options') return [{ ...first, optional: true }, ...others];
  return [argument];
}

function plural(name: string): string {
  return name.endsWith('s') ? name : `${name}s`;
}
