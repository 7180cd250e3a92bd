/** Generates the code of a group of commands: it builds the arguments and converts the reply. */
import { interfaceName } from './emit-types.js';
import type { Method, Parameter, Piece } from './method.js';
import { camelCase } from './names.js';
import { statements } from './options.js';
import { type ReplyModule, type ReplyName, replyKind } from './replies.js';
import { headed, importsFor, mentions, transformsOf } from './source-text.js';

export const methodsName = (group: string): string => `${camelCase(group)}Methods`;

const FUNCTIONS = [
  'append',
  'appendBitfield',
  'appendCounted',
  'appendEach',
  'appendPairs',
  'appendTrim',
  'appendUnzipped',
  'hasBlockOption',
  'isArgument',
  'isList',
  'isInvalid',
  'refuse',
];

export function emitMethods(group: string, methods: readonly Method[]): string {
  const constants = methods.map(constantsText).join('\n');
  const body = `${constants}

export const ${methodsName(group)} = {
${methods.map(methodText).join('\n\n')}
} satisfies Methods<${interfaceName(group)}<Shape>>;
`;
  return headed(importsText(group, methods, body), body);
}

function importsText(group: string, methods: readonly Method[], body: string): string {
  const types = methods.flatMap(({ options }) => (options === undefined ? [] : [options.name]));
  const functions = FUNCTIONS.filter((name) => mentions(body, name));
  const modules: ReplyModule[] = ['replies', 'server-replies', 'stream-replies'];
  const transforms = modules.map((module) => {
    const used = transformsOf(module).filter((name) => mentions(body, name));
    return used.length === 0 ? '' : `import { ${used.join(', ')} } from '../${module}.js';\n`;
  });
  return `import type { WireCommand } from '../../command-runner.js';
${functions.length === 0 ? '' : `import { ${functions.join(', ')} } from '../options.js';\n`}import type { Methods, Runner } from '../options.js';
import type { ${[interfaceName(group), ...types].join(', ')} } from '../types/${group}.js';
${transforms.join('')}${importsFor(body, '../')}`;
}

/** `config|get` is `CONFIG_GET`. */
function constantName({ command }: Method): string {
  return command.fullName.replaceAll(/[^a-z0-9]/g, '_').toUpperCase();
}

function constantsText(method: Method): string {
  const { command, row, options } = method;
  const words = command.fullName.split('|').map((word) => `'${word.toUpperCase()}'`);
  const blocks = row.blocks === true ? 'true' : row.blocks === undefined ? 'false' : 'hasBlockOption';
  const constant = `const ${constantName(method)}: WireCommand = { words: [${words.join(', ')}], blocks: ${blocks} };`;
  if (options === undefined) return constant;
  return `${constant}\nconst ${optionsConstant(method)} = [${options.names.map((name) => `'${name}'`).join(', ')}];`;
}

const optionsConstant = (method: Method): string => `${constantName(method)}_OPTIONS`;

function methodText(method: Method): string {
  const items = method.pieces.find((piece) => piece.kind === 'items');
  if (items !== undefined) return itemsText(method, items.fields);
  const pairs = method.pieces.find((piece) => piece.kind === 'pairs');
  if (pairs?.direct) return pairsText(method, pairs.names);
  const { options } = method;
  const parameters = method.parameters.map(parameterText);
  if (options !== undefined) parameters.push(`options${options.required ? '' : '?'}: ${options.name}`);
  return functionText(method, parameters, [...shortcut(method), ...longWay(method)]);
}

function functionText({ name }: Method, parameters: readonly string[], lines: readonly string[]): string {
  return `${name}(${['this: Runner', ...parameters].join(', ')}): unknown {\n${lines.join('\n')}\n},`;
}

function parameterText({ name, type, optional, rest, initial }: Parameter): string {
  if (rest) return `...${name}: ${type}`;
  if (initial !== undefined) return `${name}: ${type} = ${initial}`;
  return optional ? `${name}?: ${type}` : `${name}: ${type}`;
}

