import type { Bytes } from '../bytes/bytes.js';
import type { Call } from '../commands/call.js';
import type { FunctionsPort, ScriptingPort, ScriptKind } from '../commands/engine-port.js';
import type { CommandError } from '../commands/errors.js';
import { CATEGORY } from '../commands/flag.js';
import type { Command } from '../commands/table.js';
import type { Engine } from './engine.js';
import { type Scripting, startScripting } from './scripting/index.js';

/** Scripting, loaded with the first script or function: most engines never run one. */
export class ScriptingOnDemand implements ScriptingPort {
  allowsAnyCommand = false;
  /** After how many ms a script is ended. A server never ends one by itself: it answers BUSY to the others. */
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

  /** Loads it now, so that the first script need not wait. */
  prepare(): void {
    this.#started ??= startScripting(this.#engine);
  }

  get functions(): FunctionsPort {
    return this.#scripting.functions;
  }

  /** The code of all libraries, for files. */
  libraryCodes(): Buffer[] {
    return this.#started?.functions.codes() ?? [];
  }

  /** All libraries are forgotten. */
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

  /** The command's flags; of one that runs a script, those that follow from what the script says of itself. */
  commandFlags(command: Command, args: readonly Bytes[]): number {
    if ((command.categoryBits & CATEGORY.scripting) === 0) return command.flagBits;
    return this.#scripting.commandFlags(command, args);
  }

  /** What other clients are answered; undefined unless a script has been running for too long. */
  get busyError(): CommandError | undefined {
    return this.#started?.busyError;
  }

  /** Ends the running script, even if it has written: the server shuts down. */
  abandon(): void {
    this.#started?.abandon();
  }
}
