import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import { PROJECT_ROOT } from '../support/fleet/server-process.js';

/**
 * Examples in documentation are fences that begin with one of
 *
 * - ```` ```ts ````: a program, which is run;
 * - ```` ```ts continued ````: continues the previous example of the same file, and is run with it;
 * - ```` ```ts fragment ````: a part that cannot run by itself, for which there should be a reason; its syntax is checked.
 *
 * An expression with its value in a comment, `await store.get('key'); // 'value'`, is compared with it: text in single quotes,
 * a number, true, false, null, a list or an object of those with nothing left out; the text after the value is ignored.
 */
export interface Example {
  /** Of the document, from the root of the project. */
  readonly path: string;
  /** The line of the (first) fence. */
  readonly line: number;
  readonly isFragment: boolean;
  /** The program in the document, with the same line numbers. */
  readonly text: string;
  /** The same with the values compared. */
  readonly code: string;
  /** The number of values that are compared. */
  readonly values: number;
}

/** The documents whose examples are run: those for users. */
export function documents(): string[] {
  const kit = components().map((name) => join('src/kit', name, 'README.md'));
  const folders = ['.', 'docs', 'docs/guide', 'examples/shop'].flatMap((folder) => markdownIn(folder));
  return [...folders, ...kit.filter((path) => readIfThere(path) !== undefined)].sort();
}

/** The components of the kit: every folder except the shared one. */
export function components(): string[] {
  return readdirSync(join(PROJECT_ROOT, 'src/kit'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'foundation')
    .map(({ name }) => name);
}

function markdownIn(folder: string): string[] {
  const names = readdirSync(join(PROJECT_ROOT, folder)).filter((name) => name.endsWith('.md'));
  return names.map((name) => join(folder, name));
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(join(PROJECT_ROOT, path), 'utf8');
  } catch {
    return undefined;
  }
}

/** Links of a document to missing files: of the project, or of another folder with its documents. */
export function deadLinks(path: string, root = PROJECT_ROOT): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  const targets = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target as string);
  return targets
    .filter((target) => !/^\w+:/.test(target))
    .filter((target) => !existsSync(join(root, dirname(path), target)))
    .map((target) => `${path} → ${target}`);
}

/** Contributors' own pages show parts of the sources. */
const NOT_FOR_USERS = new Set(['CONTRIBUTING.md', 'ARCHITECTURE.md']);

export function examplesIn(path: string): Example[] {
  if (NOT_FOR_USERS.has(path)) return [];
  return parseExamples(path, readFileSync(join(PROJECT_ROOT, path), 'utf8'));
}

interface Fence {
  readonly line: number;
  readonly language: string;
  readonly kind: string;
  readonly lines: readonly string[];
}

export function parseExamples(path: string, text: string): Example[] {
  const programs: Fence[][] = [];
  for (const fence of fences(text)) {
    if (/^(typescript|js|javascript|mts)$/.test(fence.language)) {
      throw new Error(`${path}:${fence.line}: write \`\`\`ts, so that the example is run`);
    }
    if (fence.language !== 'ts') continue;
    const last = programs.at(-1);
    if (fence.kind === 'continued') {
      if (last === undefined) throw new Error(`${path}:${fence.line}: there is nothing to continue`);
      last.push(fence);
    } else if (fence.kind === '' || fence.kind === 'fragment') programs.push([fence]);
    else throw new Error(`${path}:${fence.line}: \`\`\`ts ${fence.kind} is neither continued nor fragment`);
  }
  return programs.map((program) => toExample(path, program));
}

function fences(text: string): Fence[] {
  const found: Fence[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at++) {
    const [, mark, language = '', kind = ''] = /^ *(`{3,})(\S*) *(.*?) *$/.exec(lines[at] as string) ?? [];
    if (mark === undefined) continue;
    const end = lines.findIndex((line, index) => index > at && line.trim() === mark);
    if (end < 0) break;
    found.push({ line: at + 1, language, kind, lines: lines.slice(at + 1, end) });
    at = end;
  }
  return found;
}

function toExample(path: string, program: readonly Fence[]): Example {
  const [first] = program as [Fence];
  const isFragment = first.kind === 'fragment';
  const [texts, code]: [string[], string[]] = [[], []];
  for (const { line, lines } of program) {
    while (texts.length < line) texts.push('');
    texts.push(...lines.map((text) => resolveImports(text, ownSource)));
  }
  // The compiler finds other packages and their types by name; the program runs in another folder.
  const runnable = texts.map((text) => resolveImports(text, anySource));
  for (const [at, text] of runnable.entries()) code.push(withComparison(text, at + 1) ?? text);
  const values = code.filter((line, at) => line !== runnable[at]).length;
  return { path, line: first.line, isFragment, text: texts.join('\n'), code: code.join('\n'), values };
}

/** Turns `expression; // value` into a call, which the process that runs the example handles. */
function withComparison(text: string, line: number): string | undefined {
  const [, indentation, expression = '', comment = ''] = /^(\s*)(\S.*?);\s*\/\/ (.*)$/.exec(text) ?? [];
  const value = valueIn(comment);
  if (value === undefined || NO_EXPRESSION.test(expression)) return undefined;
  return `${indentation}globalThis.compareExample(${line}, ${expression}, ${value});`;
}

const NO_EXPRESSION = /^[})]|^(console|const|let|return|throw|for|if|while|type)\b|[^=!<>]=[^=>]/;

const PLAIN_VALUE = /^('(?:[^'\\…]|\\.)*'|-?\d[\d_]*(?:\.\d+)?n?|true|false|null)(?![\w….])/;

/** The value at the beginning of a comment, if it is complete. */
function valueIn(comment: string): string | undefined {
  const [, plain] = PLAIN_VALUE.exec(comment) ?? [];
  if (plain !== undefined || !/^[[{]/.test(comment)) return plain;
  for (let end = comment.length; end > 1; end--) {
    const part = comment.slice(0, end);
    if (/[\]}]$/.test(part) && !part.includes('…') && isComplete(part)) return part;
  }
  return undefined;
}

/** Whether it is a list or object without names of variables in it. */
function isComplete(value: string): boolean {
  try {
    new Script(`'use strict'; (${value})`).runInNewContext({});
    return true;
  } catch {
    return false;
  }
}

/** Examples import the package by its name; here this is resolved to the sources. */
function resolveImports(text: string, locate: (name: string) => string): string {
  return text.replace(
    /(\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"./][^'"]*)\2/g,
    (_, before: string, quote: string, name: string) => {
      return `${before}${quote}${locate(name)}${quote}`;
    },
  );
}

const require = createRequire(import.meta.url);
const { exports } = require(join(PROJECT_ROOT, 'package.json')) as {
  exports: Readonly<Record<string, string | { readonly default: { readonly default: string } }>>;
};

function anySource(name: string): string {
  return name.startsWith('node:') ? name : require.resolve(name);
}

/** Names of other packages stay as they are. */
function ownSource(name: string): string {
  if (!/^sorrel(\/|$)/.test(name)) return name;
  const wanted = `.${name.slice('sorrel'.length)}`;
  for (const [pattern, target] of Object.entries(exports)) {
    const [head = '', tail] = pattern.split('*');
    const isMatch = tail === undefined ? wanted === head : wanted.startsWith(head) && wanted.endsWith(tail);
    if (!isMatch || typeof target === 'string') continue;
    const source = target.default.default
      .replace('*', wanted.slice(head.length))
      .replace(/^\.\/dist\/(.*)\.js$/, 'src/$1.ts');
    return join(PROJECT_ROOT, source);
  }
  throw new Error(`the package does not export '${name}'`);
}
