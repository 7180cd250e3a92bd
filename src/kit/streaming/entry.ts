import { wordsOf } from './words.js';

/** Where a message was written, in degrees. */
export interface GeoPoint {
  readonly latitude: number;
  readonly longitude: number;
}

/** A message of a stream. */
export interface StreamMessage<Data = unknown> {
  readonly id: string;
  readonly user: string;
  readonly text: string;
  readonly location?: GeoPoint | undefined;
  /** Any JSON value. */
  readonly data?: Data | undefined;
}

/** What readers get. */
export type StreamEvent<Data = unknown> =
  | {
      readonly kind: 'message';
      /** To go on after it later: the option `after`, or the header `Last-Event-ID`. */
      readonly position: string;
      readonly message: StreamMessage<Data>;
    }
  | {
      readonly kind: 'deletion';
      readonly position: string;
      /** Of the deleted message. */
      readonly id: string;
      readonly user: string;
    }
  /** Events between `after` and the next one are no longer kept. */
  | { readonly kind: 'gap'; readonly position: string };

/** `lines`: one JSON event a line; `events`: Server-Sent Events. */
export type StreamFormat = 'lines' | 'events';

/** An entry of the stream. All connections of a process share it, with its words and its bytes. */
export class Entry {
  readonly event: StreamEvent;
  readonly user: string;
  readonly id: string;
  /** The message, also of a deletion; undefined if it is no longer known. */
  readonly message: StreamMessage | undefined;
  #words: ReadonlySet<string> | undefined;
  readonly #bytes: Partial<Record<StreamFormat, Buffer>> = {};

  constructor(position: string, kind: string, id: string, user: string, body: string) {
    this.id = id;
    this.user = user;
    this.message = body === '' ? undefined : (JSON.parse(body) as StreamMessage);
    this.event =
      kind === 'message'
        ? { kind, position, message: this.message as StreamMessage }
        : { kind: 'deletion', position, id, user };
  }

  get position(): string {
    return this.event.position;
  }

  get words(): ReadonlySet<string> {
    this.#words ??= wordsOf(this.message?.text ?? '');
    return this.#words;
  }

  bytes(format: StreamFormat): Buffer {
    this.#bytes[format] ??= bytesOf(this.event, format);
    return this.#bytes[format];
  }
}

export function bytesOf(event: StreamEvent, format: StreamFormat): Buffer {
  const json = JSON.stringify(event);
  if (format === 'lines') return Buffer.from(`${json}\n`);
  const name = event.kind === 'message' ? '' : `event: ${event.kind}\n`;
  const id = event.kind === 'gap' ? '' : `id: ${event.position}\n`;
  return Buffer.from(`${id}${name}data: ${json}\n\n`);
}

/** The entries of a reply of XRANGE. */
export function entriesIn(reply: unknown): Entry[] {
  return (reply as [string, string[]][]).map(([position, fields]) => {
    const values: Record<string, string> = {};
    for (let at = 0; at < fields.length; at += 2) values[fields[at] as string] = fields[at + 1] as string;
    const { kind = '', id = '', user = '', body = '' } = values;
    return new Entry(position, kind, id, user, body);
  });
}
