import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { splitWords } from '../bytes/quoting.js';
import { SettingError } from '../commands/config/kinds.js';
import type { Settings } from '../commands/config/settings.js';

/** The configuration cannot be used; the message names the option and says what is wrong with it. */
export class ConfigurationError extends Error {}

/** One directive: a name with its values, and where it stands. */
interface Directive {
  readonly name: string;
  readonly values: readonly string[];
  readonly where: string;
}

/**
 * Applies redis-server's command line: `[file] [--name value …]…`. A lone `-` reads the file from standard input.
 * Directives of the command line come after the file's and win.
 */
export function configure(settings: Settings, parameters: readonly string[]): void {
  const directives: Directive[] = [];
  let rest = parameters;
  const first = parameters[0];
  if (first !== undefined && !first.startsWith('--')) {
    rest = parameters.slice(1);
    if (first !== '-') settings.file = resolve(first);
    directives.push(...fileDirectives(first));
  }
  directives.push(...commandLineDirectives(rest));
  apply(settings, directives);
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
  return text.split('\n').flatMap((raw, i) => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) return [];
    const where = `line ${i + 1} of ${path}`;
    const words = splitWords(line);
    if (words === undefined) throw new ConfigurationError(`${where}: unbalanced quotes in '${line}'`);
    const [name, ...values] = words;
    if (name === undefined) return [];
    if (name.toLowerCase() === 'include' && values.length === 1)
      return fileDirectives(values[0] as string, depth + 1);
    return [{ name: name.toLowerCase(), values, where }];
  });
}

function commandLineDirectives(parameters: readonly string[]): Directive[] {
  const directives: { name: string; values: string[]; where: string }[] = [];
  for (const parameter of parameters) {
    if (parameter.startsWith('--') && parameter.length > 2) {
      directives.push({ name: parameter.slice(2).toLowerCase(), values: [], where: 'the command line' });
      continue;
    }
    const last = directives.at(-1);
    if (last === undefined) throw new ConfigurationError(`'${parameter}' is neither a file nor an option`);
    last.values.push(parameter);
  }
  // As redis-server has it: `--option` alone is an error unless it can be empty, `--save ''` empties the list.
  return directives;
}

function apply(settings: Settings, directives: readonly Directive[]): void {
  const seen = new Set<string>();
  for (const { name, values, where } of directives) {
    if (IGNORED.has(name)) continue;
    const row = settings.row(name);
    if (row === undefined) throw new ConfigurationError(`${where}: unknown option '${name}'`);
    const { kind } = row;
    if (values.length !== 1 && kind.severalWords !== true) {
      throw new ConfigurationError(`${where}: option '${name}' has the wrong number of arguments`);
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
      throw new ConfigurationError(`${where}: option '${name} ${values.join(' ')}': ${error.reason}`);
    }
  }
}

const MOST_NESTED_FILES = 16;

/** Directives that are known but mean nothing here. */
const IGNORED = new Set([
  'loadmodule',
  'user',
  'rename-command',
  'list-max-ziplist-entries',
  'list-max-ziplist-value',
]);
