import { Bytes } from '../../bytes/bytes.js';
import type { Entry } from '../../keyspace/entry.js';
import { HyperLogLogEditor } from '../../structures/hyperloglog/hyperloglog-editor.js';
import { denseRegister, isSparse, REGISTERS } from '../../structures/hyperloglog/hyperloglog-format.js';
import { SparseRuns } from '../../structures/hyperloglog/hyperloglog-sparse.js';
import type { Call } from '../call.js';
import { CommandError, shownText } from '../errors.js';
import { corrupt, editableHyperLogLog, storeEdited } from './key.js';

const view = new Bytes();
const editor = new HyperLogLogEditor();
const runs = new SparseRuns();

const noSuchKey = new CommandError('ERR The specified key does not exist');
const notSparse = new CommandError('ERR HLL encoding is not sparse');

export function pfdebug(call: Call): void {
  const entry = call.keyspace.write(call.db, call.arg(2));
  if (entry === 0) throw noSuchKey;
  editableHyperLogLog(call, entry, view);
  const subcommand = call.arg(1);
  if (subcommand.is('getreg')) replyRegisters(call, entry);
  else if (subcommand.is('decode')) replyRuns(call);
  else if (subcommand.is('encoding')) call.reply.status(isSparse(view) ? 'sparse' : 'dense');
  else if (subcommand.is('todense')) call.reply.integer(makeDense(call, entry) ? 1 : 0);
  else throw new CommandError(`ERR Unknown PFDEBUG subcommand '${shownText(String(subcommand))}'`);
}

/** True if it was not dense. The change is recorded, but no event is published. */
function makeDense(call: Call, entry: Entry): boolean {
  if (!isSparse(view)) return false;
  editor.open(view);
  if (!editor.makeDense()) throw corrupt;
  storeEdited(call, editor, entry, call.arg(2), view);
  call.effects.counted();
  return true;
}

function replyRegisters(call: Call, entry: Entry): void {
  makeDense(call, entry);
  editableHyperLogLog(call, entry, view);
  call.reply.array(REGISTERS);
  for (let i = 0; i < REGISTERS; i++) call.reply.integer(denseRegister(view.buf, view.start, i));
}

function replyRuns(call: Call): void {
  if (!isSparse(view)) throw notSparse;
  const words: string[] = [];
  runs.open(view.buf, view.start, view.end);
  while (runs.next()) {
    if (runs.value > 0) words.push(`v:${runs.value},${runs.length}`);
    else words.push(`${runs.isFar ? 'Z' : 'z'}:${runs.length}`);
  }
  call.reply.bulkText(words.join(' '));
}