const transformOf = (reply: ReplyName): string => replyKind(reply).transform ?? 'undefined';

/** `return this.run(GET, [key]);` */
function runText(method: Method, args: string, transform: string): string {
  const list =
    transform === 'undefined' ? [constantName(method), args] : [constantName(method), args, transform];
  return `return this.run(${list.join(', ')});`;
}

/** The call without optional arguments, which is the most frequent one. It creates only the list that is sent. */
function shortcut(method: Method): string[] {
  const { pieces, options, parameters, row } = method;
  const rest = pieces.find((piece) => piece.kind === 'rest');
  const isShort = pieces.every(
    (piece) => piece.kind === 'values' || isOptional(piece, options) || piece === rest,
  );
  const values = pieces.flatMap((piece) => (piece.kind === 'values' ? piece.values : []));
  if (!isShort || pieces.length === 0 || pieces.every((piece) => piece.kind === 'values')) return [];
  const conditions = parameters.filter(({ optional }) => optional).map(({ name }) => `${name} === undefined`);
  if (options !== undefined) conditions.push('options === undefined');
  if (rest?.optional === false) {
    conditions.push('more.length === 0', `!isList(${rest.name})`);
    values.push(rest.name);
  }
  return [
    `if (${conditions.join(' && ')}) ${runText(method, `[${values.join(', ')}]`, transformOf(row.reply))}`,
  ];
}

function isOptional(piece: Piece, options: Method['options']): boolean {
  if (piece.kind === 'options') return options?.required === false;
  return (piece.kind === 'code' || piece.kind === 'rest') && piece.optional;
}

/** The general call. */
function longWay(method: Method): string[] {
  const { pieces } = method;
  if (pieces.every((piece) => piece.kind === 'values')) {
    const values = pieces.flatMap((piece) => (piece.kind === 'values' ? piece.values : []));
    return [runText(method, `[${values.join(', ')}]`, transformOf(method.row.reply))];
  }
  const [optional, ...others] = method.parameters.filter((parameter) => parameter.optional);
  if (optional !== undefined && others.length === 0 && isOnlyAddition(method)) {
    const values = pieces.flatMap((piece) => (piece.kind === 'values' ? piece.values : []));
    const [[, reply] = [[], method.row.reply]] = method.row.when ?? [];
    return [runText(method, `[${[...values, optional.name].join(', ')}]`, transformOf(reply))];
  }
  const lines: string[] = [];
  const narrowed = optionsNarrowed(method);
  if (method.options !== undefined) lines.push(checkText(method, narrowed));
  let start = pieces.findIndex((piece) => piece.kind !== 'values');
  if (start < 0) start = pieces.length;
  const first = pieces.slice(0, start).flatMap((piece) => (piece.kind === 'values' ? piece.values : []));
  lines.push(`const args: Argument[] = [${first.join(', ')}];`);
  for (const piece of pieces.slice(start)) lines.push(pieceText(piece, narrowed));
  lines.push(runText(method, 'args', transformText(method, narrowed)));
  return lines;
}

/** Whether there are only values and one optional parameter at the end. */
function isOnlyAddition({ pieces, options }: Method): boolean {
  const [last, ...before] = [...pieces].reverse();
  return (
    options === undefined &&
    last?.kind === 'code' &&
    last.optional &&
    before.every(({ kind }) => kind === 'values')
  );
}

/** Whether `options` is known to be defined after the shortcut. */
function optionsNarrowed({ options, parameters, pieces }: Method): boolean {
  if (options === undefined || options.required) return true;
  const hasShortcut = pieces.every((piece) => piece.kind === 'values' || isOptional(piece, options));
  return hasShortcut && parameters.every(({ optional }) => optional !== true);
}

function checkText(method: Method, narrowed: boolean): string {
  const known = optionsConstant(method);
  const guard = narrowed ? '' : 'options !== undefined && ';
  return `if (${guard}isInvalid(options, ${known})) return refuse(this, '${method.name}', options, ${known});`;
}

