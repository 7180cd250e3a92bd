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
  /** Whether it may use KEYS and ARGV. Otherwise they are not made. */
  readonly seesArguments: boolean;
  readonly shaBytes: Bytes;
  /** SCRIPT LOAD has named it: it stays until SCRIPT FLUSH. */
  isLoaded: boolean;
  /** It was run since the last search for scripts to forget. */
  isUsed: boolean;
}

/**
 * Compiled scripts, by hash and by source. What SCRIPT LOAD has loaded stays. Of scripts that only EVAL has brought, at
 * most MOST_EVALUATED and MOST_BYTES of source are kept: beyond that the oldest go that were not run since the last
 * time round, so that a program that puts values into its scripts' text does not fill the memory.
 */
export class ScriptCache {
  readonly #state: LuaState;
  readonly #bySha = new Map<string, Script>();
  readonly #bySource = new Map<string, Script>();
  /** Scripts found by the bytes of their hash, in the place that its beginning says. */
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

  /** By its hash in any letter case. */
  find(sha: string): Script | undefined {
    return this.#bySha.get(sha) ?? this.#bySha.get(sha.toLowerCase());
  }

  /** The same. No string is made for a script that was run before. */
  findBytes(sha: Bytes): Script | undefined {
    const place = (sha.at(0) * 31 + sha.at(1) * 7 + sha.at(2)) & (RECENT - 1);
    const recent = this.#recent[place];
    if (recent?.shaBytes.equals(sha) === true) return recent;
    const script = this.find(sha.toString());
    if (script !== undefined) this.#recent[place] = script;
    return script;
  }

  /** The script of that source, compiled if it is new. Throws what the client is told. */
  obtain(source: string, isLoaded: boolean): Script {
    let script = this.#bySource.get(source);
    if (script === undefined) script = this.#add(source);
    if (isLoaded && !script.isLoaded) {
      script.isLoaded = true;
      this.#evaluated.delete(script);
      this.#evaluatedBytes -= source.length;
    }
    if (this.#evaluated.size > MOST_EVALUATED || this.#evaluatedBytes > MOST_BYTES) this.#forgetSome(script);
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
      // Everything goes to the end of the line, or goes.
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
      if (this.#evaluated.size <= MOST_EVALUATED && this.#evaluatedBytes <= MOST_BYTES) return;
    }
  }
}

/** By name, through a table of globals, or in code that it makes: these are all the ways there are. */
const WAYS_TO_ARGUMENTS = /KEYS|ARGV|_G|env|load/;
const RECENT = 256;
const MOST_EVALUATED = 2000;
const MOST_BYTES = 1 << 24;
