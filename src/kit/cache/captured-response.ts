import type { Page } from './page.js';

/** A response of node:http or express, as far as the cache uses it. */
export interface NodeResponseLike {
  statusCode: number;
  readonly writableFinished: boolean;
  write(chunk: unknown, ...rest: unknown[]): boolean;
  end(chunk?: unknown, ...rest: unknown[]): unknown;
  writeHead(status: number, ...rest: unknown[]): unknown;
  setHeader(name: string, value: string | readonly string[]): unknown;
  getHeader(name: string): number | string | string[] | undefined;
  getHeaders(): Readonly<Record<string, number | string | string[] | undefined>>;
  once(event: 'close', listener: () => void): unknown;
}

/**
 * Copies what a handler writes to a response, which still goes to the client. Resolves to the page when the response is over;
 * to undefined if the connection ended before, or if the body is too large.
 */
export function capture(response: NodeResponseLike, maxBytes: number): Promise<Page | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const copy = (chunk: unknown, encoding: unknown): void => {
    if (chunk === undefined || chunk === null || typeof chunk === 'function' || bytes > maxBytes) return;
    const part =
      typeof chunk === 'string'
        ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
        : Buffer.from(chunk as Uint8Array);
    bytes += part.length;
    if (bytes > maxBytes) chunks.length = 0;
    else chunks.push(part);
  };
  const { write, end, writeHead } = response;
  Object.assign(response, {
    write(chunk: unknown, ...rest: unknown[]) {
      copy(chunk, rest[0]);
      return write.call(response, chunk, ...rest);
    },
    end(chunk?: unknown, ...rest: unknown[]) {
      copy(chunk, rest[0]);
      return end.call(response, chunk, ...rest);
    },
    // Headers given here are not among `getHeaders`, unless they are set first.
    writeHead(status: number, ...rest: unknown[]) {
      const headers = typeof rest.at(-1) === 'object' ? rest.pop() : undefined;
      for (const [name, value] of pairsOf(headers)) response.setHeader(name, value);
      return writeHead.call(response, status, ...rest);
    },
  });
  return new Promise((resolve) => {
    response.once('close', () => {
      const isWhole = response.writableFinished && bytes <= maxBytes;
      resolve(
        isWhole
          ? {
              status: response.statusCode,
              headers: pairsOf(response.getHeaders()),
              body: Buffer.concat(chunks),
            }
          : undefined,
      );
    });
  });
}

/** Headers as node:http takes them: an object, or a flat list. */
function pairsOf(headers: unknown): [string, string][] {
  if (Array.isArray(headers)) {
    const flat = headers.flat() as unknown[];
    return Array.from({ length: flat.length / 2 }, (_, at) => [`${flat[2 * at]}`, `${flat[2 * at + 1]}`]);
  }
  return Object.entries(headers ?? {}).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const values: unknown[] = Array.isArray(value) ? value : [value];
    return values.map((one): [string, string] => [name, `${one}`]);
  });
}
