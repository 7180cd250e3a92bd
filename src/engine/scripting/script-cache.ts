import { createHash } from 'node:crypto';
import { Bytes } from '../../bytes/bytes.js';
import { CommandError } from '../../commands/errors.js';
import { type LuaChunk, type LuaState, LuaSyntaxError } from '../../lua/index.js';
import { scriptHead } from './shebang.js';

/** A script of EVAL or SCRIPT LOAD, compiled. */
export interface Script {
  readonly sha: string;
  readonly source: string;
  readonly flags: number;
  readonly chunk: LuaChunk;
  /** Whether it may use KEYS and ARGV. Otherwise they are not created. */
  readonly seesArguments: boolean;
  readonly shaBytes: Bytes;
  /** It was loaded by SCRIPT LOAD and stays until SCRIPT FLUSH. */
  isLoaded: boolean;
  /** It has run since the last search for scripts to evict. */
  isUsed: boolean;
}

/**
 * Compiled scripts, by hash and by source. Scripts loaded by SCRIPT LOAD stay. Of other scripts at most MAX_EVALUATED, with
 * MAX_BYTES of source, are kept: beyond that, the oldest that have not run since the last eviction are removed. A program
 * that puts values into the text of its scripts therefore does not fill the memory.
 */
export class ScriptCache {
  readonly #state: LuaState;
  readonly #bySha = new Map<string, Script>();
  readonly #bySource = new Map<string, Script>();
  /** Recently used scripts, indexed by the first bytes of their hash. */
  readonly #recent: (Script | undefined)[] = new Array<Script | undefined>(RECENT).fill(undefined);
  #bytes = 0;
  readonly #evaluated = new Set<Script>();
  #evaluatedBytes = 0;

  constructor(state: LuaState) {
    this.#state = state;
  }

  get size(): number {
    return this.#bySha.size;
  }

  /** Bytes of source. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Finds a script by its hash, in any letter case. */
  find(sha: string): Script | undefined {
    return this.#bySha.get(sha) ?? this.#bySha.get(sha.toLowerCase());
  }

  /** Like `find`. Allocates no string for a script that has run recently. */
  findBytes(sha: Bytes): Script | undefined {
    const place = (sha.at(0) * 31 + sha.at(1) * 7 + sha.at(2)) & (RECENT - 1);
    const recent = this.#recent[place];
    if (recent?.shaBytes.equals(sha) === true) return recent;
    const script = this.find(sha.toString());
    if (script !== undefined) this.#recent[place] = script;
    return script;
  }

  /** The script with this source, compiled if it is new. Throws the error for the client. */
  obtain(source: string, isLoaded: boolean): Script {
    let script = this.#bySource.get(source);
    if (script === undefined) script = this.#add(source);
    if (isLoaded && !script.isLoaded) {
      script.isLoaded = true;
      this.#evaluated.delete(script);
      this.#evaluatedBytes -= source.length;
    }
    if (this.#evaluated.size > MAX_EVALUATED || this.#evaluatedBytes > MAX_BYTES) this.#forgetSome(script);
    return script;
  }

  flush(): void {
    this.#bySha.clear();
    this.#bySource.clear();
    this.#recent.fill(undefined);
    this.#evaluated.clear();
    this.#bytes = 0;
    this.#evaluatedBytes = 0;
  }

  #add(source: string): Script {
    const { flags, body } = scriptHead(source);
    const sha = createHash('sha1').update(source, 'latin1').digest('hex');
    const script: Script = {
      sha,
      source,
      flags,
      chunk: this.#compile(body),
      seesArguments: WAYS_TO_ARGUMENTS.test(body),
      shaBytes: Bytes.of(sha),
      isLoaded: false,
      isUsed: true,
    };
    this.#bySha.set(sha, script);
    this.#bySource.set(source, script);
    this.#bytes += source.length;
    this.#evaluated.add(script);
    this.#evaluatedBytes += source.length;
    return script;
  }

  #compile(body: string): LuaChunk {
    try {
      return this.#state.compile(body, '@user_script');
    } catch (error) {
      if (!(error instanceof LuaSyntaxError)) throw error;
      throw new CommandError(`ERR Error compiling script (new function): ${error.message}`);
    }
  }

  #forgetSome(newest: Script): void {
    this.#recent.fill(undefined);
    for (const script of this.#evaluated) {
      if (script === newest) continue;
      // Either moved to the end or removed.
      this.#evaluated.delete(script);
      if (script.isUsed) {
        script.isUsed = false;
        this.#evaluated.add(script);
        continue;
      }
      this.#bySha.delete(script.sha);
      this.#bySource.delete(script.source);
      this.#bytes -= script.source.length;
      this.#evaluatedBytes -= script.source.length;
      if (this.#evaluated.size <= MAX_EVALUATED && this.#evaluatedBytes <= MAX_BYTES) return;
    }
  }
}

/** The ways to reach KEYS and ARGV: by name, through a table of globals, or in code that the script loads. */
const WAYS_TO_ARGUMENTS = /KEYS|ARGV|_G|env|load/;
const RECENT = 256;
const MAX_EVALUATED = 2000;
const MAX_BYTES = 1 << 24;
