import { KitError } from '../foundation/index.js';

/** As in transfer-state.lua. */
const STRANGER = -2;

/** The reply of a script; throws if it is an error number. */
export function answer<Reply>(reply: Reply | number, name: string, reader = ''): Reply {
  if (typeof reply !== 'number') return reply;
  throw reply === STRANGER ? unknownReader(name, reader) : unknownTransfer(name);
}

export function unknownTransfer(name: string): KitError {
  const advice =
    'begin it by sending with `readers`; it may have been read by all, removed, or abandoned for too long';
  return new KitError('UNKNOWN_TRANSFER', `there is no transfer '${name}': ${advice}`);
}

function unknownReader(name: string, reader: string): KitError {
  const text = `'${reader}' is not a reader of the transfer '${name}': name it in \`readers\`, or add it while nothing has been dropped`;
  return new KitError('UNKNOWN_READER', text);
}

export function changed(name: string): KitError {
  const text = `the source is not the one that the transfer '${name}' was begun with: send it under another name, or remove the transfer first`;
  return new KitError('CHANGED', text);
}

export function damaged(what: string): KitError {
  return new KitError(
    'DAMAGED',
    `${what}: it was not acknowledged. Remove the transfer and send the file again`,
  );
}
