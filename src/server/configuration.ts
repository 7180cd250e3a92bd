import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { quote, splitWords } from '../bytes/quoting.js';
import { SettingError } from '../commands/config/kinds.js';
import type { Settings } from '../commands/config/settings.js';
import type { CommandRenaming } from '../commands/table.js';

/** The configuration cannot be used; the message names the option and says what is wrong with it. */
export class ConfigurationError extends Error {}

/** One directive: a name with its values, how it was written, and where. */
interface Directive {
  readonly name: string;
  readonly values: readonly string[];
  readonly line: string;
  readonly where: string;
}

/**
 * Applies redis-server's command line: `[file] [--name value …]…`. A lone `-` reads the file from standard input.
 * Directives of the command line come after the file's and win. Returns what is said about the commands' names.
 */
export function configure(settings: Settings, parameters: readonly string[]): CommandRenaming[] {
  const directives: Directive[] = [];
  let rest = parameters;
  const first = parameters[0];
  if (first !== undefined && !first.startsWith('--')) {
    rest = parameters.slice(1);
    if (first !== '-') settings.file = resolve(first);
    directives.push(...fileDirectives(first));
  }
  directives.push(...lineDirectives(commandLineText(rest), 'the command line'));
  return apply(settings, directives);
}

function fileDirectives(path: string, depth = 0): Directive[] {
  if (depth > MOST_NESTED_FILES)
    throw new ConfigurationError(`'${path}': files include each other too deeply`);
  let text: string;
  try {
    text = readFileSync(path === '-' ? 0 : path, 'latin1');
  } catch (error) {
    throw new ConfigurationError(`can't open config file '${path}': ${(error as Error).message}`);
  }
  return text.split('\n').flatMap((line, i) => lineDirectives([line], `line ${i + 1} of ${path}`, depth));
}

function lineDirectives(lines: readonly string[], where: string, depth = 0): Directive[] {
  return lines.flatMap((raw) => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) return [];
    const words = splitWords(line);
    if (words === undefined) throw new ConfigurationError(`${where}: unbalanced quotes in '${line}'`);
    const [name, ...values] = words;
    if (name === undefined) return [];
    if (name.toLowerCase() === 'include' && values.length === 1)
      return fileDirectives(values[0] as string, depth + 1);
    return [{ name: name.toLowerCase(), values, line, where }];
  });
}

/**
 * The command line as the lines of a file that would say the same. `--name` begins a line, and so does `--name value` in
 * one word; but right after a name with no value yet, a word is its value whatever it begins with. Only `--save` may
 * be left without one.
 */
function commandLineText(parameters: readonly string[]): string[] {
  const lines: string[] = [];
  let needsValue = false;
  parameters.forEach((parameter, i) => {
    if (needsValue || !parameter.startsWith('--')) {
      lines.push(`${lines.pop() ?? ''} ${quote(parameter)}`);
      needsValue = false;
      return;
    }
    const next = parameters[i + 1];
    const isEmptySave = parameter.toLowerCase() === '--save' && (next === undefined || next.startsWith('--'));
    lines.push(isEmptySave ? 'save ""' : parameter.slice(2));
    needsValue = !isEmptySave && splitWords(parameter)?.length === 1;
  });
  return lines;
}

function apply(settings: Settings, directives: readonly Directive[]): CommandRenaming[] {
  const seen = new Set<string>();
  const renamings: CommandRenaming[] = [];
  for (const directive of directives) {
    const { name, values } = directive;
    if (IGNORED.has(name)) continue;
    if (name === 'rename-command' && values.length === 2) {
      renamings.push({ from: values[0] as string, to: values[1] as string });
      continue;
    }
    const row = settings.row(name);
    if (row === undefined) throw unusable(directive, 'Bad directive or wrong number of arguments');
    const { kind } = row;
    if (values.length !== 1 && kind.severalWords !== true) {
      throw unusable(directive, 'wrong number of arguments');
    }
    // Further lines of the same name add to the first one; an empty value (not the lack of one) starts over.
    const startsOver = values.length === 1 && values[0] === '';
    const adds = kind.accumulates === true && seen.has(row.name) && !startsOver;
    seen.add(row.name);
    const before = adds ? `${settings.text(row.name)} ` : '';
    try {
      settings.configure(name, before + values.join(' '));
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      throw unusable(directive, error.reason);
    }
  }
  return renamings;
}

function unusable({ where, line }: Directive, reason: string): ConfigurationError {
  return new ConfigurationError(`${where}: '${line}': ${reason}`);
}

const MOST_NESTED_FILES = 16;

/** Directives that are known but mean nothing here. */
const IGNORED = new Set(['loadmodule', 'user', 'list-max-ziplist-entries', 'list-max-ziplist-value']);
