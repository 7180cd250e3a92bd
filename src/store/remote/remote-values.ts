import { ReplyFormat } from '../../resp/reply-reader.js';
import { StoreError } from '../store-error.js';
import type { Reply, Request } from '../transport.js';
import type { Argument } from '../value.js';

/** A request's arguments as clients take them, its further words in front. */
export function wireArguments({ command, args }: Request): (string | Buffer)[] {
  const wire: (string | Buffer)[] = command.words.slice(1);
  for (const arg of args) wire.push(wireArgument(arg));
  return wire;
}

export function wireArgument(argument: Argument): string | Buffer {
  switch (typeof argument) {
    case 'string':
      return argument;
    case 'number':
    case 'bigint':
      return String(argument);
    default:
      if (argument instanceof Uint8Array) return asBuffer(argument);
      throw new StoreError(
        'MISUSE',
        `an argument is a string, number, bigint or Uint8Array, not ${argument === null ? 'null' : typeof argument}`,
      );
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * A reply as clients give it, in our format. They are asked for strings as buffers and for integers as text, so that the
 * two cannot be mistaken and integers are exact.
 */
export function decodeReply(reply: unknown, format: number): Reply {
  if (Buffer.isBuffer(reply)) return (format & ReplyFormat.bytes) !== 0 ? reply : reply.toString();
  if (Array.isArray(reply)) return reply.map((item) => decodeReply(item, format));
  switch (typeof reply) {
    case 'string':
    case 'number':
    case 'bigint':
      return (format & ReplyFormat.exact) !== 0 ? BigInt(reply) : Number(reply);
    default:
      return reply instanceof Error ? errorOf(reply) : null;
  }
}

/** The store's error for one that a client threw. */
export function errorOf(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (/Reply$|^ReplyError$|SimpleError|BlobError/.test(name) || /^[A-Z]+ /.test(message)) {
    return StoreError.fromReply(message, error);
  }
  if (/timed out/i.test(message) && !/connect/i.test(message))
    return new StoreError('TIMEOUT', message, { cause: error });
  if (/closed|ended|offline/i.test(message)) {
    return new StoreError('CLOSED', `the connection was closed: ${message}`, { cause: error });
  }
  return new StoreError('UNREACHABLE', `the server cannot be reached: ${message}`, { cause: error });
}
