/**
 * A received reply: its type, its content and its raw bytes. Comparing `raw`
 * compares byte for byte; the parsed content is for normalisation and failure messages.
 */
export type Reply =
  | { readonly type: 'simple' | 'error' | 'blob-error'; readonly raw: Buffer; readonly text: string }
  | { readonly type: 'bulk' | 'verbatim'; readonly raw: Buffer; readonly bytes: Buffer }
  | { readonly type: 'integer' | 'big-number'; readonly raw: Buffer; readonly value: bigint }
  | { readonly type: 'double'; readonly raw: Buffer; readonly value: number }
  | { readonly type: 'boolean'; readonly raw: Buffer; readonly value: boolean }
  | { readonly type: 'null'; readonly raw: Buffer }
  | { readonly type: 'array' | 'set' | 'push'; readonly raw: Buffer; readonly items: readonly Reply[] }
  | { readonly type: 'map'; readonly raw: Buffer; readonly entries: readonly (readonly [Reply, Reply])[] }
  | { readonly type: 'attribute'; readonly raw: Buffer; readonly attributes: Reply; readonly reply: Reply };

export type Plain = string | number | bigint | boolean | null | Plain[] | Map<Plain, Plain> | Error;

/** The reply as an ordinary JavaScript value; byte strings become one-byte (latin1) strings. */
export function plain(reply: Reply): Plain {
  switch (reply.type) {
    case 'simple':
      return reply.text;
    case 'error':
    case 'blob-error':
      return new Error(reply.text);
    case 'bulk':
    case 'verbatim':
      return reply.bytes.toString('latin1');
    case 'integer':
      return Number.isSafeInteger(Number(reply.value)) ? Number(reply.value) : reply.value;
    case 'big-number':
    case 'double':
    case 'boolean':
      return reply.value;
    case 'null':
      return null;
    case 'array':
    case 'set':
    case 'push':
      return reply.items.map(plain);
    case 'map':
      return new Map(reply.entries.map(([key, value]) => [plain(key), plain(value)]));
    case 'attribute':
      return plain(reply.reply);
    default:
      return unreachable(reply);
  }
}

/** The content of a bulk, simple or verbatim string; throws on any other reply. */
export function bytesOf(reply: Reply): Buffer {
  if (reply.type === 'bulk' || reply.type === 'verbatim') return reply.bytes;
  if (reply.type === 'simple') return Buffer.from(reply.text, 'latin1');
  throw new Error(`expected a string reply, got ${printable(reply.raw)}`);
}

/** The elements of an array, set or push; throws on any other reply. */
export function itemsOf(reply: Reply): readonly Reply[] {
  if (reply.type === 'array' || reply.type === 'set' || reply.type === 'push') return reply.items;
  throw new Error(`expected an array reply, got ${printable(reply.raw)}`);
}

/** Printable form of bytes: everything except printable ASCII is escaped, and long content is shortened in the middle. */
export function printable(bytes: Buffer, longest = 600): string {
  if (bytes.length > longest) {
    const half = longest >> 1;
    const omitted = bytes.length - 2 * half;
    return `${printable(bytes.subarray(0, half))} …${omitted} bytes… ${printable(bytes.subarray(bytes.length - half))}`;
  }
  let text = '';
  for (const byte of bytes) {
    if (byte === 13) text += '\\r';
    else if (byte === 10) text += '\\n';
    else if (byte === 92) text += '\\\\';
    else if (byte >= 32 && byte < 127) text += String.fromCharCode(byte);
    else text += `\\x${byte.toString(16).padStart(2, '0')}`;
  }
  return text;
}

export function unreachable(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
