import { Bytes } from '../../bytes/bytes.js';
import { writeInteger } from '../../bytes/numbers/integer.js';
import { charCodeAt } from '../../bytes/text.js';
import { wideBuffer } from '../../bytes/wide-buffer.js';
import { Verdict } from '../../commands/acl/selector.js';
import { Call } from '../../commands/call.js';
import { FLAG } from '../../commands/flag.js';
import { Session, SessionGate, silentSink } from '../../commands/session.js';
import type { Command } from '../../commands/table.js';
import { formatGeneral, type LuaTable, type LuaValue } from '../../lua/index.js';
import type { Reply } from '../../resp/reply.js';
import type { Engine } from '../engine.js';
import { LuaReply } from './lua-reply.js';
import { errorTable } from './script-error.js';
import type { ScriptRun } from './script-run.js';

/**
 * Runs commands for scripts. Arguments are copied into one buffer, and the reply is turned into Lua values directly,
 * without RESP. It has its own session, so that SELECT in a script does not affect the client.
 */
export class CommandCaller {
  readonly session: Session;
  readonly reply = new LuaReply();
  /** Whether the last call failed; its value is then the error. */
  failed = false;
  readonly #engine: Engine;
  readonly #call: Call;
  readonly #args: Bytes[] = [];
  #buffer = wideBuffer(FIRST_BUFFER);
  /** Commands by name, as spelled in scripts. */
  readonly #commands = new Map<string, Command>();

  constructor(engine: Engine) {
    this.#engine = engine;
    this.session = new Session(0, silentSink, engine.database(0), 0);
    this.#call = new Call(engine);
    this.#call.session = this.session;
    this.#call.reply = this.reply;
    this.#call.args = this.#args;
    this.#call.mayBlock = false;
    this.#call.isScript = true;
  }

  /** Prepares for a script: selects the client's database and RESP2 replies. */
  begin(run: ScriptRun): void {
    this.session.db = run.call.db;
    this.session.user = run.call.session.user;
    this.session.gates = run.call.session.gates & SessionGate.restricted;
    this.reply.protocol = 2;
  }

