import type { Session } from '../../commands/session.js';
import type { Command } from '../../commands/table.js';

/**
 * Conditions of the whole engine that a command must pass before it runs. While no bit is set here, in the session's
 * gates (`SessionGate`) or for a protected command, a command runs without `Admission` being asked: one test.
 */
export const EngineGate = {
  maxmemory: 1 << 0,
  paused: 1 << 1,
  monitors: 1 << 2,
  /** More keys are tracked than allowed. */
  trackingTableFull: 1 << 3,
  /** The data is being loaded from a file. */
  loading: 1 << 4,
  /** The data cannot be written to a file, or replicas are missing. */
  writesRefused: 1 << 5,
  /** Commands of other clients run in the middle of a script that takes too long. */
  scriptIsBusy: 1 << 6,
  /** Checks of other parts are attached: slots, replicas. See `Admission.attach`. */
  attachedChecks: 1 << 7,
} as const;

/** The command's flags; for EXEC also those of all it will run. */
export function flagsOf(session: Session, command: Command): number {
  return command.name === 'exec' ? command.flagBits | session.queuedFlags : command.flagBits;
}
