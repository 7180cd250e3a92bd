import { BUSY, tryRead } from '../../engine/descriptor-io.js';
import type { Connection } from './connection.js';

/**
 * Reads what the kernel has of a connection's input now. Returns the number of bytes; -1 at the end of the input and if the
 * connection is broken, which the next read of the stream also tells.
 */
export function readWaiting(fd: number, input: Buffer): number {
  try {
    const length = tryRead(fd, input);
    return length === BUSY ? 0 : length || -1;
  } catch {
    return -1;
  }
}

/**
 * Reads the rest of a large argument in the same turn, as far as the kernel has it: until it is complete, that is only copying. Returns
 * whether more input waits, or reading must stop.
 */
export function readLargeArgument(
  connection: Connection,
  fd: number,
  input: Buffer,
): 'more' | 'nothing' | 'paused' {
  for (let reads = 0; connection.missingBytes > 0 && reads < MAX_READS; reads++) {
    const length = readWaiting(fd, input);
    if (length <= 0) return 'nothing';
    if (!connection.received(length)) return 'paused';
    if (length < input.length) return 'nothing';
  }
  return 'more';
}

/** Reads of a large argument in one turn: 4 MB. */
const MAX_READS = 64;
