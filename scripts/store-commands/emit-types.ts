/** Generates the interface of a group of commands, with documentation. */
import type { Command } from '../../src/commands/table.js';
import type { Method, Parameter } from './method.js';
import { camelCase, capitalized } from './names.js';
import { type ReplyName, replyKind } from './replies.js';
import { headed, importsFor } from './source-text.js';

export const interfaceName = (group: string): string => `${capitalized(camelCase(group))}Commands`;

export function emitTypes(group: string, methods: readonly Method[]): string {
  const options = methods.flatMap(({ options }) => (options === undefined ? [] : [optionsText(options)]));
  const members = methods.map(memberText).join('\n\n');
  const body = `${options.join('\n')}

/** Commands of the group ${group}. \`S\` is the shape of replies: text or bytes; promised, synchronous or queued. */
export interface ${interfaceName(group)}<S extends Shape> {
${members}
}
`;
  return headed(importsFor(body, '../'), body);
}

function optionsText({ name, type }: NonNullable<Method['options']>): string {
  return `export type ${name} = ${type};`;
}

function memberText(method: Method): string {
  const [first = '', ...others] = signatures(method);
  const { summary } = method.command.spec.docs;
  const more = others.map((signature) => `/** ${sentence(summary)} */\n${method.name}${signature};`);
  return [`${documentation(method)}\n${method.name}${first};`, ...more].join('\n');
}

function documentation({ command, row }: Method): string {
  const { complexity, deprecatedSince, replacedBy } = command.spec.docs;
  const lines = [sentence(command.spec.docs.summary), '', ` Sends ${commandWords(command)}.`.trim()];
  if (complexity !== undefined) lines[2] += ` ${sentence(complexity)}`;
  if (deprecatedSince !== undefined)
    lines.push('', `@deprecated ${sentence(replacedBy ?? 'there is a newer one')}`);
  const calls = [...row.given.map((call) => `await store.${call};`), exampleLine(row.call, row.result)];
  lines.push('', '@example', ...calls);
  return `/**\n${lines.map((line) => ` * ${line.replaceAll('*/', '*\\/')}`.trimEnd()).join('\n')}\n */`;
}

export function exampleLine(call: string, result: string | undefined): string {
  return result === undefined ? `await store.${call};` : `await store.${call}; // ${result}`;
}

export function commandWords(command: Command): string {
  return command.fullName.replace('|', ' ').toUpperCase();
}

function sentence(text: string): string {
  const line = text.replaceAll('\n', ' ').trim();
  return line.endsWith('.') ? line : `${line}.`;
}

/** All signatures, each as `(parameters): result`. */
export function signatures(method: Method): string[] {
  return forms(method).flatMap((parameters) => casesOf(method, parameters));
}

/** The ways to give the required parameters. */
function forms({ parameters, pieces }: Method): (readonly Parameter[])[] {
  for (const piece of pieces) {
    if (piece.kind === 'pairs' && piece.direct) {
      return [
        spelledOut(
          parameters,
          'Pairs',
          piece.names.map((name) => ({ name, type: 'Argument' })),
        ),
        parameters,
      ];
    }
    if (piece.kind === 'items') return [spelledOut(parameters, 'OneOrMore<{', piece.fields), parameters];
  }
  return [parameters];
}

function spelledOut(parameters: readonly Parameter[], type: string, by: readonly Parameter[]): Parameter[] {
  return parameters.flatMap((parameter) => (parameter.type.startsWith(type) ? by : [parameter]));
}

/** One signature for each type of reply that options and optional parameters select. */
function casesOf(method: Method, parameters: readonly Parameter[]): string[] {
  const { reply, when = [] } = method.row;
  if (when.length === 0) return [signature(method, parameters, [], [], [reply])];
  const result: string[] = [];
  const before: string[] = [];
  for (const [names, given] of when) {
    for (const name of names) result.push(signature(method, parameters, [name], before, [given]));
    before.push(...names);
  }
  result.push(signature(method, parameters, [], before, [reply]));
  result.push(signature(method, parameters, [], [], [reply, ...when.map(([, given]) => given)]));
  return result;
}

function signature(
  { options }: Method,
  all: readonly Parameter[],
  given: readonly string[],
  absent: readonly string[],
  replies: readonly ReplyName[],
): string {
  const end = all.findIndex(({ name }) => absent.includes(name));
  const isCut = end >= 0;
  const parameters = isCut ? all.slice(0, end) : all;
  const last = isCut || absent.includes('options') ? undefined : optionsParameter(options, given, absent);
  const lastGiven =
    last?.optional === false
      ? parameters.length
      : parameters.findIndex(({ name }) => given.includes(name)) + 1;
  const texts = parameters.map((parameter, index) => parameterText(parameter, index < lastGiven));
  if (last !== undefined) texts.push(`options${last.optional ? '?' : ''}: ${last.type}`);
  return `(${texts.join(', ')}): Outcome<S, ${unionOf(replies)}>`;
}

/** The union of the replies. Alternatives that several replies share are named once. */
function unionOf(replies: readonly ReplyName[]): string {
  const alternatives = replies
    .map((name) => replyKind(name).type)
    .flatMap((type) => (SIMPLE_UNION.test(type) ? type.split(' | ') : [type]));
  return [...new Set(alternatives)].join(' | ');
}

const SIMPLE_UNION = /^[\w'[\] |]+$/;

function parameterText({ name, type, optional, rest }: Parameter, isGiven: boolean): string {
  if (rest) return `...${name}: ${type}`;
  return optional && !isGiven ? `${name}?: ${type}` : `${name}: ${type}`;
}

function optionsParameter(
  options: Method['options'],
  given: readonly string[],
  absent: readonly string[],
): { readonly type: string; readonly optional: boolean } | undefined {
  if (options === undefined) return undefined;
  const known = (names: readonly string[]): string =>
    names
      .filter((name) => options.names.includes(name))
      .map((name) => `'${name}'`)
      .join(' | ');
  const [present, missing] = [known(given), known(absent)];
  let type = options.name;
  if (missing !== '') type = `Without<${type}, ${missing}>`;
  if (present !== '') type = `Given<${type}, ${present}>`;
  return { type, optional: !options.required && present === '' && !given.includes('options') };
}
