/**
 * Functions that convert replies to the results of typed methods. Each accepts the reply of RESP2 or RESP3 (a map as a flat
 * list, pairs, `Map` or object; a number as text or number), with strings as text or bytes. A method whose result is the
 * reply itself has no such function.
 */
import type { StoreError } from '../store-error.js';
import type { Shape, Value } from '../value.js';

/** Any reply of either protocol. */
export type RawReply =
  | Value<Shape>
  | undefined
  | boolean
  | StoreError
  | readonly RawReply[]
  | ReadonlyMap<RawReply, RawReply>
  | ReadonlySet<RawReply>
  | { readonly [name: string]: RawReply };

type Text<S extends Shape> = S['text'];

/** A member of a sorted set. */
export interface ScoredMember<S extends Shape> {
  readonly member: Text<S>;
  readonly score: number;
}

/** A key, and the element popped from it. */
export interface Popped<S extends Shape> {
  readonly key: Text<S>;
  readonly elements: Text<S>[];
}

/** A key, and the members popped from it. */
export interface PoppedMembers<S extends Shape> {
  readonly key: Text<S>;
  readonly members: ScoredMember<S>[];
}

// ---- simple values ----

/** The text of a reply, whether it came as text or bytes. */
export function word(reply: RawReply): string {
  return typeof reply === 'string' ? reply : String(reply);
}

export function nullableWord(reply: RawReply): string | null {
  return reply === null || reply === undefined ? null : word(reply);
}

export function ok(reply: RawReply): string | null {
  return reply === null || reply === 'OK' ? reply : word(reply);
}

export function boolean(reply: RawReply): boolean {
  return reply === 1 || reply === true || reply === 1n;
}

export function double(reply: RawReply): number {
  if (typeof reply === 'number') return reply;
  const text = word(reply);
  const value = Number(text);
  if (!Number.isNaN(value)) return value;
  if (text === 'inf') return Number.POSITIVE_INFINITY;
  return text === '-inf' ? Number.NEGATIVE_INFINITY : Number.NaN;
}

export function nullableDouble(reply: RawReply): number | null {
  return reply === null ? null : double(reply);
}

/** The elements of an array or a set. */
export function list(reply: RawReply): RawReply[] {
  if (Array.isArray(reply)) return reply;
  if (reply instanceof Set) return [...reply];
  return reply === null || reply === undefined ? [] : pairs(reply).flat();
}

export function words(reply: RawReply): string[] {
  return list(reply).map(word);
}

export function booleans(reply: RawReply): boolean[] {
  return list(reply).map(boolean);
}

export function nullableDoubles(reply: RawReply): (number | null)[] {
  return list(reply).map(nullableDouble);
}

// ---- names and values ----

type Pair = readonly [RawReply, RawReply];

/** The pairs of a map that is a flat list (RESP2), a list of pairs (RESP3), a `Map` or an object. */
export function pairs(reply: RawReply): Pair[] {
  if (Array.isArray(reply)) return Array.isArray(reply[0]) ? (reply as Pair[]) : paired(reply);
  if (reply instanceof Map) return [...reply];
  return typeof reply === 'object' && reply !== null ? Object.entries(reply) : [];
}

function paired(flat: readonly RawReply[]): Pair[] {
  const result: Pair[] = [];
  for (let index = 0; index < flat.length; index += 2) result.push([flat[index], flat[index + 1]]);
  return result;
}

/** An object with each value converted by `value`. Fields that are not UTF-8 need `send`. */
function fieldsOf<T>(reply: RawReply, value: (reply: RawReply) => T): Record<string, T> {
  const result: Record<string, T> = {};
  for (const [name, each] of mapPairs(reply)) setField(result, word(name), value(each));
  return result;
}

/** Like `pairs`, for a map whose values may be arrays: it is flat unless it is a `Map` or object. */
function mapPairs(reply: RawReply): Pair[] {
  return Array.isArray(reply) ? paired(reply) : pairs(reply);
}

function setField<T>(target: Record<string, T>, name: string, value: T): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/** HGETALL, CONFIG GET … */
export function record(reply: RawReply): Record<string, RawReply> {
  return fieldsOf(reply, asIs);
}

export function wordRecord(reply: RawReply): Record<string, string> {
  return fieldsOf(reply, word);
}

