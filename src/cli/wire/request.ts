import { Bytes } from '../../bytes/bytes.js';
import { encodeRequest } from '../../resp/request-encoder.js';

/** A request of latin1 arguments, as clients send it. */
export function requestOf(args: readonly string[]): Buffer {
  return encodeRequest(args.map((argument) => new Bytes(Buffer.from(argument, 'latin1'))));
}

/** The bytes of a JavaScript string as latin1 text: one byte per character. */
export function latin1Of(text: string): string {
  return Buffer.from(text, 'utf8').latin1Slice();
}

/** The opposite of `latin1Of`, for names of files and hosts. */
export function utf8Of(latin1: string): string {
  return Buffer.from(latin1, 'latin1').utf8Slice();
}
