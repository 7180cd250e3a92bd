/**
 * Methods that every Node `Buffer` has but the published types omit. They avoid the lookup of the encoding in `toString` and
 * `write`, which hot paths would pay on every call.
 */
interface Buffer<TArrayBuffer extends ArrayBufferLike = ArrayBufferLike> {
  latin1Slice(start?: number, end?: number): string;
  utf8Slice(start?: number, end?: number): string;
  /** Returns the number of bytes written. */
  latin1Write(text: string, offset?: number, length?: number): number;
  utf8Write(text: string, offset?: number, length?: number): number;
  /** Only for buffers created by `wideBuffer`. */
  wide?: DataView;
}
