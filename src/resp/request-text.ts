/**
 * Requests for a stream that takes text and buffers, in the order in which they were added. Text of several requests is joined: one
 * write of a long text is faster than many of short ones, and than encoding it here.
 */
export class RequestText<Argument> {
  /** What is written before `text`. */
  parts: (string | Uint8Array)[] = [];
  text = '';
  readonly #wire: (argument: Argument) => string | Uint8Array;

  /** `wire` turns an argument into what is sent. It throws if an argument is invalid; then nothing is added. */
  constructor(wire: (argument: Argument) => string | Uint8Array) {
    this.#wire = wire;
  }

  /** `words` are ASCII. */
  add(words: readonly string[], args: readonly Argument[]): void {
    let text = `*${words.length + args.length}\r\n`;
    let parts: (string | Uint8Array)[] | undefined;
    for (let i = 0; i < words.length; i++) text += `$${(words[i] as string).length}\r\n${words[i]}\r\n`;
    for (let i = 0; i < args.length; i++) {
      const arg = this.#wire(args[i] as Argument);
      if (typeof arg === 'string') {
        text += `$${byteLength(arg)}\r\n${arg}\r\n`;
        continue;
      }
      text += `$${arg.length}\r\n`;
      parts ??= [];
      // The caller may change its buffer before it is written.
      parts.push(text, Buffer.from(arg));
      text = '\r\n';
    }
    if (parts === undefined) {
      this.text += text;
      return;
    }
    if (this.text !== '') this.parts.push(this.text);
    for (const part of parts) this.parts.push(part);
    this.text = text;
  }

  clear(): void {
    if (this.parts.length > 0) this.parts = [];
    this.text = '';
  }
}

function byteLength(text: string): number {
  const { length } = text;
  if (length > SHORT) return Buffer.byteLength(text);
  for (let i = 0; i < length; i++) if (text.charCodeAt(i) >= 0x80) return Buffer.byteLength(text);
  return length;
}

/** Up to this length a loop is faster than the call into native code. */
const SHORT = 32;
