import { FLAG } from '../../commands/flag.js';
import type { Session } from '../../commands/session.js';
import type { Command } from '../../commands/table.js';

/**
 * Conditions of the engine that can keep a command from running. While no bit is set here or in the session's gates
 * (`SessionGate`), and the command is not protected, one test admits it without `Admission`.
 */
export const EngineGate = {
  maxmemory: 1 << 0,
  paused: 1 << 1,
  monitors: 1 << 2,
  /** More keys are tracked than `tracking-table-max-keys`. */
  trackingTableFull: 1 << 3,
  /** Data is being loaded from a file. */
  loading: 1 << 4,
  /** Writing to a file has failed, or replicas are missing. */
  writesRefused: 1 << 5,
  /** A slow script is running, and other clients are served meanwhile. */
  scriptIsBusy: 1 << 6,
  /** Parts have attached checks of all commands (slots, old data): see `Admission.attach`. */
  attachedChecks: 1 << 7,
  /** Data is being loaded beside the present data. */
  asyncLoading: 1 << 8,
} as const;

/** Commands with one of these flags are checked whatever the engine's state. */
export const ALWAYS_GATED = FLAG.protected | FLAG.shows_clients;

/** The command's flags; for EXEC, also those of the queued commands. */
export function flagsOf(session: Session, command: Command): number {
  return command.name === 'exec' ? command.flagBits | session.queuedFlags : command.flagBits;
}
