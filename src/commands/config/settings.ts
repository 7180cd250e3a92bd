import { globMatchText } from '../../bytes/glob.js';
import { CommandError, errors, shownText } from '../errors.js';
import { SettingError } from './kinds.js';
import type { HostPart, SettingRow } from './row.js';
import { settingRows } from './rows.js';

/**
 * Called after a setting has changed; throws a SettingError to refuse the change, which is then undone. A function that listens to
 * several settings is called once if CONFIG SET changes several of them.
 */
export type SettingListener = (text: string) => void;

/** Listens to a setting until the part that received this function is closed. */
export type FollowSetting = (name: string, listener: SettingListener) => void;

/** Parts that the program does not have, each with the error text for a setting that needs it. */
export type AbsentParts = Readonly<Partial<Record<HostPart, string>>>;

/**
 * The values of all settings of one engine. Code that depends on a setting listens to it (`onChange`) and keeps the value in its
 * own field, because a lookup by name is slow. A value that would have no effect is not accepted: see `SettingStatus`.
 */
export class Settings {
  /** The file that CONFIG REWRITE writes; undefined if the server was started without a file. */
  file: string | undefined;
  readonly #absent: AbsentParts;
  /** Settings without effect that a warning was logged for. */
  readonly #advised = new Set<SettingRow>();
  #warnings: string[] = [];
  readonly #byName = new Map<string, SettingRow>();
  readonly #values = new Map<SettingRow, string>();
  readonly #listeners = new Map<SettingRow, SettingListener[]>();

  constructor(absent: AbsentParts = {}) {
    this.#absent = absent;
    for (const row of settingRows) {
      this.#byName.set(row.name, row);
      if (row.alias !== undefined) this.#byName.set(row.alias, row);
      this.#values.set(row, row.initial);
    }
  }

  row(name: string): SettingRow | undefined {
    return this.#byName.get(name.toLowerCase());
  }

  text(name: string): string {
    return this.#values.get(this.#known(name)) as string;
  }

  number(name: string): number {
    return Number(this.text(name));
  }

  isOn(name: string): boolean {
    return this.text(name) === 'yes';
  }

