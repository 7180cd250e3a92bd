import { ReplyFormat } from '../../resp/reply-reader.js';
import { nameOf } from '../command-runner.js';
import { notAnArgument, StoreError } from '../store-error.js';
import type { Reply, Request } from '../transport.js';
import type { Argument } from '../value.js';
import { fate } from './pending-calls.js';
import { changesNothing } from './repeatable.js';

/** The words of a request after the first: the command's other words, then the arguments. */
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
      throw notAnArgument(argument);
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Converts a client library's reply to the given format. The libraries return strings as buffers and integers as text, so
 * that the two cannot be confused and integers are exact.
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

/** Whether an error thrown by a client library is an error reply of the server. */
export function isReplyError(error: unknown): boolean {
  if (error instanceof StoreError) return true;
  if (!(error instanceof Error)) return false;
  const { name, message } = error;
  return /Reply$|^ReplyError$|SimpleError|BlobError/.test(name) || /^[A-Z]+ /.test(message);
}

/** Converts an error thrown by a client library to a StoreError. */
export function errorOf(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const { message } = error instanceof Error ? error : new Error(String(error));
  if (isReplyError(error)) return StoreError.fromReply(message, error);
  return new StoreError('UNREACHABLE', `the server cannot be reached: ${message}`, { cause: error });
}

export function notConnected(server: string): StoreError {
  return new StoreError('UNREACHABLE', `the connection to ${server} is closed`);
}

/** The error of requests whose connection was lost before they were answered. */
export function connectionLost(server: string, cause: unknown, requests: readonly Request[]): StoreError {
  const mayHaveRun = !requests.every(changesNothing);
  const [first] = requests;
  const what =
    first !== undefined && requests.length === 1
      ? `${nameOf(first.command)} was`
      : `${requests.length} commands were`;
  const reason = cause instanceof Error && cause.message !== '' ? ` (${cause.message})` : '';
  return new StoreError(
    'UNREACHABLE',
    `the connection to ${server} was lost${reason} before ${what} answered${fate(mayHaveRun)}`,
    { cause, mayHaveRun },
  );
}
