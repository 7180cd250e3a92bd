import { createInterface, type Interface } from 'node:readline';
import { splitWords } from '../../bytes/quoting.js';
import type { Link } from '../wire/link.js';
import { isAggregate, type WireReply } from '../wire/reply.js';
import { latin1Of } from '../wire/request.js';
import type { Client } from './client.js';
import { type Console, PlainConsole, type Surroundings } from './console.js';
import { formatReply } from './format-reply.js';
import type { CliOptions } from './options.js';
import { runLine } from './run-line.js';
import { Session } from './session.js';

const INTRODUCTION = `Lua debugging session started, please use:
quit    -- End the session.
restart -- Restart the script in debug mode again.
help    -- Show Lua script debugging commands.

`;

/** What a debugging session is about. */
export interface DebuggedScript {
  readonly isSync: boolean;
  /** EVAL and its arguments, read again at each start. */
  readonly command: () => readonly string[];
}

/** `--ldb --eval FILE …`: debugs a script. After its end, lines are commands for the server. The result is the exit code. */
export async function runDebugger(
  script: DebuggedScript,
  options: CliOptions,
  client: Client,
  out: Console,
  surroundings: Surroundings,
): Promise<number> {
  const lines = new Lines(surroundings);
  // Like redis-cli, which then shows replies to people, whatever the output is.
  const after = new PlainConsole({ ...out.style, mode: 'standard' }, true, surroundings);
  try {
    for (;;) {
      out.print(INTRODUCTION);
      const debugged = new DebuggedRun(script, client, out, surroundings.environment);
      if (!(await debugged.start())) return 0;
      const next = await converse(debugged, new Session(client, after, options, true), lines, after);
      if (next === 'end') return 0;
      await client.connect();
      out.print('\n');
    }
  } finally {
    lines.close();
  }
}

/** Executes lines until the user leaves, or starts the script again. */
async function converse(
  debugged: DebuggedRun,
  session: Session,
  lines: Lines,
  out: Console,
): Promise<'end' | 'restart'> {
  for (;;) {
    const prompt = debugged.isOver ? `${session.client.name}> ` : 'lua debugger> ';
    const line = await lines.next(prompt);
    if (line === undefined || /^\s*(?:quit|exit)\s*$/i.test(line)) return 'end';
    if (/^\s*restart\s*$/i.test(line)) return 'restart';
    if (debugged.isOver) await runLine(line, session, out);
    else await debugged.run(line);
  }
}

/** One run of the script under the debugger. */
class DebuggedRun {
  isOver = false;
  readonly #script: DebuggedScript;
  readonly #client: Client;
  readonly #out: Console;
  readonly #hasColors: boolean;

  constructor(
    script: DebuggedScript,
    client: Client,
    out: Console,
    environment: Surroundings['environment'],
  ) {
    this.#script = script;
    this.#client = client;
    this.#out = out;
    this.#hasColors = /xterm/i.test(environment['TERM'] ?? '');
  }

  /** False if the script could not begin; the reason is printed. */
  async start(): Promise<boolean> {
    const command = this.#script.command();
    const link = this.#client.link as Link;
    const enabled = await link.call('SCRIPT', 'DEBUG', this.#script.isSync ? 'sync' : 'yes');
    if (enabled.kind === 'error') {
      this.#out.reply(enabled);
      return false;
    }
    link.send(command);
    if (!(await this.#show(link))) return true;
    this.#out.print("Eval debugging session can't start:\n");
    this.#showResult(await link.read());
    return false;
  }

  /** Sends a request to the debugger. */
  async run(line: string): Promise<void> {
    const words = wordsOf(line);
    if (words === undefined) this.#out.print('Invalid argument(s)\n');
    if (words === undefined || words.length === 0) return;
    const link = this.#client.link as Link;
    link.send(words);
    this.isOver = await this.#show(link);
    if (!this.isOver) return;
    this.#showResult(await link.read());
    const end = this.#script.isSync ? '' : ' -- dataset changes rolled back';
    this.#out.print(`\n(Lua debugging session ended${end})\n\n`);
  }

  /** Prints EVAL's own reply. */
  #showResult(reply: WireReply): void {
    this.#out.print(formatReply(reply, { ...this.#out.style, mode: 'standard' }));
  }

  /** Prints the debugger's next reply. True if it ends the session. */
  async #show(link: Link): Promise<boolean> {
    const reply = await link.read();
    if (!isAggregate(reply)) {
      this.#out.print(formatReply(reply, { ...this.#out.style, mode: 'raw' }));
      return false;
    }
    const lines = reply.items.map(lineOf);
    const isEnd = lines.at(-1)?.startsWith('<endsession>') === true;
    if (isEnd) lines.pop();
    const shown = lines.map((line) => (this.#hasColors ? colored(line) : line));
    if (isEnd) shown.push('');
    this.#out.print(`${shown.join('\n')}\n`);
    return isEnd;
  }
}

function lineOf(reply: WireReply): string {
  return 'text' in reply ? reply.text : '';
}

/** `eval CODE` is passed on as it is; other lines consist of words. */
function wordsOf(line: string): string[] | undefined {
  const [, name, code] = /^(e|eval) (.*)$/.exec(line) ?? [];
  return name === undefined ? splitWords(line) : [name, code as string];
}

/** The kinds of lines, and the colours of redis-cli; the last that fits is used. */
const COLORS: readonly (readonly [pattern: RegExp, color: string])[] = [
  [/^/, '0;37'],
  [/<debug>/, '1;37'],
  [/<redis>/, '0;32'],
  [/<reply>/, '0;36'],
  [/<error>/, '0;31'],
  [/<hint>/, '1;37'],
  [/<value>|<retval>/, '0;35'],
  [/^..#\d./, '1;37'],
  [/^.>.\d./, '0;33'],
];

function colored(line: string): string {
  const [, color] = COLORS.findLast(([pattern]) => pattern.test(line)) as readonly [RegExp, string];
  return `\x1b[${color};49m${line}\x1b[0m`;
}

/** The lines that the user types, or those of standard input. */
class Lines {
  readonly #editor: Interface;
  readonly #hasPrompt: boolean;
  readonly #iterator: AsyncIterator<string>;

  constructor({ input, isOutputTerminal }: Surroundings) {
    this.#hasPrompt = input.isTTY === true && isOutputTerminal;
    this.#editor = createInterface({
      input,
      ...(this.#hasPrompt ? { output: process.stdout, terminal: true } : {}),
    });
    this.#iterator = this.#editor[Symbol.asyncIterator]();
  }

  /** As latin1; undefined at the end of the input. */
  async next(prompt: string): Promise<string | undefined> {
    if (this.#hasPrompt) {
      this.#editor.setPrompt(prompt);
      this.#editor.prompt();
    }
    const { value, done } = await this.#iterator.next();
    return done === true ? undefined : latin1Of(value);
  }

  close(): void {
    this.#editor.close();
  }
}
