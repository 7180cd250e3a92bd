import { Bytes } from '../../bytes/bytes.js';
import { charCodeAt } from '../../bytes/text.js';
import { wideBuffer } from '../../bytes/wide-buffer.js';
import { notAnArgument } from '../store-error.js';
import type { Argument } from '../value.js';

/** The words and arguments of one command as views of one buffer. Views and buffer are reused for the next command. */
export class ArgumentList {
  readonly args: Bytes[] = [];
  argc = 0;
  /** One view for each position of an argument. Positions of words are not used. */
  readonly #views: Bytes[] = [];
  #buffer = wideBuffer(INITIAL_BYTES);
  #end = 0;

  /** Sets the words, which are not copied, and the arguments of a command. */
  fill(words: readonly Bytes[], args: readonly Argument[]): void {
    const { length } = words;
    for (let i = 0; i < length; i++) this.args[i] = words[i] as Bytes;
    this.argc = length;
    this.#end = 0;
    if (this.#buffer.length > MAX_KEPT) this.#buffer = wideBuffer(INITIAL_BYTES);
    for (let i = 0; i < args.length; i++) this.#add(args[i] as Argument);
  }

  #add(argument: Argument): void {
    if (typeof argument === 'string') this.#addText(argument);
    else if (typeof argument === 'number' || typeof argument === 'bigint') this.#addText(String(argument));
    else if (argument instanceof Uint8Array) this.#view().set(asBuffer(argument), 0, argument.length);
    else throw notAnArgument(argument);
  }

  #addText(text: string): void {
    const { length } = text;
    const start = this.#end;
    if (start + length * 3 > this.#buffer.length) this.#grow(text);
    const buffer = this.#buffer;
    let end = start;
    if (length <= SHORT) {
      for (let i = 0; i < length; i++) {
        const code = charCodeAt(text, i);
        if (code >= 0x80) {
          end = start + buffer.utf8Write(text, start);
          break;
        }
        buffer[end++] = code;
      }
    } else {
      end = start + buffer.utf8Write(text, start);
    }
    this.#end = end;
    this.#view().set(buffer, start, end);
  }

  #view(): Bytes {
    const at = this.argc++;
    while (at >= this.#views.length) this.#views.push(new Bytes());
    const view = this.#views[at] as Bytes;
    this.args[at] = view;
    return view;
  }

  /** Views that were already made keep pointing into the old buffer. */
  #grow(text: string): void {
    const needed = text.length < MAX_ASSUMED ? text.length * 3 : Buffer.byteLength(text);
    if (this.#end + needed <= this.#buffer.length) return;
    const larger = wideBuffer(Math.max(this.#end + needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#end);
    this.#buffer = larger;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const INITIAL_BYTES = 1 << 14;
const MAX_KEPT = 1 << 22;
/** Up to this length a loop is faster than the call into native code. */
const SHORT = 32;
/** Up to this many characters, three bytes are reserved for each without measuring the text. */
const MAX_ASSUMED = 1 << 16;
