/** A request of latin1 arguments, as clients send it. */
export function requestOf(args: readonly string[]): Buffer {
  const parts = args.map((argument) => `$${argument.length}\r\n${argument}\r\n`);
  return Buffer.from(`*${args.length}\r\n${parts.join('')}`, 'latin1');
}

/** The bytes of a JavaScript string as latin1 text: one byte per character. */
export function latin1Of(text: string): string {
  return Buffer.from(text, 'utf8').latin1Slice();
}

/** The opposite of `latin1Of`, for names of files and hosts. */
export function utf8Of(latin1: string): string {
  return Buffer.from(latin1, 'latin1').utf8Slice();
}