export function numberRecord(reply: RawReply): Record<string, number> {
  return fieldsOf(reply, Number);
}

function asIs(reply: RawReply): RawReply {
  return reply;
}

/** HRANDFIELD WITHVALUES: a field may occur more than once. */
export function entries(reply: RawReply): [RawReply, RawReply][] {
  return pairs(reply).map(([field, value]) => [field, value]);
}

/** INFO: the fields of all sections. */
export function info(reply: RawReply): Record<string, string> {
  const result: Record<string, string> = {};
  for (const line of word(reply).split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0 && !line.startsWith('#')) setField(result, line.slice(0, colon), line.slice(colon + 1));
  }
  return result;
}

/** CLIENT LIST: one line of `name=value` pairs per client. */
export function clients(reply: RawReply): Record<string, string>[] {
  return word(reply)
    .split('\n')
    .filter((line) => line !== '')
    .map(clientFields);
}

export function client(reply: RawReply): Record<string, string> {
  return clientFields(word(reply).trimEnd());
}

function clientFields(line: string): Record<string, string> {
  const result: Record<string, string> = {};
  for (const part of line.split(' ')) {
    const equals = part.indexOf('=');
    if (equals > 0) setField(result, part.slice(0, equals), part.slice(equals + 1));
  }
  return result;
}

// ---- sorted sets ----

export function scores<S extends Shape>(reply: RawReply): ScoredMember<S>[] {
  if (!Array.isArray(reply) || Array.isArray(reply[0])) return pairs(reply).map(scoredMember<S>);
  const result: ScoredMember<S>[] = [];
  for (let index = 0; index < reply.length; index += 2) {
    result.push({ member: reply[index] as S['text'], score: double(reply[index + 1]) });
  }
  return result;
}

function scoredMember<S extends Shape>([member, score]: Pair): ScoredMember<S> {
  return { member: member as S['text'], score: double(score) };
}

/** ZPOPMIN without a count: the pair itself in both protocols; empty if the set was empty. */
export function nullableScore<S extends Shape>(reply: RawReply): ScoredMember<S> | null {
  return scores<S>(reply)[0] ?? null;
}

/** BZPOPMIN: key, member, score. */
export function poppedMember<S extends Shape>(
  reply: RawReply,
): (ScoredMember<S> & { key: S['text'] }) | null {
  if (reply === null) return null;
  const [key, member, score] = list(reply);
  return { key: key as S['text'], member: member as S['text'], score: double(score) };
}

/** ZMPOP: the key, then nested pairs in both protocols. */
export function poppedMembers<S extends Shape>(reply: RawReply): PoppedMembers<S> | null {
  if (reply === null) return null;
  const [key, members] = list(reply);
  return { key: key as S['text'], members: scores(members) };
}

// ---- lists ----

/** BLPOP: key, element. */
export function poppedElement<S extends Shape>(
  reply: RawReply,
): { key: S['text']; element: S['text'] } | null {
  if (reply === null) return null;
  const [key, element] = list(reply);
  return { key: key as S['text'], element: element as S['text'] };
}

/** LMPOP: key, elements. */
export function poppedElements<S extends Shape>(reply: RawReply): Popped<S> | null {
  if (reply === null) return null;
  const [key, elements] = list(reply);
  return { key: key as S['text'], elements: list(elements) as S['text'][] };
}

/** LCS IDX. */
export interface CommonSubsequence<S extends Shape> {
  readonly matches: readonly {
    /** The first and the last byte of the match, in the first and in the second string. */
    readonly first: readonly [S['integer'], S['integer']];
    readonly second: readonly [S['integer'], S['integer']];
    /** Only with `withMatchLen`. */
    readonly length?: S['integer'];
  }[];
  readonly length: S['integer'];
}

export function commonSubsequence<S extends Shape>(reply: RawReply): CommonSubsequence<S> {
  const { matches, len } = record(reply);
  return {
    matches: list(matches).map((match) => {
      const [first, second, length] = list(match);
      const ranges = { first: range<S>(first), second: range<S>(second) };
      return length === undefined ? ranges : { ...ranges, length: length as S['integer'] };
    }),
    length: len as S['integer'],
  };
}

function range<S extends Shape>(reply: RawReply): [S['integer'], S['integer']] {
  const [from, through] = list(reply);
  return [from as S['integer'], through as S['integer']];
}
