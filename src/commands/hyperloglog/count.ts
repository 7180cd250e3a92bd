import { Bytes } from '../../bytes/bytes.js';
import { EventClass } from '../../keyspace/effects.js';
import type { Entry } from '../../keyspace/entry.js';
import {
  countMaxima,
  countValues,
  elementRegister,
  estimate,
  locateElement,
  raiseToRegisters,
} from '../../structures/hyperloglog/hyperloglog.js';
import { HyperLogLogEditor } from '../../structures/hyperloglog/hyperloglog-editor.js';
import {
  isSparse,
  knownEstimate,
  REGISTERS,
  setEstimate,
} from '../../structures/hyperloglog/hyperloglog-format.js';
import type { Call } from '../call.js';
import { corrupt, editableHyperLogLog, hyperLogLogBytes, openEditor, storeEdited } from './key.js';

const view = new Bytes();
const editor = new HyperLogLogEditor();
const maxima = new Uint8Array(REGISTERS);

export function pfadd(call: Call): void {
  const { db, keyspace } = call;
  const key = call.arg(1);
  const entry = keyspace.write(db, key);
  openEditor(call, editor, entry, view);
  let changes = entry === 0 ? 1 : 0;
  for (let i = 2; i < call.argc; i++) {
    locateElement(call.arg(i));
    const { index, value } = elementRegister;
    const change = editor.raise(index, value, keyspace.limits.hllSparseMaxBytes);
    if (change === 'changed') changes++;
    if (change === 'corrupt') {
      // As in Redis, elements before this one have been added, but no change is reported.
      if (changes > 0) storeEdited(call, editor, entry, key, view);
      throw corrupt;
    }
  }
  if (changes > 0) {
    editor.outdate();
    storeEdited(call, editor, entry, key, view);
    call.effects.changed(db, key, EventClass.string, 'pfadd', changes);
  }
  call.reply.integer(changes > 0 ? 1 : 0);
}

export function pfcount(call: Call): void {
  if (call.argc > 2) {
    maxima.fill(0);
    collectMaxima(call);
    call.reply.integer64(BigInt(estimate(countMaxima(maxima))));
    return;
  }
  const { db, keyspace } = call;
  const entry = keyspace.read(db, call.arg(1));
  if (entry === 0) call.reply.integer(0);
  else replyEstimate(call, entry);
}

/** The estimate is cached in the string, so PFCOUNT may change it. */
function replyEstimate(call: Call, entry: Entry): void {
  call.keyspace.changing(call.db, entry);
  const bytes = editableHyperLogLog(call, entry, view);
  const known = knownEstimate(bytes);
  if (known !== undefined) {
    call.reply.integer64(known);
    return;
  }
  const counts = countValues(bytes);
  if (counts === undefined) throw corrupt;
  const elements = estimate(counts);
  setEstimate(bytes, elements);
  call.effects.touched(call.db, call.arg(1));
  call.reply.integer64(BigInt(elements));
}

export function pfmerge(call: Call): void {
  const { db, keyspace } = call;
  const key = call.arg(1);
  maxima.fill(0);
  const becomesDense = collectMaxima(call);
  const entry = keyspace.write(db, key);
  openEditor(call, editor, entry, view);
  if (becomesDense && !editor.makeDense()) throw corrupt;
  for (let i = 0; i < REGISTERS; i++) {
    const value = maxima[i] as number;
    if (value > 0) editor.raise(i, value, keyspace.limits.hllSparseMaxBytes);
  }
  editor.outdate();
  storeEdited(call, editor, entry, key, view);
  call.effects.changed(db, key, EventClass.string, 'pfadd');
  call.reply.ok();
}

/** Raises `maxima` to the registers at all keys. True if one of them is dense. */
function collectMaxima(call: Call): boolean {
  let anyDense = false;
  for (let i = 1; i < call.argc; i++) {
    const entry = call.keyspace.read(call.db, call.arg(i));
    if (entry === 0) continue;
    const bytes = hyperLogLogBytes(call, entry, view);
    if (!isSparse(bytes)) anyDense = true;
    if (!raiseToRegisters(maxima, bytes)) throw corrupt;
  }
  return anyDense;
}
