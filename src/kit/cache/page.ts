import { contentOf, isCompressed, pack, unpack } from './packing.js';

/** A response, as stored. */
export interface Page {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** A page out of the cache, for one client. */
export interface ServedPage {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** Headers of one connection or one moment: they are not part of a page. */
const NOT_STORED = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'date',
  'trailer',
  'upgrade',
  'x-cache',
]);

/** Layout: length of the description, the description as JSON, the body, packed. */
export async function encodePage(page: Page, compressFrom: number): Promise<Buffer> {
  const headers = page.headers.filter(([name]) => !NOT_STORED.has(name.toLowerCase()));
  const description = Buffer.from(JSON.stringify({ status: page.status, headers }));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(description.length);
  return Buffer.concat([length, description, await pack(page.body, compressFrom)]);
}

/** The page as a client gets it: compressed, if it is stored that way and the client accepts it. */
export async function servePage(stored: Buffer, acceptEncoding: string, state: string): Promise<ServedPage> {
  const end = 4 + stored.readUInt32BE(0);
  const description = JSON.parse(stored.toString('utf8', 4, end)) as Omit<Page, 'body'>;
  const packed = stored.subarray(end);
  const asIs = isCompressed(packed) && acceptsGzip(acceptEncoding);
  const body = asIs ? contentOf(packed) : await unpack(packed);
  const headers = [...description.headers, ['X-Cache', state] as const];
  if (isCompressed(packed)) headers.push(['Vary', 'Accept-Encoding']);
  if (asIs) headers.push(['Content-Encoding', 'gzip']);
  headers.push(['Content-Length', `${body.length}`]);
  return { status: description.status, headers, body };
}

function acceptsGzip(header: string): boolean {
  return header.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim().toLowerCase());
    return (name === 'gzip' || name === '*') && !parameters.some((one) => /^q=0(\.0*)?$/.test(one));
  });
}

/** Whether a response may be given to other clients, as far as its headers say. */
export function isStorable(
  status: number,
  header: (name: string) => string | undefined,
  varied: readonly string[],
): boolean {
  if (status !== 200) return false;
  if (header('set-cookie') !== undefined) return false;
  if (/\b(no-store|no-cache|private)\b/i.test(header('cache-control') ?? '')) return false;
  // A compressed body is for clients that accept this encoding; the cache compresses by itself.
  if (!/^(identity)?$/i.test(header('content-encoding') ?? '')) return false;
  if (/^text\/event-stream\b/i.test(header('content-type') ?? '')) return false;
  const vary = (header('vary') ?? '').toLowerCase().split(',');
  return vary
    .map((name) => name.trim())
    .every((name) => name === '' || name === 'accept-encoding' || varied.includes(name));
}