  /** Cleans up after a script: frees the buffer of a large argument. */
  end(): void {
    if (this.#buffer.length > MAX_KEPT) this.#buffer = wideBuffer(FIRST_BUFFER);
  }

  /** Replies go here, and from here to `reply`. */
  protected replyTo(target: Reply): void {
    this.#call.reply = target;
  }

  /** Calls the command and returns its reply, or the error: see `failed`. */
  run(words: readonly LuaValue[], run: ScriptRun): LuaValue {
    this.failed = true;
    if (words.length === 0) {
      return errorTable('ERR Please specify at least one argument for this redis lib call');
    }
    if (!this.#layOut(words)) {
      return errorTable('ERR Lua redis lib command arguments must be strings or integers');
    }
    const argc = words.length;
    const command = this.#lookup(words[0] as string, argc);
    if (command === undefined) return this.#refuse('ERR Unknown Redis command called from script');
    if (!command.accepts(argc)) {
      return this.#refuse('ERR Wrong number of args calling Redis command from script', command);
    }
    const call = this.#call;
    call.command = command;
    call.argc = argc;
    const flags = run.guardedFlags | this.#engine.gatedFlags;
    const gates = this.#engine.gates | this.session.gates | (command.flagBits & flags);
    if (gates !== 0) {
      const refused = this.#engine.admission.admit(call, run);
      if (refused !== undefined) return this.#refuse(refused.text, command);
    }
    return this.#execute(call, run);
  }

  /** The command that these words name; undefined if it does not exist. */
  find(words: readonly LuaValue[]): Command | 'no words' | 'wrong types' | undefined {
    if (words.length === 0) return 'no words';
    if (!this.#layOut(words)) return 'wrong types';
    return this.#lookup(words[0] as string, words.length);
  }

  /** Whether the client's user may run the command with the words that `find` was called with. */
  mayRun(command: Command, argc: number): boolean {
    return this.#engine.users.check(this.session, command, this.#args, argc) === Verdict.allowed;
  }

  /** Copies the words into the buffer. Returns false if one is neither a string nor a number. */
  #layOut(words: readonly LuaValue[]): boolean {
    const { length } = words;
    let size = 0;
    for (let i = 0; i < length; i++) {
      const word = words[i];
      if (typeof word === 'string') size += word.length;
      else if (typeof word === 'number') size += MAX_NUMBER_LENGTH;
      else return false;
    }
    const args = this.#args;
    while (args.length < length) args.push(new Bytes());
    if (size > this.#buffer.length) this.#buffer = wideBuffer(size * 2);
    const buffer = this.#buffer;
    let at = 0;
    for (let i = 0; i < length; i++) {
      const end = write(buffer, at, words[i] as string | number);
      (args[i] as Bytes).set(buffer, at, end);
      at = end;
    }
    return true;
  }

  #lookup(name: string | number, argc: number): Command | undefined {
    const { table } = this.#engine;
    let command = typeof name === 'string' ? this.#commands.get(name) : undefined;
    if (command === undefined) {
      const { buf, start, end } = this.#args[0] as Bytes;
      command = table.lookup(buf, start, end);
      if (command === undefined) return undefined;
      if (typeof name === 'string' && this.#commands.size < MAX_NAMES) this.#commands.set(name, command);
    }
    return command.resolve(this.#args, argc);
  }

  #refuse(text: string, command?: Command): LuaTable {
    const { statistics } = this.#engine;
    statistics.countError(text);
    if (command !== undefined) statistics.countRejected(command.id);
    return errorTable(text, true);
  }

  #execute(call: Call, run: ScriptRun): LuaValue {
    const engine = this.#engine;
    const { effects } = engine.keyspace;
    const { reply } = this;
    const { command } = call;
    if ((command.flagBits & FLAG.write) !== 0) run.hasWritten = true;
    call.db = this.session.db;
    reply.reset();
    effects.recipients = run.recipients;
    const failure = engine.runner.run(call);
    effects.recipients = 'all';
    if (failure !== undefined) {
      reply.reset();
      call.reply.error(failure);
    }
    if (run.isObserved) this.#observe(command, run);
    this.failed = reply.isError;
    return reply.value;
  }

  /** Shows the command to monitors. If it reads, a tracking client tracks the keys that were passed to the script. */
  #observe(command: Command, run: ScriptRun): void {
    const { tracking, monitors } = this.#engine;
    const { session, command: scriptCommand, args, argc } = run.call;
    if (session.tracking !== undefined && (command.flagBits & FLAG.readonly) !== 0) {
      tracking.rememberKeys(session, scriptCommand, args, argc);
    }
    monitors.show(this.session, 'script', command, this.#call);
  }
}

/** Writes the word and returns the offset after it. Numbers get up to 17 digits, so that they are exact. */
function write(buffer: Buffer, at: number, word: string | number): number {
  if (typeof word === 'string') {
    const { length } = word;
    if (length > SHORT) return at + buffer.latin1Write(word, at);
    for (let i = 0; i < length; i++) buffer[at + i] = charCodeAt(word, i);
    return at + length;
  }
  if (Number.isSafeInteger(word) && !Object.is(word, -0)) return writeInteger(buffer, at, word);
  return at + buffer.latin1Write(formatGeneral(word, 17), at);
}

const FIRST_BUFFER = 1 << 12;
const MAX_KEPT = 1 << 20;
/** `-1.7976931348623157e+308` */
const MAX_NUMBER_LENGTH = 25;
/** Up to this length a loop is faster than a native call. */
const SHORT = 24;
/** Limits the remembered spellings: scripts may write a command in any letter case. */
const MAX_NAMES = 1000;
