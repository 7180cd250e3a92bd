import { Bytes } from '../bytes/bytes.js';
import { MemorySink } from './byte-sink.js';
import { CorruptData, MemorySource } from './byte-source.js';
import { FOOTER_BYTES, isIntactPayload, writeFooter } from './dump.js';
import { Opcode } from './opcode.js';
import { RdbReader } from './rdb-reader.js';
import { RdbWriter } from './rdb-writer.js';

/*
 * The payload of FUNCTION DUMP and FUNCTION RESTORE: the libraries, encoded as in files, then the footer of DUMP.
 */

export class PayloadError extends Error {}

export function dumpFunctions(codes: readonly Buffer[]): Buffer {
  const sink = new MemorySink();
  const writer = new RdbWriter(sink, true);
  for (const code of codes) {
    writer.byte(Opcode.function2);
    writer.string(new Bytes(code));
  }
  writeFooter(sink);
  return Buffer.from(sink.buffer.subarray(0, sink.length));
}

/** The code of each library in the payload, as latin1 text. Throws `PayloadError`. */
export function functionsInPayload(payload: Bytes): string[] {
  if (!isIntactPayload(payload)) throw new PayloadError('DUMP payload version or checksum are wrong');
  const { buf, start, end } = payload;
  const source = new MemorySource(buf, start, end - FOOTER_BYTES);
  const reader = new RdbReader(source);
  const codes: string[] = [];
  while (!source.isAtEnd) {
    if (reader.byte() !== Opcode.function2) throw new PayloadError('given type is not a function');
    try {
      codes.push(reader.string().toString());
    } catch (error) {
      if (error instanceof CorruptData) throw new PayloadError('Failed loading library data');
      throw error;
    }
  }
  return codes;
}
