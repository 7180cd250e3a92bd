import { writeSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { quote } from '../../bytes/quoting.js';
import { isAggregate, itemsOf, textOf, type WireReply } from '../wire/reply.js';
import { formatReply, formatText, type OutputStyle } from './format-reply.js';

/** Where a session writes to. All texts are latin1. */
export interface Console {
  readonly style: OutputStyle;
  print(text: string): void;
  /** A line to standard error. */
  error(text: string): void;
  /** `isText`: printed as it is, whatever the mode. */
  reply(reply: WireReply, isText?: boolean): void;
  /** A push message that is not a reply. */
  push(message: WireReply): void;
}

/** What a program has from the process it runs in. Tests replace it. */
export interface Surroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly isOutputTerminal: boolean;
  /** 1 is standard output, 2 standard error. */
  write(fd: 1 | 2, bytes: Buffer): void;
}

/** Those of this process. */
export const processSurroundings: Surroundings = {
  environment: process.env,
  get input() {
    return process.stdin;
  },
  get isOutputTerminal() {
    return process.stdout.isTTY === true;
  },
  write: writeAll,
};

/** Ends the program with this exit code. */
export class Exit extends Error {
  override readonly name = 'Exit';
  readonly code: number;

  constructor(code: number) {
    super(`exit code ${code}`);
    this.code = code;
  }
}

/** Writes replies to standard output as redis-cli does. */
export class PlainConsole implements Console {
  readonly style: OutputStyle;
  readonly #showsPushes: boolean;
  readonly #surroundings: Surroundings;

  constructor(style: OutputStyle, showsPushes: boolean, surroundings: Surroundings) {
    this.style = style;
    this.#showsPushes = showsPushes;
    this.#surroundings = surroundings;
  }

  print(text: string): void {
    this.#surroundings.write(1, Buffer.from(text, 'latin1'));
  }

  error(text: string): void {
    this.#surroundings.write(2, Buffer.from(`${text}\n`, 'latin1'));
  }

  reply(reply: WireReply, isText = false): void {
    this.print(isText ? formatText(reply, this.style) : formatReply(reply, this.style));
  }

  push(message: WireReply): void {
    if (this.#showsPushes) this.print(formatPush(message, this.style));
  }
}

/** A push message; that of a changed key is made readable for people. */
export function formatPush(message: WireReply, style: OutputStyle): string {
  const [kind, keys] = itemsOf(message);
  if (
    style.mode === 'standard' &&
    textOf(kind) === 'invalidate' &&
    keys !== undefined &&
    isAggregate(keys) &&
    itemsOf(message).length === 2
  ) {
    return `-> invalidate: ${keys.items.map((key) => quote(textOf(key))).join(', ')}\n`;
  }
  return formatReply(message, style);
}

/** Writes to a descriptor until all is written. A reader that has left ends the process, as a signal would. */
export function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const { code } = error as { code?: string };
      if (code === 'EPIPE') process.exit(141);
      if (code !== 'EAGAIN') throw error;
      // A terminal or pipe that does not block is full.
      Atomics.wait(PAUSE, 0, 0, 1);
    }
  }
}

const PAUSE = new Int32Array(new SharedArrayBuffer(4));
