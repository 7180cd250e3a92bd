import { open } from 'node:fs/promises';
import { KitError, shown } from '../foundation/index.js';

/** The source: the path of a file, or its bytes in pieces of any size. Streams of Node and the web are iterable. */
export type FileSource = string | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** The source in blocks of `size` bytes, the last one shorter, followed by an empty one, which marks the end. */
export async function* blocksOf(source: FileSource, size: number): AsyncGenerator<Buffer, void, undefined> {
  checkSource(source);
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const piece of typeof source === 'string' ? readFile(source, size) : source) {
    if (!(piece instanceof Uint8Array)) {
      throw new KitError('OPTION', `files: a source gives bytes (Uint8Array), not ${typeof piece}`);
    }
    let rest = piece;
    while (length + rest.length >= size) {
      const part = rest.subarray(0, size - length);
      yield Buffer.concat([...waiting, part], size);
      rest = rest.subarray(part.length);
      waiting = [];
      length = 0;
    }
    // Copied: the source may reuse its buffer.
    if (rest.length > 0) waiting.push(Buffer.from(rest));
    length += rest.length;
  }
  if (length > 0) yield Buffer.concat(waiting, length);
  yield Buffer.alloc(0);
}

function checkSource(source: unknown): void {
  const isIterable =
    typeof source === 'object' &&
    source !== null &&
    (Symbol.asyncIterator in source || Symbol.iterator in source);
  if (isIterable || typeof source === 'string') return;
  throw new KitError('OPTION', `files: a source is a path, or bytes to iterate over, not ${shown(source)}`);
}

/** The first `length` bytes of a file, or all of it, in pieces of `size`. */
export async function* readFile(
  path: string,
  size: number,
  length = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer, void, undefined> {
  await using file = await open(path, 'r');
  for (let position = 0; position < length; ) {
    const buffer = Buffer.allocUnsafe(Math.min(size, length - position));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}
