import { type Reply, unreachable } from './reply.js';

const CARRIAGE_RETURN = 13;
const LINE_FEED = 10;

type SimpleType = Extract<Reply, { text: string }>['type'];
type AggregateType = 'array' | 'set' | 'push' | 'map' | 'attribute';

type Marker =
  | {
      readonly kind: 'line';
      readonly type: SimpleType | 'integer' | 'big-number' | 'double' | 'boolean' | 'null';
    }
  | { readonly kind: 'blob'; readonly type: 'bulk' | 'verbatim' | 'blob-error' }
  | { readonly kind: 'aggregate'; readonly type: AggregateType };

const MARKERS: ReadonlyMap<string, Marker> = new Map<string, Marker>([
  ['+', { kind: 'line', type: 'simple' }],
  ['-', { kind: 'line', type: 'error' }],
  [':', { kind: 'line', type: 'integer' }],
  ['(', { kind: 'line', type: 'big-number' }],
  [',', { kind: 'line', type: 'double' }],
  ['#', { kind: 'line', type: 'boolean' }],
  ['_', { kind: 'line', type: 'null' }],
  ['$', { kind: 'blob', type: 'bulk' }],
  ['=', { kind: 'blob', type: 'verbatim' }],
  ['!', { kind: 'blob', type: 'blob-error' }],
  ['*', { kind: 'aggregate', type: 'array' }],
  ['~', { kind: 'aggregate', type: 'set' }],
  ['>', { kind: 'aggregate', type: 'push' }],
  ['%', { kind: 'aggregate', type: 'map' }],
  ['|', { kind: 'aggregate', type: 'attribute' }],
]);

/**
 * Cuts a stream of bytes into RESP2 and RESP3 replies. On purpose it shares no code with the server: a common
 * mistake would not be detected.
 */
export class ReplyReader {
  #buffer: Buffer = Buffer.alloc(0);
  #position = 0;
  /** No reply is complete before the buffer has this many bytes: avoids parsing a large reply repeatedly. */
  #needed = 1;

  push(chunk: Buffer): void {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
  }

  /** The next complete reply, or undefined until more bytes arrive. Throws if the bytes are not a reply. */
  next(): Reply | undefined {
    if (this.#buffer.length < this.#needed) return undefined;
    this.#position = 0;
    const reply = this.#read();
    if (reply === undefined) return undefined;
    this.#buffer = this.#buffer.subarray(this.#position);
    this.#needed = 1;
    return reply;
  }

  /** The number of received bytes that are not yet a complete reply. */
  get rest(): Buffer {
    return this.#buffer;
  }

  #read(): Reply | undefined {
    const start = this.#position;
    const line = this.#line();
    if (line === undefined) return undefined;
    const marker = MARKERS.get(line.charAt(0));
    if (marker === undefined) throw new Error(`not a RESP reply: ${JSON.stringify(line.slice(0, 80))}`);
    const content = line.slice(1);
    switch (marker.kind) {
      case 'line':
        return lineReply(marker.type, content, this.#since(start));
      case 'blob':
        return this.#blob(marker.type, content, start);
      case 'aggregate':
        return this.#aggregate(marker.type, content, start);
      default:
        return unreachable(marker);
    }
  }

  #blob(type: 'bulk' | 'verbatim' | 'blob-error', length: string, start: number): Reply | undefined {
    const size = countOf(length);
    if (size < 0) return { type: 'null', raw: this.#since(start) };
    const end = this.#position + size;
    if (this.#buffer.length < end + 2) {
      this.#needed = end + 2;
      return undefined;
    }
    if (this.#buffer[end] !== CARRIAGE_RETURN || this.#buffer[end + 1] !== LINE_FEED) {
      throw new Error(`a bulk of ${size} bytes does not end in CR LF`);
    }
    const bytes = this.#buffer.subarray(this.#position, end);
    this.#position = end + 2;
    const raw = this.#since(start);
    if (type === 'blob-error') return { type, raw, text: bytes.toString('latin1') };
    return { type, raw, bytes: type === 'verbatim' ? bytes.subarray(4) : bytes };
  }

  #aggregate(type: AggregateType, length: string, start: number): Reply | undefined {
    const size = countOf(length);
    if (size < 0) return { type: 'null', raw: this.#since(start) };
    if (type === 'map' || type === 'attribute') return this.#pairs(type, size, start);
    const items: Reply[] = [];
    while (items.length < size) {
      const item = this.#read();
      if (item === undefined) return undefined;
      items.push(item);
    }
    return { type, raw: this.#since(start), items };
  }

  #pairs(type: 'map' | 'attribute', size: number, start: number): Reply | undefined {
    const entries: [Reply, Reply][] = [];
    while (entries.length < size) {
      const key = this.#read();
      const value = key && this.#read();
      if (key === undefined || value === undefined) return undefined;
      entries.push([key, value]);
    }
    const map: Reply = { type: 'map', raw: this.#since(start), entries };
    if (type === 'map') return map;
    const reply = this.#read();
    return reply && { type: 'attribute', raw: this.#since(start), attributes: map, reply };
  }

  #line(): string | undefined {
    const end = this.#buffer.indexOf('\r\n', this.#position, 'latin1');
    if (end < 0) {
      this.#needed = this.#buffer.length + 1;
      return undefined;
    }
    const line = this.#buffer.toString('latin1', this.#position, end);
    this.#position = end + 2;
    return line;
  }

  #since(start: number): Buffer {
    return this.#buffer.subarray(start, this.#position);
  }
}

function lineReply(type: Extract<Marker, { kind: 'line' }>['type'], content: string, raw: Buffer): Reply {
  switch (type) {
    case 'integer':
    case 'big-number':
      return { type, raw, value: BigInt(content) };
    case 'double':
      return { type, raw, value: doubleOf(content) };
    case 'boolean':
      return { type, raw, value: content === 't' };
    case 'null':
      return { type, raw };
    default:
      return { type, raw, text: content };
  }
}

function doubleOf(content: string): number {
  if (content === 'inf') return Number.POSITIVE_INFINITY;
  if (content === '-inf') return Number.NEGATIVE_INFINITY;
  return Number(content);
}

function countOf(length: string): number {
  if (!/^(-1|\d+)$/.test(length)) throw new Error(`not a RESP length: ${JSON.stringify(length)}`);
  return Number(length);
}
