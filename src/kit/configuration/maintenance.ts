import { abortSignal, anySignal, milliseconds, optional, resolveOptions, text } from '../foundation/index.js';
import type { RecordState, Records } from './records.js';

export interface MaintenanceOptions {
  /** Why, for the people who read it. */
  readonly reason?: string;
  /** Ends by itself after this many ms. Default: only `end` ends it. */
  readonly for?: number;
}

export interface MaintenanceStatus {
  readonly reason: string | undefined;
  /** When it began, by the server's clock. */
  readonly since: Date;
  /** When it ends by itself; undefined if it does not. */
  readonly until: Date | undefined;
}

/** A flag for all processes: the application is under maintenance. */
export interface Maintenance {
  /** Begins maintenance, or changes its reason and length. */
  begin(options?: MaintenanceOptions): Promise<void>;
  /** Ends maintenance. */
  end(): Promise<void>;
  /** What is known of it, at most `maxAge` ms old; undefined if there is none. Cheap enough for every request. */
  status(): Promise<MaintenanceStatus | undefined>;
  /** The status now and after each change. */
  watch(options?: { readonly signal?: AbortSignal }): AsyncIterableIterator<MaintenanceStatus | undefined>;
}

/** @param closing ends all watches */
export function maintenanceOf(records: Records, key: string, closing: AbortSignal): Maintenance {
  return {
    begin: async (options = {}) => {
      const { reason, for: length } = resolveOptions('begin', options, RULES);
      await records.write(key, { reason, for: length }, length === undefined ? {} : { expiry: length });
    },
    end: async () => {
      await records.write(key, undefined);
    },
    status: async () => statusOf(await records.get(key)),
    watch: (options = {}) => {
      const { signal } = resolveOptions('watch', options, WATCH_RULES);
      return statuses(records.watch(key, eitherOf(closing, signal)));
    },
  };
}

export function eitherOf(one: AbortSignal, other: AbortSignal | undefined): AbortSignal {
  return other === undefined ? one : anySignal(one, other);
}

async function* statuses(
  states: AsyncIterable<RecordState | undefined>,
): AsyncGenerator<MaintenanceStatus | undefined, void, undefined> {
  for await (const state of states) yield statusOf(state);
}

/** A version is the server's time in µs. */
function statusOf(state: RecordState | undefined): MaintenanceStatus | undefined {
  if (state === undefined) return undefined;
  const { reason, for: length } = state.value as MaintenanceOptions;
  const since = Math.floor(state.version / 1_000);
  return {
    reason,
    since: new Date(since),
    until: length === undefined ? undefined : new Date(since + length),
  };
}

const RULES = { reason: optional(text()), for: optional(milliseconds(undefined, { min: 1 })) };
export const WATCH_RULES = { signal: optional(abortSignal()) };