function pieceText(piece: Piece, narrowed: boolean): string {
  switch (piece.kind) {
    case 'values':
      return `args.push(${piece.values.join(', ')});`;
    case 'code':
      return piece.code;
    case 'options': {
      const code = statements(piece.code);
      return narrowed ? code : `if (options !== undefined) { ${code} }`;
    }
    case 'rest':
      return piece.optional
        ? `if (${piece.name} !== undefined) append(args, ${piece.name}, more);`
        : `append(args, ${piece.name}, more);`;
    case 'pairs':
      return `appendPairs(args, ${piece.names[0]}s);`;
    case 'items':
      return '';
  }
}

/** The function that converts the reply, chosen by the given options. */
function transformText({ row, options, parameters }: Method, narrowed: boolean): string {
  const on = narrowed ? 'options.' : 'options?.';
  let text = transformOf(row.reply);
  for (const [names, reply] of [...(row.when ?? [])].reverse()) {
    const transform = transformOf(reply);
    if (transform === text) continue;
    const conditions = names.map((name) => {
      if (name === 'options' || parameters.some((parameter) => parameter.name === name))
        return `${name} !== undefined`;
      return options?.flags.includes(name) ? `${on}${name}` : `${on}${name} !== undefined`;
    });
    text = `${conditions.join(' || ')} ? ${transform} : ${text}`;
  }
  return text;
}

/** One pair as two parameters, or all pairs in one. */
function pairsText(method: Method, [name, value]: readonly [string, string]): string {
  const { parameters, pieces, row } = method;
  const first = parameters.slice(0, -1);
  const values = pieces.flatMap((piece) => (piece.kind === 'values' ? piece.values : []));
  const transform = transformOf(row.reply);
  return functionText(
    method,
    [...first.map(parameterText), `${name}: Argument | Pairs`, `${value}?: Argument`],
    [
      `if (${value} !== undefined) ${runText(method, `[${[...values, `${name} as Argument`, value].join(', ')}]`, transform)}`,
      `const args: Argument[] = [${values.join(', ')}];`,
      `appendPairs(args, ${name} as Pairs);`,
      runText(method, 'args', transform),
    ],
  );
}

/** The fields of one item as parameters, or one or more objects with these fields. */
function itemsText(method: Method, fields: readonly Parameter[]): string {
  const { parameters, options, row } = method;
  const [key] = parameters as [Parameter, Parameter];
  const type = options?.name ?? '';
  const [first, second, ...others] = fields as [Parameter, Parameter, ...Parameter[]];
  const list = parameters[1]?.type ?? '';
  const spelled = [
    first.name,
    `${second.name} as Argument`,
    ...others.map(({ name }) => `${name} as Argument`),
  ];
  const items = fields.map(({ name }) => `item.${name}`).join(', ');
  const code = method.pieces.flatMap((piece) => (piece.kind === 'options' ? piece.code : []));
  const call = runText(method, `[${[key.name, ...spelled].join(', ')}]`, transformOf(row.reply));
  return functionText(
    method,
    [
      parameterText(key),
      `${first.name}: ${first.type} | ${list}`,
      `${second.name}?: ${second.type} | ${type}`,
      ...others.map(({ name, type: own }) => `${name}?: ${own}`),
      `last?: ${type}`,
    ],
    [
      `if (last === undefined && typeof ${first.name} !== 'object') ${call}`,
      `const options = typeof ${first.name} === 'object' ? (${second.name} as ${type} | undefined) : last;`,
      checkText(method, false),
      `const args: Argument[] = [${key.name}];`,
      `if (options !== undefined) { ${statements(code)} }`,
      `if (typeof ${first.name} !== 'object') args.push(${spelled.join(', ')});`,
      `else for (const item of isList(${first.name}) ? ${first.name} : [${first.name}]) args.push(${items});`,
      runText(method, 'args', transformText(method, false)),
    ],
  );
}
