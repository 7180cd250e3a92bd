import { LuaTable, type LuaValue } from '../../../lua/index.js';
import type { Reply } from '../../../resp/reply.js';
import { RespWriter } from '../../../resp/resp-writer.js';
import type { Engine } from '../../engine.js';
import { CommandCaller } from '../command-caller.js';
import type { ScriptRun } from '../script-run.js';
import type { DebugLog } from './debug-log.js';
import { shownReply } from './shown-reply.js';

/** Runs the commands of a script that is being debugged, and shows them and their replies while the client goes step by step. */
export class DebuggedCaller extends CommandCaller {
  readonly #log: DebugLog;
  /** The last reply in RESP; empty if the command was refused. */
  readonly #writer = new RespWriter(1 << 12);

  constructor(engine: Engine, log: DebugLog) {
    super(engine);
    this.#log = log;
    this.replyTo(bothReplies(this.reply, this.#writer));
  }

  override run(words: readonly LuaValue[], run: ScriptRun): LuaValue {
    const log = this.#log;
    this.#writer.reset();
    this.#writer.protocol = this.reply.protocol;
    const found = this.find(words);
    if (typeof found !== 'string') log.whenStepping(() => `<redis>${shownWords(words)}`);
    const value = super.run(words, run);
    const hasReply = this.#writer.length > 0;
    if (this.failed) log.whenStepping(() => `<error> ${shownError(value, hasReply)}`);
    if (hasReply) {
      const { buffer, length } = this.#writer;
      log.trimmedWhenStepping(() => `<reply> ${shownReply(buffer.latin1Slice(0, length))}`);
    }
    return value;
  }
}

/** The first ten words. */
function shownWords(words: readonly LuaValue[]): string {
  const shown = words.slice(0, SHOWN_WORDS).map((word) => ` ${word}`);
  if (words.length > SHOWN_WORDS) shown.push(` ... (${words.length - SHOWN_WORDS - 1} more)`);
  return shown.join('');
}

/** Redis shows the code of an error that is a command's reply or has a code other than ERR. */
function shownError(value: LuaValue, isReply: boolean): string {
  const text = value instanceof LuaTable ? String(value.getString('err')) : '';
  return isReply || !text.startsWith('ERR ') ? `-${text}` : text.slice('ERR '.length);
}

/** Passes each call to both. The numbers that `defer` returns differ: the second's are looked up by the first's. */
function bothReplies<First extends Reply>(first: First, second: Reply): First {
  const marks = new Map<unknown, unknown>();
  return new Proxy(first, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      const other = Reflect.get(second, name) as (...args: unknown[]) => unknown;
      return (...args: unknown[]): unknown => {
        const result: unknown = member.apply(target, args);
        const isEnd = String(name).startsWith('finish');
        const otherResult = other.apply(second, isEnd ? [marks.get(args[0]), ...args.slice(1)] : args);
        if (name === 'defer') marks.set(result, otherResult);
        return result;
      };
    },
    set: (target, name, value) => Reflect.set(target, name, value),
  });
}

const SHOWN_WORDS = 10;
