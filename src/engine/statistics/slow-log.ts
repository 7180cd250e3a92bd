import type { Bytes } from '../../bytes/bytes.js';
import type { Settings } from '../../commands/config/settings.js';
import { FLAG } from '../../commands/flag.js';
import type { ArgumentList } from '../../commands/key-positions.js';
import { isSecret, REDACTED } from '../../commands/redaction.js';
import type { Session } from '../../commands/session.js';
import type { SlowLogEntry, SlowLogPort } from '../../commands/statistics-port.js';
import type { Command } from '../../commands/table.js';

/** The last commands that took longer than `slowlog-log-slower-than`. Long requests are shortened. */
export class SlowLog implements SlowLogPort {
  /** In µs; Infinity while the slow log is off. */
  threshold = Number.POSITIVE_INFINITY;
  #longest = 0;
  #nextId = 0;
  /** Newest last. */
  #entries: SlowLogEntry[] = [];

  constructor(settings: Settings) {
    settings.onChange('slowlog-log-slower-than', (text) => {
      this.threshold = Number(text) < 0 ? Number.POSITIVE_INFINITY : Number(text);
    });
    settings.onChange('slowlog-max-len', (text) => {
      this.#longest = Number(text);
    });
  }

  get length(): number {
    return this.#entries.length;
  }

  add(session: Session, command: Command, args: ArgumentList, micros: number, now: number): void {
    if ((command.flagBits & FLAG.skip_slowlog) !== 0) return;
    this.#entries.push({
      id: this.#nextId++,
      time: Math.floor(now / 1000),
      micros: Math.floor(micros),
      args: shortened(command, args),
      address: session.address,
      clientName: session.name,
    });
    if (this.#entries.length > this.#longest) this.#entries.splice(0, this.#entries.length - this.#longest);
  }

  entries(most: number): readonly SlowLogEntry[] {
    return this.#entries.slice(Math.max(0, this.#entries.length - most)).reverse();
  }

  reset(): void {
    this.#entries = [];
  }
}

function shortened(command: Command, args: ArgumentList): string[] {
  const { argc } = args;
  const shown = argc > MAX_ARGUMENTS ? MAX_ARGUMENTS - 1 : argc;
  const words: string[] = [];
  for (let i = 0; i < shown; i++) {
    words.push(isSecret(command, args, i) ? REDACTED : shortenedText(args.arg(i)));
  }
  if (argc > shown) words.push(`... (${argc - shown} more arguments)`);
  return words;
}

function shortenedText(argument: Bytes): string {
  const { length } = argument;
  if (length <= MAX_ARGUMENT) return argument.toString();
  return `${argument.prefix(MAX_ARGUMENT)}... (${length - MAX_ARGUMENT} more bytes)`;
}

const MAX_ARGUMENTS = 32;
const MAX_ARGUMENT = 128;
