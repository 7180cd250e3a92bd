import { createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';
import { latin1Of } from '../../wire/request.js';
import { Client } from '../client.js';
import type { OutputStyle } from '../format-reply.js';
import type { CliOptions } from '../options.js';
import { preferenceProblem, rcFile, runLine } from '../run-line.js';
import { Session } from '../session.js';
import { completionsFor, hintFor } from './hints.js';
import { History } from './history.js';
import { TerminalConsole, type TerminalPreferences } from './terminal-console.js';

/** A session at a terminal. Resolves with the exit code when the user leaves. */
export async function runInteractive(
  options: CliOptions,
  { endpoint }: Client,
  style: OutputStyle,
  fileName: string | undefined,
): Promise<number> {
  const preferences: TerminalPreferences = {
    hints: true,
    // By its convention, an empty value means nothing.
    colors: (process.env['NO_COLOR'] ?? '') === '',
    folds: true,
  };
  const out = new TerminalConsole(style, preferences, options.showPushes ?? true);
  for (const line of rcFile(process.env)) setPreference(line.trim().split(/\s+/), preferences);
  const client = new Client(options, endpoint, out);
  try {
    await client.connect();
    await new Prompt(new Session(client, out, options, true), out, preferences, fileName).run();
  } finally {
    client.link?.close();
  }
  return 0;
}

function setPreference(words: readonly string[], preferences: TerminalPreferences): void {
  const name = /^:set$/i.test(words[0] ?? '') ? (words[1] ?? '').toLowerCase() : '';
  if (/^(?:no)?hints$/.test(name)) preferences.hints = name === 'hints';
  if (/^(?:no)?fold$/.test(name)) preferences.folds = name === 'fold';
  if (/^(?:no)?color$/.test(name)) preferences.colors = name === 'color';
}

/** The line that the user edits, with its hint, history and completion. */
class Prompt {
  readonly #session: Session;
  readonly #out: TerminalConsole;
  readonly #preferences: TerminalPreferences;
  readonly #fileName: string | undefined;
  readonly #history = new History(process.env);
  readonly #editor: Interface;
  readonly #lines: string[] = [];
  #isRunning = false;
  #isEnded = false;
  #finish: () => void = () => {};

  constructor(
    session: Session,
    out: TerminalConsole,
    preferences: TerminalPreferences,
    fileName: string | undefined,
  ) {
    this.#session = session;
    this.#out = out;
    this.#preferences = preferences;
    this.#fileName = fileName;
    // Before the editor, whose own listener writes the line break.
    process.stdin.prependListener('keypress', () => this.#clearHint());
    this.#editor = createInterface({
      input: process.stdin,
      output: process.stdout,
      terminal: true,
      history: [...this.#history.lines].reverse(),
      historySize: 1000,
      removeHistoryDuplicates: false,
      completer: (line: string) => [completionsFor(line), line],
    });
    process.stdin.on('keypress', () => this.#showHint());
    this.#editor.on('history', (history: string[]) => {
      if (history[0] !== undefined && !this.#history.add(history[0])) history.shift();
    });
    this.#editor.on('line', (line) => {
      this.#lines.push(line);
      void this.#runLines();
    });
    this.#editor.on('SIGINT', () => this.#interrupt());
    this.#editor.on('close', () => this.#end());
    out.interlude = () => this.#stepAside();
  }

  async run(): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#finish = resolve;
    });
    this.#prompt();
    await ended;
    this.#editor.close();
  }

  /** `127.0.0.1:6379[3](TX)> ` */
  get #text(): string {
    const { client } = this.#session;
    if (client.link === undefined || client.link.isClosed) return 'not connected> ';
    const { path } = client.endpoint;
    const place = this.#fileName ?? (path === undefined ? client.name : `redis ${path}`);
    const database = client.database === 0 ? '' : `[${client.database}]`;
    return `${place}${database}${client.isInTransaction ? '(TX)' : ''}> `;
  }

  #prompt(): void {
    this.#editor.setPrompt(this.#text);
    this.#editor.prompt();
  }

  async #runLines(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (let line = this.#lines.shift(); line !== undefined && !this.#isEnded; line = this.#lines.shift()) {
      await this.#runOne(line);
    }
    this.#isRunning = false;
    if (!this.#isEnded) this.#prompt();
  }

  async #runOne(line: string): Promise<void> {
    const text = line.trim();
    if (/^:more$/i.test(text)) this.#out.printRest();
    else if (text.startsWith(':') && preferenceProblem(text.split(/\s+/)) === undefined)
      setPreference(text.split(/\s+/), this.#preferences);
    else if ((await runLine(latin1Of(line), this.#session, this.#out)) === 'end') this.#end();
  }

  /** Ctrl-C ends a command that waits, then clears the line, then leaves. */
  #interrupt(): void {
    if (this.#session.interrupt()) return;
    if (this.#editor.line === '') {
      this.#out.print('\n');
      this.#end();
      return;
    }
    this.#clearHint();
    this.#editor.write(null, { ctrl: true, name: 'e' });
    this.#editor.write(null, { ctrl: true, name: 'u' });
  }

  #end(): void {
    this.#isEnded = true;
    this.#finish();
  }

  // ---- hints ----

  #showHint(): void {
    const { line, cursor } = this.#editor;
    if (!this.#preferences.hints || this.#isRunning || cursor !== line.length) return;
    const hint = hintFor(line);
    const { columns = 80 } = process.stdout;
    const room = columns - this.#editor.getCursorPos().cols - 1;
    if (hint === undefined || room < 4) return;
    const shown = hint.length > room ? `${hint.slice(0, room - 1)}…` : hint;
    process.stdout.write(this.#out.subdued(shown));
    moveCursor(process.stdout, -shown.length, 0);
  }

  #clearHint(): void {
    if (!this.#isRunning && this.#editor.cursor === this.#editor.line.length) process.stdout.write('\x1b[0K');
  }

  /** Makes room for a message that arrives while the user types. */
  #stepAside(): () => void {
    if (this.#isRunning) return () => {};
    cursorTo(process.stdout, 0);
    process.stdout.write('\x1b[0K');
    return () => this.#editor.prompt(true);
  }
}
