import type { SettingKind } from './kinds.js';

/** Whether CONFIG SET may change it: always, never, or only with `enable-protected-configs`. */
export type Mutability = 'mutable' | 'immutable' | 'protected';

/**
 * What a value other than the initial one does here.
 * - `works`: what it does in Redis.
 * - `advice`: nothing but a warning in the log, once. Data, replies and who may connect are the same without it.
 * - `refused`: it is an error, at start as well as in CONFIG SET: what it stands for is not implemented.
 * - `idle`: nothing, without a warning: it tunes a feature whose switch is refused.
 */
export type SettingStatus = 'works' | 'advice' | 'refused' | 'idle';

/** What only some programs around an engine have: files for data, sockets, a log, a process of its own. */
export type HostPart = 'files' | 'sockets' | 'log' | 'process';

/** What only some rows have. */
interface RowDetails {
  /** The older name it is also known by. */
  readonly alias?: string;
  /** Without this part the setting is refused. */
  readonly needs?: HostPart;
  /** Of a refused one, why and what to do instead; of others, why it has no effect, or what is particular here. */
  readonly note?: string;
}

/** One setting: everything about it but its value. */
export interface SettingRow extends RowDetails {
  readonly status: SettingStatus;
  readonly name: string;
  readonly kind: SettingKind;
  readonly initial: string;
  readonly mutability: Mutability;
  /** CONFIG GET shows it only if it is asked for by its name. */
  readonly isHidden?: boolean;
}

function rowMaker(mutability: Mutability, isHidden = false) {
  return (
    status: SettingStatus,
    name: string,
    kind: SettingKind,
    initial: string,
    details: RowDetails = {},
  ): SettingRow => ({
    status,
    name,
    kind,
    initial,
    mutability,
    ...(isHidden ? { isHidden } : {}),
    ...details,
  });
}

export const mutable = rowMaker('mutable');
export const immutable = rowMaker('immutable');
export const guarded = rowMaker('protected');
/** For tests and developers of Redis. */
export const hidden = rowMaker('mutable', true);

/** Rows of a feature that is not implemented, or not yet completely: those that work need no explanation. */
export function part(feature: string, instead: string, rows: readonly SettingRow[]): readonly SettingRow[] {
  const notes: Partial<Record<SettingStatus, string>> = {
    refused: `${feature} is not implemented: ${instead}`,
    idle: `tunes ${feature}, which is not implemented`,
  };
  return rows.map((row) => {
    const note = row.note ?? notes[row.status];
    return note === undefined ? row : { ...row, note };
  });
}
