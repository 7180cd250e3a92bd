import { type BitOperation, combineBits, invertBits } from '../../bytes/bits.js';
import { Bytes, EMPTY_BUFFER } from '../../bytes/bytes.js';
import { EventClass } from '../../keyspace/effects.js';
import { Encoding, Type } from '../../keyspace/kinds.js';
import { newRawBlock, ownStringBytes } from '../../keyspace/values/string-value.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';

const oneSourceForNot = new CommandError('ERR BITOP NOT must be called with a single source key.');

export function bitop(call: Call): void {
  const operation = operationOf(call.arg(1));
  if (operation === 'not' && call.argc !== 4) throw oneSourceForNot;
  const sources: Bytes[] = [];
  let length = 0;
  for (let i = 3; i < call.argc; i++) {
    const entry = call.read(i, Type.string);
    const source = entry === 0 ? NOTHING : ownStringBytes(call.db, entry, new Bytes());
    sources.push(source);
    length = Math.max(length, source.length);
  }
  if (length === 0) removeTarget(call);
  else storeResult(call, operation, sources, length);
  call.reply.integer(length);
}

function operationOf(word: Bytes): BitOperation | 'not' {
  if (word.is('and')) return 'and';
  if (word.is('or')) return 'or';
  if (word.is('xor')) return 'xor';
  if (word.is('not')) return 'not';
  throw errors.syntax;
}

/** Computes the result in a new block, because the target may be one of the sources. */
function storeResult(call: Call, operation: BitOperation | 'not', sources: Bytes[], length: number): void {
  const { db } = call;
  const key = call.arg(2);
  const result = new Bytes();
  const ref = newRawBlock(db, length, result);
  const first = sources[0] as Bytes;
  const copied = first.writeTo(result.buf, result.start);
  result.buf.fill(0, copied, result.end);
  if (operation === 'not') invertBits(result);
  else for (let i = 1; i < sources.length; i++) combineBits(operation, result, sources[i] as Bytes);
  call.keyspace.replace(db, key, Type.string, Encoding.raw, ref);
  call.effects.changed(db, key, EventClass.string, 'set');
}

function removeTarget(call: Call): void {
  if (!call.keyspace.discard(call.db, call.arg(2))) return;
  call.effects.changed(call.db, call.arg(2), EventClass.generic, 'del');
}

const NOTHING = new Bytes(EMPTY_BUFFER);
