import { printable } from './reply.js';

export type Argument = string | number | bigint | Buffer;

/**
 * A command either as a line, split into arguments as in redis-cli (`'SET k "a b\x00"'`),
 * or as a list of arguments. Strings are sent as UTF-8, buffers unchanged.
 */
export type Command = string | readonly Argument[];

export function argumentsOf(command: Command): Buffer[] {
  if (typeof command === 'string') return splitLine(command);
  return command.map((argument) => (Buffer.isBuffer(argument) ? argument : Buffer.from(String(argument))));
}

export function encode(command: Command): Buffer {
  const parts = argumentsOf(command);
  const pieces: Buffer[] = [Buffer.from(`*${parts.length}\r\n`)];
  for (const part of parts) pieces.push(Buffer.from(`$${part.length}\r\n`), part, CR_LF);
  return Buffer.concat(pieces);
}

/** The command's name and its first argument, if any, in upper case: for tables keyed by name. */
export function nameOf(command: Command): { name: string; first: string } {
  const [name, first] = argumentsOf(command);
  return { name: upper(name), first: upper(first) };
}

/** The command as it could be typed into redis-cli. */
export function show(command: Command): string {
  return argumentsOf(command).map(showArgument).join(' ');
}

const CR_LF = Buffer.from('\r\n');

function upper(argument: Buffer | undefined): string {
  return argument?.toString('latin1').toUpperCase() ?? '';
}

function showArgument(argument: Buffer): string {
  const text = printable(argument, 200);
  return /^[^\s"'\\]+$/.test(text) ? text : `"${text.replaceAll('"', '\\"')}"`;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', a: '\x07' };
const TOKEN = /\s+|"((?:[^"\\]|\\[\s\S])*)"(?=\s|$)|'((?:[^'\\]|\\[\s\S])*)'(?=\s|$)|([^\s"']\S*)/y;

function splitLine(line: string): Buffer[] {
  const parts: Buffer[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < line.length) {
    const at = TOKEN.lastIndex;
    const token = TOKEN.exec(line);
    if (token === null) throw new Error(`unbalanced quotes at ${at} in the command line: ${line}`);
    const [, double, single, bare] = token;
    if (double !== undefined) parts.push(unescapeDouble(double));
    else if (single !== undefined) parts.push(Buffer.from(single.replaceAll("\\'", "'")));
    else if (bare !== undefined) parts.push(Buffer.from(bare));
  }
  return parts;
}

function unescapeDouble(text: string): Buffer {
  const pieces: Buffer[] = [];
  for (const [piece, hex, letter] of text.matchAll(/\\x([0-9a-fA-F]{2})|\\([\s\S])|[^\\]+/g)) {
    if (hex !== undefined) pieces.push(Buffer.from(hex, 'hex'));
    else if (letter !== undefined) pieces.push(Buffer.from(ESCAPES[letter] ?? letter));
    else pieces.push(Buffer.from(piece));
  }
  return Buffer.concat(pieces);
}
