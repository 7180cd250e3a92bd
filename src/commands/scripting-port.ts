import type { Bytes } from '../bytes/bytes.js';
import type { Call } from './call.js';

/** The running script: of EVAL, or a function. */
export type ScriptKind = 'script' | 'function';

/** Scripts: EVAL, SCRIPT and, with functions, FUNCTION and FCALL. All methods throw the error that the client gets. */
export interface ScriptingPort {
  readonly functions: FunctionsPort;
  /** DEBUG SET-DISABLE-DENY-SCRIPTS: scripts may call commands with the `noscript` flag. */
  allowsAnyCommand: boolean;
  /** Runs the script whose source or hash is the command's first argument, and replies with what it returns. */
  evaluate(call: Call, by: 'source' | 'sha', isReadonly: boolean): void;
  /** Compiles a script and keeps it; returns its hash. */
  load(source: string): string;
  exists(sha: string): boolean;
  flush(): void;
  /** Kills the running script or function. */
  kill(kind: ScriptKind): void;
}

export interface FunctionDescription {
  readonly name: string;
  readonly description: string | undefined;
  readonly flags: readonly string[];
}

export interface LibraryDescription {
  readonly name: string;
  readonly code: string;
  readonly functions: readonly FunctionDescription[];
}

/** A script or function that is running while other clients are answered BUSY. */
export interface RunningScript {
  readonly kind: ScriptKind;
  readonly name: string;
  /** The words of the command that runs it. */
  readonly command: readonly string[];
  readonly milliseconds: number;
}

/** The treatment of existing libraries when others are restored. */
export type RestorePolicy = 'flush' | 'append' | 'replace';

/** Libraries of functions. */
export interface FunctionsPort {
  readonly libraryCount: number;
  readonly functionCount: number;
  readonly running: RunningScript | undefined;
  /** Runs the function that the command's first argument names, and replies with what it returns. */
  call(call: Call, isReadonly: boolean): void;
  /** Returns the library's name. */
  load(code: string, replaces: boolean): string;
  delete(name: string): boolean;
  flush(): void;
  /** The libraries whose name matches the pattern. */
  list(pattern: string | undefined): readonly LibraryDescription[];
  dump(): Buffer;
  restore(payload: Bytes, policy: RestorePolicy): void;
}
