import type { SettingKind } from './kinds.js';

/** Whether CONFIG SET may change it: always, never, or only with `enable-protected-configs`. */
export type Mutability = 'mutable' | 'immutable' | 'protected';

/**
 * The effect of a value other than the initial one in this implementation.
 * - `works`: the same effect as in Redis.
 * - `advice`: no effect except one warning in the log. It does not affect data, replies or access.
 * - `refused`: an error, at start-up and in CONFIG SET: the feature is not implemented.
 * - `idle`: no effect and no warning: it tunes a feature that cannot be switched on.
 */
export type SettingStatus = 'works' | 'advice' | 'refused' | 'idle';

/**
 * Parts that not every program with an engine has: data files, sockets, a log, its own process, an ACL file, the choice of a master, other
 * nodes of a cluster.
 */
export type HostPart = 'files' | 'sockets' | 'log' | 'process' | 'users' | 'master' | 'cluster';

/** Optional properties of a row. */
interface RowDetails {
  /** The setting's older name, which still works. */
  readonly alias?: string;
  /** The part without which the setting is refused. */
  readonly needs?: HostPart;
  /** For a refused setting: the reason and the alternative. For others: why it has no effect, or how it differs from Redis. */
  readonly note?: string;
  /** The value names a file or folder: CONFIG SET reads it again even if the name is the same. */
  readonly namesFile?: boolean;
}

/** The declaration of one setting. */
export interface SettingRow extends RowDetails {
  readonly status: SettingStatus;
  readonly name: string;
  readonly kind: SettingKind;
  readonly initial: string;
  readonly mutability: Mutability;
  /** CONFIG GET shows it only for its exact name. */
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
export const hiddenImmutable = rowMaker('immutable', true);
