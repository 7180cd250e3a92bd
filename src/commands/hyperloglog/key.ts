import type { Bytes } from '../../bytes/bytes.js';
import type { Entry } from '../../keyspace/entry.js';
import { Type } from '../../keyspace/kinds.js';
import { editableString, setRaw, stringBytes } from '../../keyspace/values/string-value.js';
import type { HyperLogLogEditor } from '../../structures/hyperloglog/hyperloglog-editor.js';
import { EMPTY_HYPERLOGLOG, isHyperLogLog } from '../../structures/hyperloglog/hyperloglog-format.js';
import type { Call } from '../call.js';
import { CommandError, errors } from '../errors.js';

/** HyperLogLogs are strings: any string may claim to be one. */

const notHyperLogLog = new CommandError('WRONGTYPE Key is not a valid HyperLogLog string value.');
export const corrupt = new CommandError('INVALIDOBJ Corrupted HLL object detected');

/** Points `view` at the HyperLogLog at an entry, or throws. */
export function hyperLogLogBytes(call: Call, entry: Entry, view: Bytes): Bytes {
  if (call.db.type(entry) !== Type.string) throw errors.wrongType;
  stringBytes(call.db, entry, view);
  if (!isHyperLogLog(view)) throw notHyperLogLog;
  return view;
}

/**
 * The same for a command that may change it. As in Redis, the string becomes `raw` even if nothing is changed
 * in the end.
 */
export function editableHyperLogLog(call: Call, entry: Entry, view: Bytes): Bytes {
  hyperLogLogBytes(call, entry, view);
  return editableString(call.keyspace, call.db, entry, 0, view);
}

/** Opens the HyperLogLog at an entry, or an empty one for a key that does not exist. */
export function openEditor(call: Call, editor: HyperLogLogEditor, entry: Entry, view: Bytes): void {
  if (entry === 0) editor.open(view.set(EMPTY_HYPERLOGLOG, 0, EMPTY_HYPERLOGLOG.length));
  else editor.open(editableHyperLogLog(call, entry, view));
}

/** Stores the edited HyperLogLog at its key. */
export function storeEdited(
  call: Call,
  editor: HyperLogLogEditor,
  entry: Entry,
  key: Bytes,
  view: Bytes,
): void {
  if (!editor.isInPlace) setRaw(call.keyspace, call.db, entry, key, editor.bytes(view));
}
