import type { Bytes } from '../../bytes/bytes.js';
import { globMatchText } from '../../bytes/glob.js';
import type { Call } from '../../commands/call.js';
import { CommandError } from '../../commands/errors.js';
import type {
  FunctionsPort,
  LibraryDescription,
  RestorePolicy,
  RunningScript,
} from '../../commands/scripting-port.js';
import { dumpFunctions, functionsInPayload, PayloadError } from '../../rdb/function-dump.js';
import { FunctionState, Libraries, type Library, libraryExists } from './function-libraries.js';
import { countedKeys, textsOf } from './script-arguments.js';
import { checkScriptFlags, ScriptRun } from './script-run.js';
import type { Scripting } from './scripting.js';
import { flagNames, libraryHead } from './shebang.js';

/** The libraries of functions. */
export class Functions implements FunctionsPort {
  readonly #scripting: Scripting;
  #state: FunctionState | undefined;
  #libraries = new Libraries();

  constructor(scripting: Scripting) {
    this.#scripting = scripting;
  }

  get #interpreter(): FunctionState {
    const scripting = this.#scripting;
    this.#state ??= new FunctionState(scripting, () => scripting.onBudget(), scripting.hasDeprecatedApi);
    return this.#state;
  }

  get libraryCount(): number {
    return this.#libraries.byName.size;
  }

  get functionCount(): number {
    return this.#libraries.functions.size;
  }

  get codeBytes(): number {
    let bytes = 0;
    for (const { code } of this.#libraries.byName.values()) bytes += code.length;
    return bytes;
  }

  /** The source code of all libraries, to be saved. */
  codes(): Buffer[] {
    return [...this.#libraries.byName.values()].map(({ code }) => Buffer.from(code, 'latin1'));
  }

  load(code: string, replaces: boolean): string {
    const { name } = libraryHead(code);
    if (!replaces && this.#libraries.byName.has(name)) throw libraryExists(name);
    this.#libraries.add(this.#interpreter.load(code), replaces);
    return name;
  }

  delete(name: string): boolean {
    const library = this.#libraries.byName.get(name);
    if (library === undefined) return false;
    this.#libraries.remove(library);
    return true;
  }

  flush(): void {
    this.#libraries = new Libraries();
    if (this.#scripting.run === undefined) this.#state = undefined;
  }

  list(pattern: string | undefined): LibraryDescription[] {
    const described: LibraryDescription[] = [];
    for (const library of this.#libraries.byName.values()) {
      if (pattern === undefined || globMatchText(pattern, library.name, true))
        described.push(describe(library));
    }
    return described;
  }

  dump(): Buffer {
    return dumpFunctions(this.codes());
  }

  /** Restores all libraries of the payload, or none. */
  restore(payload: Bytes, policy: RestorePolicy): void {
    const restored = new Libraries();
    try {
      for (const code of functionsInPayload(payload)) restored.add(this.#interpreter.load(code), false);
    } catch (error) {
      if (error instanceof PayloadError) throw new CommandError(`ERR ${error.message}`);
      throw error;
    }
    const joined = new Libraries();
    if (policy !== 'flush') {
      for (const library of this.#libraries.byName.values()) joined.add(library, false);
    }
    for (const library of restored.byName.values()) {
      if (policy === 'append' && joined.byName.has(library.name)) {
        throw new CommandError(`ERR Library ${library.name} already exists`);
      }
      joined.add(library, true);
    }
    this.#libraries = joined;
  }

  /** The flags that a function declares; undefined if the function does not exist. */
  flagsOf(name: string): number | undefined {
    return this.#libraries.functions.get(name.toLowerCase())?.flags;
  }

  call(call: Call, isReadonly: boolean): void {
    const { engine } = this.#scripting;
    if (engine.monitors.size > 0) engine.monitors.feed(call.session, 'client', call.command, call);
    const fn = this.#libraries.functions.get(call.text(1).toLowerCase());
    if (fn === undefined) throw NOT_FOUND;
    const keyCount = countedKeys(call, call.integer(2, BAD_COUNT));
    checkScriptFlags(engine, call, fn.flags, isReadonly);
    const run = new ScriptRun('function', fn.name, call, fn.flags, isReadonly, engine.runner.startedAt);
    const args = [textsOf(call, 3, 3 + keyCount), textsOf(call, 3 + keyCount, call.argc)];
    this.#scripting.runFunction(run, this.#interpreter.state, fn.callback, args);
  }

  get running(): RunningScript | undefined {
    const { run } = this.#scripting;
    if (run === undefined) return undefined;
    const words: string[] = [];
    for (let i = 0; i < run.call.argc; i++) words.push(run.call.text(i));
    return { kind: run.kind, name: run.name, command: words, milliseconds: Math.floor(run.milliseconds) };
  }
}

function describe({ name, code, functions }: Library): LibraryDescription {
  return {
    name,
    code,
    functions: [...functions.values()].map((fn) => ({
      name: fn.name,
      description: fn.description,
      flags: flagNames(fn.flags),
    })),
  };
}

const NOT_FOUND = new CommandError('ERR Function not found');
const BAD_COUNT = new CommandError('ERR Bad number of keys provided');