  /** Calls `listener` with the current value, and again after each change, until the returned function is called. */
  onChange(name: string, listener: SettingListener): () => void {
    const row = this.#known(name);
    const listeners = this.#listeners.get(row) ?? [];
    this.#listeners.set(row, [...listeners, listener]);
    listener(this.text(name));
    return () => {
      const left = this.#listeners.get(row) ?? [];
      this.#listeners.set(
        row,
        left.filter((each) => each !== listener),
      );
    };
  }

  /** The number of listeners, for tests of leaks. */
  get listenerCount(): number {
    let count = 0;
    for (const listeners of this.#listeners.values()) count += listeners.length;
    return count;
  }

  /** For start-up: sets any setting, mutable or not. Throws a SettingError. */
  configure(name: string, text: string): void {
    const row = this.row(name);
    if (row === undefined) throw new SettingError('Bad directive or wrong number of arguments');
    const before = this.#values.get(row) as string;
    this.#accept(row, text);
    if (this.#values.get(row) === before) return;
    try {
      this.#tell(row, new Set());
    } catch (error) {
      this.#values.set(row, before);
      throw error;
    }
  }

  /** Warnings about settings that were changed since the last call: at most one for each setting. */
  takeWarnings(): readonly string[] {
    const warnings = this.#warnings;
    this.#warnings = [];
    return warnings;
  }

  /** CONFIG SET: sets all pairs or, on an error, none. `isLocal`: the client is on this machine. */
  set(pairs: readonly (readonly [name: string, text: string])[], isLocal = false): void {
    const rows: SettingRow[] = [];
    const names = new Set<string>();
    for (const [name] of pairs) {
      const row = this.row(name);
      if (row === undefined) {
        throw new CommandError(
          `ERR Unknown option or number of arguments for CONFIG SET - '${shownText(name)}'`,
        );
      }
      if (row.mutability === 'immutable') throw refused(name, "can't set immutable config");
      if (row.mutability === 'protected' && !this.#mayChangeProtected(isLocal)) {
        throw refused(name, "can't set protected config");
      }
      // A setting may be given by its current and by its older name: the last one wins.
      if (names.has(name.toLowerCase())) throw refused(name, 'duplicate parameter');
      names.add(name.toLowerCase());
      rows.push(row);
    }
    const before = rows.map((row) => this.#values.get(row) as string);
    const told = new Set<SettingListener>();
    let at = 0;
    try {
      for (; at < rows.length; at++) {
        this.#accept(rows[at] as SettingRow, (pairs[at] as readonly [string, string])[1]);
      }
      // Settings that depend on each other are applied when all have their new values.
      for (at = 0; at < rows.length; at++) {
        const row = rows[at] as SettingRow;
        if (row.namesFile === true || this.#values.get(row) !== before[at]) this.#tell(row, told);
      }
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      this.#restore(rows, before, told);
      throw refused((pairs[at] as readonly [string, string])[0], error.reason);
    }
  }

  /** Undoes a CONFIG SET that failed. Listeners that were told of new values are told of the old ones. */
  #restore(rows: readonly SettingRow[], before: readonly string[], told: ReadonlySet<SettingListener>): void {
    const changed = rows.filter((row, i) => this.#values.get(row) !== before[i]);
    rows.forEach((row, i) => {
      this.#values.set(row, before[i] as string);
    });
    const left = new Set(told);
    for (const row of changed) {
      for (const listener of this.#listeners.get(row) ?? []) {
        if (left.delete(listener)) ignoringRefusal(() => listener(this.#values.get(row) as string));
      }
    }
  }

  #mayChangeProtected(isLocal: boolean): boolean {
    const allowed = this.text('enable-protected-configs');
    return allowed === 'yes' || (allowed === 'local' && isLocal);
  }

  /** CONFIG GET: names (including older ones) that match one of the patterns, with their values. Names are returned as given. */
  matching(patterns: readonly string[]): Map<string, string> {
    const found = new Map<string, string>();
    const seen = new Set<string>();
    const add = (name: string, row: SettingRow): void => {
      if (seen.has(name.toLowerCase())) return;
      seen.add(name.toLowerCase());
      found.set(name, this.#shown(row));
    };
    for (const pattern of patterns) {
      if (/[[*?]/.test(pattern)) {
        for (const [name, row] of this.#byName) {
          if (row.isHidden !== true && globMatchText(pattern, name, true)) add(name, row);
        }
      } else {
        const row = this.row(pattern);
        if (row !== undefined) add(pattern, row);
      }
    }
    return found;
  }

  /** Every setting with its value, in the order of the table. */
  *entries(): IterableIterator<readonly [SettingRow, string]> {
    yield* this.#values;
  }

  #shown(row: SettingRow): string {
    const text = this.#values.get(row) as string;
    return row.kind.shown?.(text) ?? text;
  }

  /** Sets the value; its listeners have yet to be told. */
  #accept(row: SettingRow, given: string): void {
    const before = this.#values.get(row) as string;
    const text = row.kind.parse(given, before);
    if (text !== before) this.#checkEffect(row, text);
    this.#values.set(row, text);
  }

  /** Calls the row's listeners. One that listens to several settings is called once for all of them. */
  #tell(row: SettingRow, told: Set<SettingListener>): void {
    const text = this.#values.get(row) as string;
    for (const listener of this.#listeners.get(row) ?? []) {
      if (told.has(listener)) continue;
      told.add(listener);
      listener(text);
    }
  }

  /** The initial value is always accepted. */
  #checkEffect(row: SettingRow, text: string): void {
    const { status, name, initial, needs, note } = row;
    if (text === initial) return;
    if (status === 'refused') throw new SettingError(note ?? 'not implemented');
    const absent = needs === undefined ? undefined : this.#absent[needs];
    // An empty value disables the setting.
    if (absent !== undefined && text !== '') throw new SettingError(absent);
    if (status !== 'advice' || this.#advised.has(row)) return;
    this.#advised.add(row);
    this.#warnings.push(`The setting '${name} ${text}' has no effect: ${note}.`);
  }

  #known(name: string): SettingRow {
    const row = this.#byName.get(name);
    if (row === undefined) throw new RangeError(`no setting is called '${name}'`);
    return row;
  }
}

/** A listener that refuses the former value, too, keeps the state that it has. */
function ignoringRefusal(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
  }
}

function refused(name: string, reason: string): CommandError {
  return new CommandError(`ERR CONFIG SET failed (possibly related to argument '${name}') - ${reason}`);
}

/** The pairs of CONFIG SET's arguments. */
export function pairsOf(words: readonly string[]): [string, string][] {
  if (words.length % 2 !== 0) throw errors.syntax;
  const pairs: [string, string][] = [];
  for (let i = 0; i < words.length; i += 2) pairs.push([words[i] as string, words[i + 1] as string]);
  return pairs;
}
