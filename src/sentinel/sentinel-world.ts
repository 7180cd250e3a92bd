import type { World } from '../replication/world.js';

/** How a script ended: by exiting with a code, or by a signal. */
export interface ScriptEnd {
  readonly code: number;
  readonly signal: number;
}

/** A script that runs. */
export interface RunningScript {
  readonly pid: number;
  kill(): void;
}

/** What a Sentinel needs of the world beside clock, timers, chance and connections. */
export interface SentinelWorld extends World {
  /** The address of a host name; undefined if there is none. */
  resolve(host: string): string | undefined;
  /** Replaces the lines of the configuration file that begin with `sentinel`. Throws if it cannot be written. */
  save(lines: readonly string[]): void;
  /** Starts a program. `ended` is called once; undefined if it cannot be started. */
  runScript(words: readonly string[], ended: (end: ScriptEnd) => void): RunningScript | undefined;
  /** Whether the file can be executed. */
  isExecutable(path: string): boolean;
  /** Ends the process at once: SENTINEL SIMULATE-FAILURE. */
  crash(): void;
}
