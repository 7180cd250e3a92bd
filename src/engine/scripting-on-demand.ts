import type { Bytes } from '../bytes/bytes.js';
import type { Call } from '../commands/call.js';
import type { CommandError } from '../commands/errors.js';
import { CATEGORY } from '../commands/flag.js';
import type { FunctionsPort, ScriptingPort, ScriptKind } from '../commands/scripting-port.js';
import type { Command } from '../commands/table.js';
import type { Engine } from './engine.js';
import { type Scripting, startScripting } from './scripting/index.js';

/** Loads scripting with the first script or function: most engines never run one. */
export class ScriptingOnDemand implements ScriptingPort {
  allowsAnyCommand = false;
  /** Ends a script after this many ms. A server never does: it answers other clients with BUSY. */
  timeLimit = Number.POSITIVE_INFINITY;
  readonly #engine: Engine;
  #started: Scripting | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get #scripting(): Scripting {
    this.#started ??= startScripting(this.#engine);
    return this.#started;
  }

  /** Loads scripting now, so that the first script does not wait for it. */
  prepare(): void {
    this.#started ??= startScripting(this.#engine);
  }

  get functions(): FunctionsPort {
    return this.#scripting.functions;
  }

  /** The source code of all libraries, to be saved. */
  libraryCodes(): Buffer[] {
    return this.#started?.functions.codes() ?? [];
  }

  /** Deletes all libraries. */
  flushLibraries(): void {
    this.#started?.functions.flush();
  }

  evaluate(call: Call, by: 'source' | 'sha', isReadonly: boolean): void {
    this.#scripting.evaluate(call, by, isReadonly);
  }

  load(source: string): string {
    return this.#scripting.load(source);
  }

  exists(sha: string): boolean {
    return this.#started?.exists(sha) ?? false;
  }

  flush(): void {
    this.#started?.flush();
  }

  kill(kind: ScriptKind): void {
    this.#scripting.kill(kind);
  }

  /** The command's flags. For a command that runs a script they follow from the flags that the script declares. */
  commandFlags(command: Command, args: readonly Bytes[]): number {
    if ((command.categoryBits & CATEGORY.scripting) === 0) return command.flagBits;
    return this.#scripting.commandFlags(command, args);
  }

  /** The error that other clients get during a slow script; undefined if there is none. */
  get busyError(): CommandError | undefined {
    return this.#started?.busyError;
  }

  /** Ends the running script at shutdown, even if it has written. */
  abandon(): void {
    this.#started?.abandon();
  }
}
