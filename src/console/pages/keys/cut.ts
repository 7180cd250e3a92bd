import { StoreError } from '../../../store/index.js';
import type { BytesShape, CommandSender } from '../../../store/store.js';
import type { Reply } from '../../../store/transport.js';
import type { Argument, DefaultShape, Value } from '../../../store/value.js';
import { toWire } from '../../frame/wire-bytes.js';
import type { CutBytes } from '../../types/keys.js';

/**
 * Calls a command that only reads, and cuts long strings in its reply, in the server: a value of 512 MB is never sent. A string that was
 * cut becomes an array: its beginning, and its whole length.
 *
 * KEYS: the key. ARGV: the maximum length of a string; the command with its arguments.
 */
const CUT = `
local max = tonumber(ARGV[1])
local function cut(value)
  if type(value) == 'string' then
    if #value > max then return { string.sub(value, 1, max), #value } end
    return value
  end
  if type(value) ~= 'table' then return value end
  for index = 1, #value do value[index] = cut(value[index]) end
  return value
end
return cut(redis.call(unpack(ARGV, 2)))`;

/**
 * Part of one string in a reply.
 *
 * KEYS: the key. ARGV: the first byte, from 1; the last byte; the path to the string in the reply, '' for the reply itself; the command with its
 * arguments. Returns the part and the whole length; null if there is no such string.
 */
const PART = `
local value = redis.call(unpack(ARGV, 4))
for index in string.gmatch(ARGV[3], '%d+') do
  if type(value) ~= 'table' then return false end
  value = value[tonumber(index)]
end
if type(value) ~= 'string' then return false end
return { string.sub(value, tonumber(ARGV[1]), tonumber(ARGV[2])), #value }`;

/** A store, or a connection with watched keys, whose replies have Buffers. */
export type BytesSender = Pick<CommandSender<BytesShape<DefaultShape>>, 'send'>;

type BytesReply = Value<{ text: Buffer; integer: number; mode: 'promise' }>;

/** A reply in which long strings are arrays `[beginning, whole length]`. */
export async function callCut(
  sender: BytesSender,
  max: number,
  key: Buffer,
  name: string,
  ...args: readonly Argument[]
): Promise<Reply> {
  try {
    return (await sender.send('EVAL_RO', CUT, 1, key, max, name, ...args)) as Reply;
  } catch (error) {
    if (!cannotRunScripts(error)) throw error;
    return cutHere((await sender.send(name, ...args)) as BytesReply, max);
  }
}

/** Bytes from `offset` on of a string in a command's reply; null if there is none. */
export async function callPart(
  sender: BytesSender,
  range: { readonly offset: number; readonly length: number },
  path: readonly number[],
  key: Buffer,
  name: string,
  ...args: readonly Argument[]
): Promise<{ readonly part: Buffer; readonly length: number } | null> {
  const { offset, length } = range;
  try {
    const words = [offset + 1, offset + length, path.join(' '), name, ...args];
    const found = (await sender.send('EVAL_RO', PART, 1, key, ...words)) as [Buffer, number] | null;
    return found === null ? null : { part: found[0], length: Number(found[1]) };
  } catch (error) {
    if (!cannotRunScripts(error)) throw error;
    let value = (await sender.send(name, ...args)) as BytesReply;
    for (const index of path) value = Array.isArray(value) ? (value[index - 1] as BytesReply) : null;
    if (!Buffer.isBuffer(value)) return null;
    return { part: value.subarray(offset, offset + length), length: value.length };
  }
}

/** The user may not run scripts, or the server is older than EVAL_RO. */
function cannotRunScripts(error: unknown): boolean {
  return (
    error instanceof StoreError &&
    (error.code === 'NOPERM' || /unknown command/i.test(error.message)) &&
    /eval_ro/i.test(error.message)
  );
}

function cutHere(value: BytesReply, max: number): Reply {
  if (Buffer.isBuffer(value)) return value.length > max ? [value.subarray(0, max), value.length] : value;
  return Array.isArray(value)
    ? value.map((element) => cutHere(element as BytesReply, max))
    : (value as Reply);
}

/** A string of a reply of `callCut`. */
export function cutBytes(reply: Reply | undefined): CutBytes {
  if (Array.isArray(reply)) return { value: toWire(reply[0] as Buffer), length: Number(reply[1]) };
  const bytes = reply as Buffer;
  return { value: toWire(bytes), length: bytes.length };
}
