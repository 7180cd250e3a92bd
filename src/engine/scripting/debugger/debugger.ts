import type { DebugChannel } from '../../../commands/session.js';
import {
  captureFrames,
  type Frame,
  type LineTracing,
  LuaError,
  type LuaFunction,
  type LuaState,
  LuaSyntaxError,
  LuaTable,
  type LuaValue,
} from '../../../lua/index.js';
import { raiseText } from '../script-error.js';
import { DebugLog } from './debug-log.js';
import { parseDebugRequest } from './debug-request.js';
import { DEBUGGER_HELP } from './debugger-help.js';
import { shownValue } from './shown-value.js';
import { SourceListing } from './source-listing.js';

/**
 * One debugging session: stops the script, and executes what the client asks for until it lets the script continue. It waits for
 * the client inside the script, so nothing else runs in this thread meanwhile.
 */
export class Debugger {
  readonly log = new DebugLog();
  readonly listing: SourceListing;
  /** `redis.breakpoint()` was called: the script stops at the next line. */
  stopsNext = false;
  readonly #channel: DebugChannel;
  #state: LuaState | undefined;
  #tracing: LineTracing | undefined;
  /** Called when the script continues, which may have been stopped for long. */
  readonly #onContinue: () => void;
  #isStopped = false;
  #input = '';

  constructor(channel: DebugChannel, source: string, onContinue: () => void) {
    this.#channel = channel;
    this.listing = new SourceListing(source, this.log);
    this.#onContinue = onContinue;
  }

  /** Compiles the script so that it tells of its lines. Throws a LuaSyntaxError. */
  compile(state: LuaState, body: string): ReturnType<LuaState['compile']> {
    this.#state = state;
    const { chunk, tracing } = state.compileForTracing(body, '@user_script', (line) => this.#onLine(line));
    this.#tracing = tracing;
    return chunk;
  }

  /** Adds the functions of `redis` that show something only to the debugger. */
  addFunctions(state: LuaState, redis: LuaTable): void {
    const errorReply = redis.get('error_reply') as LuaFunction;
    state.registerFunction(
      'breakpoint',
      () => {
        this.stopsNext = true;
        return true;
      },
      redis,
    );
    state.registerFunction(
      'debug',
      (...values) => {
        const shown = values.map((value) => shownValue(value)).join(', ');
        this.log.add(`<debug> line ${this.listing.currentLine}: ${shown}`);
        return [];
      },
      redis,
    );
    state.registerFunction(
      'error_reply',
      (...args) => {
        const [text] = args;
        this.log.whenStepping(() => `<error> -${String(text).replace(/^-/, '')}`);
        return errorReply(...args);
      },
      redis,
    );
  }

  /** Sends the remaining lines and the mark that ends the session. */
  end(): void {
    this.log.add('<endsession>');
    this.#send();
  }

  /** Called for a script that has been running for long since it last stopped. */
  onTimeout(): void {
    if (this.#isStopped || this.log.isStepping) return;
    const isAnswered = this.#stop('timeout reached, infinite loop?');
    if (!isAnswered) raiseText('timeout during Lua debugging with client closing connection');
  }

  #onLine(line: number): void {
    // Code that the client evaluates does not stop.
    if (this.#isStopped) return;
    const { listing, log } = this;
    listing.currentLine = line;
    if (this.stopsNext) this.#stop('redis.breakpoint() called');
    else if (listing.breakpoints.includes(line)) this.#stop('break point');
    else if (log.isStepping) this.#stop('step over');
  }

  /** False if the client has closed the connection: the script then runs to its end. */
  #stop(reason: string): boolean {
    const { listing, log } = this;
    log.isStepping = false;
    this.stopsNext = false;
    log.add(`* Stopped at ${listing.currentLine}, stop reason = ${reason}`);
    listing.show(listing.currentLine);
    this.#send();
    this.#isStopped = true;
    try {
      return this.#serve();
    } finally {
      this.#isStopped = false;
      this.#onContinue();
    }
  }

  #send(): void {
    this.#channel.write(this.log.take());
  }

