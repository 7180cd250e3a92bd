import { quote } from '../../bytes/quoting.js';
import { type Aggregate, isAggregate, type WireReply } from '../wire/reply.js';

/** How replies are printed: for people, as they are, or for programs. */
export type OutputMode = 'standard' | 'raw' | 'csv' | 'json' | 'quoted-json';

export interface OutputStyle {
  readonly mode: OutputMode;
  /** Between the items of a raw reply. */
  readonly itemDelimiter: string;
  /** After a raw reply. */
  readonly replyDelimiter: string;
}

/** The reply as latin1 text, as redis-cli prints it, its end included. */
export function formatReply(reply: WireReply, style: OutputStyle): string {
  switch (style.mode) {
    case 'standard':
      return standard(reply, '');
    case 'raw':
      return raw(reply, style.itemDelimiter) + style.replyDelimiter;
    case 'csv':
      return `${csv(reply)}\n`;
    case 'json':
      return `${json(reply, jsonText)}\n`;
    case 'quoted-json':
      return `${json(reply, quotedJsonText)}\n`;
  }
}

/** A reply that is a text for people, without a delimiter after it. */
export function formatText(reply: WireReply, { itemDelimiter }: OutputStyle): string {
  return raw(reply, itemDelimiter);
}

// ---- for people ----

/** `prefix` is what the lines after the first begin with. */
function standard(reply: WireReply, prefix: string): string {
  switch (reply.kind) {
    case 'error':
      return `(error) ${reply.text}\n`;
    case 'status':
    case 'verbatim':
      return `${reply.text}\n`;
    case 'integer':
    case 'double':
    case 'big number':
      return `(${reply.kind}) ${reply.text}\n`;
    case 'bulk':
      return `${quote(reply.text)}\n`;
    case 'nil':
      return '(nil)\n';
    case 'boolean':
      return reply.value ? '(true)\n' : '(false)\n';
    case 'array':
    case 'set':
    case 'map':
    case 'push':
      return reply.items.length === 0 ? `(empty ${EMPTY_NAMES[reply.kind]})\n` : standardItems(reply, prefix);
  }
}

function standardItems({ kind, items }: Aggregate, prefix: string): string {
  const step = kind === 'map' ? 2 : 1;
  const width = String(items.length / step).length;
  const inner = prefix + ' '.repeat(width + 2);
  const lines: string[] = [];
  for (let at = 0; at < items.length; at += step) {
    const number = String(at / step + 1).padStart(width);
    const begin = `${at === 0 ? '' : prefix}${number}${SEPARATORS[kind]} `;
    const first = standard(items[at] as WireReply, inner);
    lines.push(begin, kind === 'map' ? standardPair(first, items[at + 1] as WireReply, inner) : first);
  }
  return lines.join('');
}

/** An aggregate of several lines begins on a line of its own. */
function standardPair(key: string, value: WireReply, prefix: string): string {
  const text = standard(value, prefix);
  const isLong = isAggregate(value) && text.indexOf('\n') < text.length - 1;
  return `${key.slice(0, -1)} => ${isLong ? `\n${prefix}` : ''}${text}`;
}

const EMPTY_NAMES = { array: 'array', set: 'set', map: 'hash', push: 'push' } as const;
const SEPARATORS = { array: ')', set: '~', map: '#', push: ')' } as const;

// ---- as it is ----

function raw(reply: WireReply, delimiter: string): string {
  switch (reply.kind) {
    case 'error':
      return `${reply.text}\n`;
    case 'status':
    case 'verbatim':
    case 'bulk':
    case 'integer':
    case 'double':
    case 'big number':
      return reply.text;
    case 'nil':
      return '';
    case 'boolean':
      return reply.value ? '(true)' : '(false)';
    case 'map':
      return inPairs(reply.items)
        .map(([key, value]) => `${raw(key, delimiter)} ${raw(value, delimiter)}`)
        .join(delimiter);
    case 'array':
    case 'set':
    case 'push':
      return reply.items.map((item) => raw(item, delimiter)).join(delimiter);
  }
}

function inPairs(items: readonly WireReply[]): [WireReply, WireReply][] {
  const pairs: [WireReply, WireReply][] = [];
  for (let at = 0; at + 1 < items.length; at += 2)
    pairs.push([items[at] as WireReply, items[at + 1] as WireReply]);
  return pairs;
}

// ---- for programs ----

function csv(reply: WireReply): string {
  switch (reply.kind) {
    case 'error':
      return `ERROR,${quote(reply.text)}`;
    case 'status':
    case 'verbatim':
    case 'bulk':
      return quote(reply.text);
    case 'integer':
    case 'double':
    case 'big number':
      return reply.text;
    case 'nil':
      return 'NULL';
    case 'boolean':
      return String(reply.value);
    case 'array':
    case 'set':
    case 'map':
    case 'push':
      return reply.items.map(csv).join(',');
  }
}

function json(reply: WireReply, text: (value: string) => string): string {
  switch (reply.kind) {
    case 'error':
      return `error:${text(reply.text)}`;
    case 'status':
    case 'verbatim':
    case 'bulk':
      return text(reply.text);
    case 'integer':
    case 'double':
    case 'big number':
      return reply.text;
    case 'nil':
      return 'null';
    case 'boolean':
      return String(reply.value);
    case 'map':
      return `{${inPairs(reply.items)
        .map(([key, value]) => `${jsonKey(key, text)}:${json(value, text)}`)
        .join(',')}}`;
    case 'array':
    case 'set':
    case 'push':
      return `[${reply.items.map((item) => json(item, text)).join(',')}]`;
  }
}

/** JSON has only texts for keys. */
function jsonKey(key: WireReply, text: (value: string) => string): string {
  if (key.kind === 'status' || key.kind === 'bulk' || key.kind === 'verbatim' || key.kind === 'error')
    return json(key, text);
  return text(json(key, text));
}

function jsonText(value: string): string {
  const escaped = value.replace(/["\\\x00-\x1f]/g, (byte) => {
    return JSON_ESCAPES[byte] ?? `\\u${byte.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `"${escaped}"`;
}

/** Redis's own quoting, whose backslashes are escaped for JSON. */
function quotedJsonText(value: string): string {
  return quote(value).replaceAll('\\', '\\\\');
}

const JSON_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\f': '\\f',
  '\b': '\\b',
};
