/**
 * Methods every Node `Buffer` has, but the published types leave out. They skip the encoding look-up of `toString` and
 * `write`, which the hot paths would pay on every call.
 */
interface Buffer<TArrayBuffer extends ArrayBufferLike = ArrayBufferLike> {
  latin1Slice(start?: number, end?: number): string;
  utf8Slice(start?: number, end?: number): string;
  /** Returns how many bytes were written. */
  latin1Write(text: string, offset?: number, length?: number): number;
  utf8Write(text: string, offset?: number, length?: number): number;
  /** Only of buffers made by `wideBuffer`. */
  wide?: DataView;
}