  #serve(): boolean {
    for (;;) {
      const words = this.#receive();
      if (words === undefined) {
        this.log.isStepping = false;
        this.listing.breakpoints.length = 0;
        return false;
      }
      const [name = '', ...rest] = words;
      const command = COMMANDS.get(name.toLowerCase());
      if (command === 'step') this.log.isStepping = true;
      if (command === 'step' || command === 'continue') return true;
      this.#execute(command, rest);
      this.#send();
    }
  }

  /** The words of the next request; undefined if the client is gone. Raises an error in the script if the request is invalid. */
  #receive(): readonly string[] | undefined {
    for (;;) {
      const request = parseDebugRequest(this.#input);
      if (request === 'broken') return raiseText('protocol error');
      if (request !== 'incomplete') {
        this.#input = '';
        return request;
      }
      const bytes = this.#channel.read();
      if (bytes === undefined) return undefined;
      this.#input += bytes.toString('latin1');
      if (this.#input.length > MAX_INPUT) {
        this.#input = '';
        raiseText('max client buffer reached');
      }
    }
  }

  #execute(command: string | undefined, words: readonly string[]): void {
    const action = command === undefined ? undefined : this.#actions[command];
    if (action !== undefined && (command !== 'redis' || words.length > 0)) action(words);
    else this.log.add('<error> Unknown Redis Lua debugger command or wrong number of arguments.');
  }

  readonly #actions: Readonly<Record<string, (words: readonly string[]) => void>> = {
    help: () => {
      for (const line of DEBUGGER_HELP) this.log.add(line);
    },
    abort: () => raiseText('script aborted for user request'),
    trace: () => this.#trace(),
    maxlen: (words) => this.#setMaxLength(words),
    break: (words) => this.listing.editBreakpoints(words),
    eval: (words) => this.#evaluate(words.join(' ')),
    print: (words) => (words.length === 1 ? this.#print(words[0] as string) : this.#printAll()),
    list: ([line, context]) => {
      const around = integer(line) > 0 ? integer(line) : this.listing.currentLine;
      this.listing.showAround(around, context === undefined ? 5 : integer(context));
    },
    whole: () => this.listing.showAround(1, 1_000_000),
    redis: (words) => this.#call(words),
  };

  /** The functions that are running. Their names are those by which their callers called them. */
  #trace(): void {
    captureFrames().forEach((frame, level, frames) => {
      if (frame.kind !== 'lua' || frame.site === undefined || frame.chunk.displayName !== 'user_script')
        return;
      this.log.add(`${level === 0 ? 'In' : 'From'} ${calledName(frames[level + 1]) ?? 'top level'}:`);
      this.listing.show(frame.site.line);
    });
  }

  #setMaxLength(words: readonly string[]): void {
    const { log } = this;
    if (words.length === 1) {
      const length = integer(words[0]);
      log.isHintGiven = true;
      log.maxLength = length === 0 ? 0 : Math.max(MIN_MAX_LENGTH, length);
    }
    log.add(
      log.maxLength === 0
        ? '<value> replies are unlimited.'
        : `<value> replies are truncated at ${log.maxLength} bytes.`,
    );
  }

  /** Runs code as an expression or, if it is none, as statements. It sees globals only. */
  #evaluate(code: string): void {
    const state = this.#state as LuaState;
    try {
      const chunk = compileAny(state, [`return ${code}`, code]);
      this.log.addTrimmed(`<retval> ${shownValue(state.run(chunk)[0])}`);
    } catch (error) {
      if (!(error instanceof LuaError) && !(error instanceof LuaSyntaxError)) throw error;
      this.log.add(`<error> ${error instanceof LuaError ? errorText(error.value) : error.message}`);
    }
  }

  /** Calls the command as `redis.call` would, which shows the command and its reply. */
  #call(words: readonly string[]): void {
    const state = this.#state as LuaState;
    const redis = state.globals.get('redis') as LuaTable;
    this.log.isStepping = true;
    try {
      state.call(redis.get('call'), ...words);
    } catch (error) {
      if (!(error instanceof LuaError)) throw error;
    } finally {
      this.log.isStepping = false;
    }
  }

  /** The variable of the innermost function that has one of this name. */
  #print(name: string): void {
    for (let frame = this.#tracing?.current; frame !== undefined; frame = frame.outer) {
      const local = frame.locals().find(([each]) => each === name);
      if (local === undefined) continue;
      this.log.addTrimmed(`<value> ${shownValue(local[1])}`);
      return;
    }
    if (name !== 'KEYS' && name !== 'ARGV') this.log.add('No such variable.');
    else this.log.addTrimmed(`<value> ${shownValue((this.#state as LuaState).globals.get(name))}`);
  }

  #printAll(): void {
    const locals = this.#tracing?.current?.locals() ?? [];
    for (const [name, value] of locals) this.log.addTrimmed(`<value> ${name} = ${shownValue(value)}`);
    if (locals.length === 0) this.log.add('No local variables in the current context.');
  }
}

function calledName(caller: Frame | undefined): string | undefined {
  return caller?.kind === 'lua' ? caller.site?.called?.name : undefined;
}

/** Compiles the first source that is valid; the error is that of the last one. */
function compileAny(state: LuaState, sources: readonly [string, string]): ReturnType<LuaState['compile']> {
  try {
    return state.compile(sources[0], '@ldb_eval');
  } catch (error) {
    if (!(error instanceof LuaSyntaxError)) throw error;
    return state.compile(sources[1], '@ldb_eval');
  }
}

function errorText(value: LuaValue): string {
  return String(value instanceof LuaTable ? value.getString('err') : value);
}

/** As C's `atoi`. */
function integer(text: string | undefined): number {
  return Number.parseInt(text ?? '', 10) || 0;
}

const COMMANDS = new Map<string, string>([
  ...[
    'help',
    'step',
    'continue',
    'list',
    'whole',
    'print',
    'break',
    'trace',
    'eval',
    'redis',
    'maxlen',
    'abort',
  ].flatMap((name): [string, string][] => [
    [name, name],
    [name.charAt(0), name],
  ]),
  ['next', 'step'],
  ['n', 'step'],
]);

const MIN_MAX_LENGTH = 60;
/** More input without a complete request ends the script. */
const MAX_INPUT = 1 << 20;
