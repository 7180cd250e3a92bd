import type { WireReply } from '../../wire/reply.js';
import { type Console, formatPush, writeAll } from '../console.js';
import { formatReply, formatText, type OutputStyle } from '../format-reply.js';

/** How replies are shown on a terminal. */
export interface TerminalPreferences {
  hints: boolean;
  colors: boolean;
  folds: boolean;
}

/** Writes replies for people at a terminal: coloured, and long ones folded. */
export class TerminalConsole implements Console {
  readonly style: OutputStyle;
  readonly #preferences: TerminalPreferences;
  readonly #showsPushes: boolean;
  #folded = '';
  /** Called before something is printed, to put the prompt out of the way; returns what puts it back. */
  interlude: () => () => void = () => () => {};

  constructor(style: OutputStyle, preferences: TerminalPreferences, showsPushes: boolean) {
    this.style = style;
    this.#preferences = preferences;
    this.#showsPushes = showsPushes;
  }

  print(text: string): void {
    writeAll(1, Buffer.from(text, 'latin1'));
  }

  error(text: string): void {
    writeAll(2, Buffer.from(`${text}\n`, 'latin1'));
  }

  reply(reply: WireReply, isText = false): void {
    const text = isText ? formatText(reply, this.style) : formatReply(reply, this.style);
    const colours = this.#preferences.colors && this.style.mode === 'standard' && !isText;
    this.#printFolded(colours ? coloured(text) : text);
  }

  push(message: WireReply): void {
    if (!this.#showsPushes) return;
    const restore = this.interlude();
    this.print(formatPush(message, this.style));
    restore();
  }

  /** `:more`: what was left out of the last reply. */
  printRest(): void {
    this.print(this.#folded === '' ? '(there is no more)\n' : this.#folded);
    this.#folded = '';
  }

  /** Text that is no reply: grey, or faint if colours are not wanted. */
  subdued(text: string): string {
    return `${this.#preferences.colors ? GREY : FAINT}${text}${END}`;
  }

  #printFolded(text: string): void {
    this.#folded = '';
    const lines = this.#preferences.folds ? text.split('\n') : [];
    if (lines.length <= MAX_LINES) {
      this.print(text);
      return;
    }
    const shown = lines.slice(0, SHOWN_LINES);
    this.#folded = lines.slice(SHOWN_LINES).join('\n');
    const left = lines.length - 1 - SHOWN_LINES;
    this.print(`${shown.join('\n')}\n`);
    writeAll(1, Buffer.from(`${this.subdued(`… ${left} more lines: ":more" prints them`)}\n`));
  }
}

/** Colours for the kinds of values, as they begin a line or follow a number, or an arrow. */
function coloured(text: string): string {
  return text.replace(
    VALUE,
    (_, before: string, value: string) => `${before}${colourOf(value)}${value}${END}`,
  );
}

function colourOf(value: string): string {
  if (value.startsWith('"')) return GREEN;
  if (value.startsWith('(error)')) return RED;
  return /^\((?:nil|empty)/.test(value) ? GREY : YELLOW;
}

const VALUE =
  /((?:^|\n)(?: *\d+[)~#] )*| => )("(?:[^"\\\n]|\\.)*"|\((?:error|integer|double|big number)\) [^\n]*?(?= =>|\n|$)|\((?:nil|true|false|empty \w+)\))/g;
const GREEN = '\x1b[32m';
const RED = '\x1b[31m';
const YELLOW = '\x1b[33m';
const GREY = '\x1b[90m';
const FAINT = '\x1b[2m';
const END = '\x1b[0m';
/** Replies up to this are shown whole. */
const MAX_LINES = 300;
const SHOWN_LINES = 100;
