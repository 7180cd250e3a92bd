import type { Aggregate, WireReply } from './reply.js';

/** The server sent something that is not RESP. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

interface OpenAggregate {
  /** Attributes are read and dropped: what they describe follows. */
  readonly kind: Aggregate['kind'] | 'attribute';
  readonly items: WireReply[];
  missing: number;
}

interface OpenBulk {
  readonly kind: 'bulk' | 'verbatim' | 'error';
  readonly length: number;
}

/** Decodes RESP2 and RESP3 replies that arrive in pieces. It continues where the bytes ended: nothing is read twice. */
export class ReplyDecoder {
  #chunks: Buffer[] = [];
  #size = 0;
  #buffer: Buffer = EMPTY;
  #position = 0;
  /** Bytes without which reading is pointless. */
  #needed = 1;
  #bulk: OpenBulk | undefined;
  readonly #open: OpenAggregate[] = [];

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  /** The next complete reply; undefined if more bytes are needed. */
  next(): WireReply | undefined {
    if (this.#size < this.#needed) return undefined;
    this.#join();
    for (;;) {
      const value = this.#bulk === undefined ? this.#header() : this.#bulkText();
      if (value === undefined) return undefined;
      const complete = value === OPENED ? this.#closeFinished() : this.#add(value);
      if (complete !== undefined) return complete;
    }
  }

  /** Bytes that belong to no reply read so far; the decoder is empty afterwards. */
  takeRest(): Buffer {
    this.#join();
    const rest = this.#buffer.subarray(this.#position);
    this.#chunks = [];
    this.#size = 0;
    this.#buffer = EMPTY;
    this.#position = 0;
    return rest;
  }

  #join(): void {
    if (this.#chunks.length === 0) return;
    const rest = this.#buffer.subarray(this.#position);
    this.#buffer =
      rest.length === 0 && this.#chunks.length === 1
        ? (this.#chunks[0] as Buffer)
        : Buffer.concat([rest, ...this.#chunks]);
    this.#chunks = [];
    this.#position = 0;
  }

  /** Reads a line and what it says; undefined if it is not complete. */
  #header(): WireReply | typeof OPENED | undefined {
    const end = this.#buffer.indexOf(LINE_END, this.#position);
    if (end < 0) return this.#await(this.#buffer.length - this.#position + 1);
    const type = this.#buffer[this.#position];
    const line = this.#buffer.latin1Slice(this.#position + 1, end);
    this.#skipTo(end + 2);
    switch (type === undefined ? '' : String.fromCharCode(type)) {
      case '+':
        return { kind: 'status', text: line };
      case '-':
        return { kind: 'error', text: line };
      case ':':
        return { kind: 'integer', text: line };
      case ',':
        return { kind: 'double', text: line };
      case '(':
        return { kind: 'big number', text: line };
      case '#':
        return { kind: 'boolean', value: line === 't' };
      case '_':
        return NIL;
      case '$':
        return this.#beginBulk('bulk', line);
      case '=':
        return this.#beginBulk('verbatim', line);
      case '!':
        return this.#beginBulk('error', line);
      case '*':
        return this.#begin('array', line, 1);
      case '~':
        return this.#begin('set', line, 1);
      case '>':
        return this.#begin('push', line, 1);
      case '%':
        return this.#begin('map', line, 2);
      case '|':
        return this.#begin('attribute', line, 2);
      default:
        throw new ProtocolError(
          `Protocol error, got ${JSON.stringify(String.fromCharCode(type ?? 0))} as reply type byte`,
        );
    }
  }

  #beginBulk(kind: OpenBulk['kind'], line: string): WireReply | undefined {
    const length = Number(line);
    if (length === -1) return NIL;
    if (!Number.isInteger(length) || length < 0) throw new ProtocolError('Protocol error, bad bulk length');
    this.#bulk = { kind, length };
    return this.#bulkText();
  }

  #bulkText(): WireReply | undefined {
    const { kind, length } = this.#bulk as OpenBulk;
    const start = this.#position;
    if (this.#buffer.length - start < length + 2) return this.#await(length + 2);
    this.#bulk = undefined;
    this.#skipTo(start + length + 2);
    // A verbatim string begins with its format: `txt:`.
    return { kind, text: this.#buffer.latin1Slice(kind === 'verbatim' ? start + 4 : start, start + length) };
  }

  #begin(kind: OpenAggregate['kind'], line: string, factor: number): WireReply | typeof OPENED {
    const length = Number(line);
    if (length === -1) return NIL;
    if (!Number.isInteger(length) || length < 0)
      throw new ProtocolError('Protocol error, bad multi-bulk length');
    this.#open.push({ kind, items: [], missing: length * factor });
    return OPENED;
  }

  #add(value: WireReply): WireReply | undefined {
    const parent = this.#open.at(-1);
    if (parent === undefined) return value;
    parent.items.push(value);
    parent.missing--;
    return this.#closeFinished();
  }

  /** Ends the aggregates that have all their items; returns the outermost once it is among them. */
  #closeFinished(): WireReply | undefined {
    for (let last = this.#open.at(-1); last?.missing === 0; last = this.#open.at(-1)) {
      this.#open.pop();
      if (last.kind === 'attribute') continue;
      const value: WireReply = { kind: last.kind, items: last.items };
      const parent = this.#open.at(-1);
      if (parent === undefined) return value;
      parent.items.push(value);
      parent.missing--;
    }
    return undefined;
  }

  #await(bytes: number): undefined {
    this.#needed = bytes;
    return undefined;
  }

  #skipTo(position: number): void {
    this.#size -= position - this.#position;
    this.#position = position;
    this.#needed = 1;
  }
}

const EMPTY = Buffer.alloc(0);
const LINE_END = '\r\n';
const NIL: WireReply = { kind: 'nil' };
/** An aggregate has begun. */
const OPENED = Symbol('opened');
