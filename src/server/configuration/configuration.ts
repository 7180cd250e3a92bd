import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { quote, splitWords } from '../../bytes/quoting.js';
import { SettingError } from '../../commands/config/kinds.js';
import type { SettingRow } from '../../commands/config/row.js';
import { type DirectiveRow, directiveRows } from '../../commands/config/rows.js';
import type { Settings } from '../../commands/config/settings.js';
import type { CommandRenaming } from '../../commands/table.js';
import { systemReason } from '../../persistence/system-error.js';
import { includedFiles } from './included-files.js';

/** An invalid configuration; the message names the option and the reason. */
export class ConfigurationError extends Error {}

/** Whether the settings name a port or a Unix socket. */
export function listensSomewhere(settings: Settings): boolean {
  const hasPort = settings.number('port') !== 0 || settings.number('tls-port') !== 0;
  return hasPort || settings.text('unixsocket') !== '';
}

/** One directive: a name with its values, its text, and its position. */
export interface Directive {
  readonly name: string;
  readonly values: readonly string[];
  readonly line: string;
  readonly where: string;
}

/** `user name rule…`: applied when the engine exists. */
export interface UserDirective {
  readonly name: string;
  readonly rules: readonly string[];
  readonly where: string;
}

/** The directives that are not settings. */
export interface Directives {
  readonly renamings: readonly CommandRenaming[];
  readonly users: readonly UserDirective[];
}

/**
 * Applies redis-server's command line: `[file] [--name value …]…`. A lone `-` reads the file from standard input.
 * Directives of the command line override those of the file. Returns the renamed commands and the users. Directives of a
 * Sentinel are added to `ofSentinel`; other servers refuse them.
 */
export function configure(
  settings: Settings,
  parameters: readonly string[],
  ofSentinel?: Directive[],
): Directives {
  const directives: Directive[] = [];
  let rest = parameters;
  const first = parameters[0];
  if (first !== undefined && !first.startsWith('--')) {
    rest = parameters.slice(1);
    if (first !== '-') settings.file = resolve(first);
    directives.push(...fileDirectives(first));
  }
  directives.push(...lineDirectives(commandLineText(rest), 'the command line'));
  const isKept = ({ name }: Directive): boolean => ofSentinel === undefined || name !== 'sentinel';
  ofSentinel?.push(...directives.filter(({ name }) => name === 'sentinel'));
  return apply(settings, directives.filter(isKept));
}

function fileDirectives(path: string, depth = 0): Directive[] {
  if (depth > MAX_NESTED_FILES) {
    throw new ConfigurationError(`'${path}': files include each other too deeply`);
  }
  let text: string;
  try {
    text = readFileSync(path === '-' ? 0 : path, 'latin1');
  } catch (error) {
    throw new ConfigurationError(`can't open config file '${path}': ${systemReason(error)}`);
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
    if (name.toLowerCase() === 'include' && values.length === 1) {
      return includedFiles(values[0] as string).flatMap((path) => fileDirectives(path, depth + 1));
    }
    return [{ name: name.toLowerCase(), values, line, where }];
  });
}

/**
 * Converts the command line to the lines of a configuration file. `--name` begins a line, and so does `--name value`
 * in one argument. An argument right after a name without a value is its value, even if it begins with `--`. Only
 * `--save` may have no value.
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

function apply(settings: Settings, directives: readonly Directive[]): Directives {
  const seen = new Set<string>();
  const renamings: CommandRenaming[] = [];
  const users: UserDirective[] = [];
  const overridden = overriddenRefusals(settings, directives);
  for (const directive of directives) {
    const { name, values } = directive;
    if (overridden.has(directive)) continue;
    if (name === 'rename-command' && values.length === 2) {
      renamings.push({ from: values[0] as string, to: values[1] as string });
    } else if (name === 'user' && values.length > 0) {
      users.push({ name: values[0] as string, rules: values.slice(1), where: directive.where });
    } else {
      const row = DIRECTIVES.get(name);
      if (row === undefined) applySetting(settings, directive, seen);
      else if (row.status === 'refused') throw unusable(directive, row.note);
      else if (row.status === 'works') throw unusable(directive, 'wrong number of arguments');
    }
  }
  return { renamings, users };
}

/**
 * Directives of settings that are not implemented, each with a later one of the same name: only the last one counts, so
 * that the command line can put right what a file of redis-server says.
 */
function overriddenRefusals(settings: Settings, directives: readonly Directive[]): ReadonlySet<Directive> {
  const overridden = new Set<Directive>();
  const last = new Map<SettingRow, Directive>();
  for (const directive of directives) {
    const row = settings.row(directive.name);
    if (row?.status !== 'refused' || row.kind.accumulates === true) continue;
    const earlier = last.get(row);
    if (earlier !== undefined) overridden.add(earlier);
    last.set(row, directive);
  }
  return overridden;
}

function applySetting(settings: Settings, directive: Directive, seen: Set<string>): void {
  const { name } = directive;
  const row = settings.row(name);
  if (row === undefined) throw unusable(directive, 'Bad directive or wrong number of arguments');
  const { kind } = row;
  const values = kind.severalWords === true ? wordsOf(directive) : directive.values;
  if (values.length !== 1 && kind.severalWords !== true) {
    throw unusable(directive, 'wrong number of arguments');
  }
  // Further lines of the same name add to the first one; an empty value (not a missing one) clears it.
  const startsOver = values.length === 1 && values[0] === '';
  const adds = kind.accumulates === true && seen.has(row.name) && !startsOver;
  seen.add(row.name);
  const before = adds ? `${settings.text(row.name)} ` : '';
  trying(directive, () => settings.configure(name, before + values.join(' ')));
}

/** The words of a setting that takes several. If there is one value, it is split once more: `--save '""'` is an empty word. */
function wordsOf(directive: Directive): readonly string[] {
  const { values } = directive;
  const [only] = values;
  if (values.length !== 1 || only === undefined || only === '') return values;
  const words = splitWords(only);
  if (words === undefined) throw unusable(directive, 'unbalanced quotes');
  return words;
}

/** Adds the line to the error of an invalid value. */
function trying(directive: Directive, apply: () => void): void {
  try {
    apply();
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw unusable(directive, error.reason);
  }
}

function unusable({ where, line }: Directive, reason: string): ConfigurationError {
  return new ConfigurationError(`${where}: '${line}': ${reason}`);
}

const MAX_NESTED_FILES = 16;

const DIRECTIVES: ReadonlyMap<string, DirectiveRow> = new Map(directiveRows.map((row) => [row.name, row]));
