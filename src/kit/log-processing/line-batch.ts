import type { FileHandle } from 'node:fs/promises';

/** Lines that follow each other in a file. */
export interface LineBatch {
  readonly lines: readonly { readonly text: string; readonly offset: number }[];
  /** The byte after the last line. */
  readonly end: number;
}

/** Max bytes of a batch, and of a line: the rest of a longer line is skipped. */
export const MAX_BYTES = 1_048_576;
const NEWLINE = 10;
const RETURN = 13;

/**
 * Reads whole lines. A last line without a line feed may still be written: it is read only if the file is complete. Undefined if there is
 * nothing to read.
 */
export async function readBatch(
  handle: FileHandle,
  from: number,
  maxLines: number,
  isComplete: boolean,
): Promise<LineBatch | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(MAX_BYTES), 0, MAX_BYTES, from);
  const bytes = buffer.subarray(0, bytesRead);
  const lines: LineBatch['lines'][number][] = [];
  let at = 0;
  while (lines.length < maxLines) {
    const stop = bytes.indexOf(NEWLINE, at);
    if (stop < 0) break;
    lines.push({ text: textOf(bytes, at, stop), offset: from + at });
    at = stop + 1;
  }
  if (lines.length > 0 || bytesRead === 0) return lines.length === 0 ? undefined : { lines, end: from + at };
  const end = bytesRead < MAX_BYTES ? undefined : await endOfLine(handle, from + bytesRead);
  if (end === undefined && !isComplete) return undefined;
  const text = textOf(bytes, 0, bytesRead);
  return { lines: [{ text, offset: from }], end: end ?? (await sizeOf(handle, from + bytesRead)) };
}

function textOf(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('utf8', start, end > start && bytes[end - 1] === RETURN ? end - 1 : end);
}

/** The byte after the next line feed; undefined if there is none yet. */
async function endOfLine(handle: FileHandle, from: number): Promise<number | undefined> {
  const buffer = Buffer.allocUnsafe(MAX_BYTES);
  for (let at = from; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, MAX_BYTES, at);
    if (bytesRead === 0) return undefined;
    const stop = buffer.subarray(0, bytesRead).indexOf(NEWLINE);
    if (stop >= 0) return at + stop + 1;
    at += bytesRead;
  }
}

async function sizeOf(handle: FileHandle, min: number): Promise<number> {
  return Math.max(min, (await handle.stat()).size);
}
