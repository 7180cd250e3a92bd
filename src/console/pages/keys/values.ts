import type { Store } from '../../../store/store.js';
import type { Reply } from '../../../store/transport.js';
import type { Argument } from '../../../store/value.js';
import { ApiError } from '../../frame/api-error.js';
import type { Inputs } from '../../frame/inputs.js';
import { type ApiRoute, read } from '../../frame/route.js';
import { toWire } from '../../frame/wire-bytes.js';
import type {
  CutBytes,
  HashFields,
  KeyType,
  ListElements,
  SetMembers,
  SortedSetMembers,
  StreamEntries,
  StringPart,
  ValuePage,
} from '../../types/keys.js';
import { callCut, callPart, cutBytes } from './cut.js';

/** Elements are shown up to this length; the rest is loaded when it is asked for. */
const MAX_SHOWN = 1024;
const MAX_PART = 64 * 1024;
const PAGE = 100;
const MAX_PAGE = 500;

interface PageCall {
  readonly store: Store;
  readonly key: Buffer;
  readonly inputs: Inputs;
}

const PAGES: Readonly<Record<KeyType, (call: PageCall) => Promise<ValuePage>>> = {
  string: stringPart,
  list: listElements,
  set: setMembers,
  hash: hashFields,
  zset: sortedSetMembers,
  stream: streamEntries,
};
const TYPES = Object.keys(PAGES) as readonly KeyType[];

export const valueRoutes: readonly ApiRoute[] = [
  read('keys/page', async ({ store, inputs }) => {
    const type = inputs.oneOf('type', TYPES);
    return PAGES[type]({ store, inputs, key: inputs.bytes('key') });
  }),

  /** Part of one element: of a hash's field, a list's element, a stream entry's field, or a string. */
  read('keys/part', async ({ store, inputs }): Promise<StringPart> => {
    const key = inputs.bytes('key');
    const offset = inputs.integer('offset', { max: 2 ** 40, default: 0 });
    const range = { offset, length: inputs.integer('length', { min: 1, max: MAX_PART, default: MAX_PART }) };
    const found = await elementPart({ store, inputs, key }, range);
    if (found === null) throw new ApiError(404, 'GONE', 'this element is no longer there');
    return { kind: 'string', offset, part: toWire(found.part), length: found.length };
  }),
];

function elementPart(
  { store, inputs, key }: PageCall,
  range: { readonly offset: number; readonly length: number },
): ReturnType<typeof callPart> {
  const type = inputs.oneOf('type', TYPES);
  switch (type) {
    case 'hash':
      return callPart(store.bytes, range, [], key, 'HGET', key, inputs.bytes('field'));
    case 'list':
      return callPart(store.bytes, range, [], key, 'LINDEX', key, inputs.integer('index'));
    case 'stream': {
      const id = inputs.text('id');
      const path = [1, 2, 2 * inputs.integer('index') + 2];
      return callPart(store.bytes, range, path, key, 'XRANGE', key, id, id);
    }
    case 'string':
      return callPart(store.bytes, range, [], key, 'GET', key);
    default:
      throw new ApiError(400, 'INPUT', `elements of a ${type} have no parts`);
  }
}

async function stringPart({ store, key, inputs }: PageCall): Promise<StringPart> {
  const offset = inputs.integer('offset', { max: 2 ** 40, default: 0 });
  const length = inputs.integer('length', { min: 1, max: MAX_PART, default: MAX_PART });
  const [part, total] = await store.bytes.pipeline((queue) => [
    queue.send('GETRANGE', key, offset, offset + length - 1),
    queue.send('STRLEN', key),
  ]);
  return { kind: 'string', offset, part: toWire(part as Buffer), length: Number(total) };
}

const pageSize = (inputs: Inputs): number =>
  inputs.integer('count', { min: 1, max: MAX_PAGE, default: PAGE });

async function listElements({ store, key, inputs }: PageCall): Promise<ListElements> {
  const start = inputs.integer('start', { default: 0 });
  const [elements, length] = await Promise.all([
    callCut(store.bytes, MAX_SHOWN, key, 'LRANGE', key, start, start + pageSize(inputs) - 1),
    store.send('LLEN', key),
  ]);
  return { kind: 'list', start, length: Number(length), elements: (elements as Reply[]).map(cutBytes) };
}

function scanWords(inputs: Inputs): Argument[] {
  const match = inputs.text('match');
  return ['COUNT', pageSize(inputs), ...(match === '' ? [] : ['MATCH', match])];
}

/** A filter may find nothing in many steps: several are made for one page, within bounds. */
async function scanned(
  command: 'SSCAN' | 'HSCAN' | 'ZSCAN',
  { store, key, inputs }: PageCall,
): Promise<{ readonly items: readonly Reply[]; readonly cursor: string | null }> {
  const items: Reply[] = [];
  let cursor = inputs.text('cursor', '0');
  if (!/^\d{1,20}$/.test(cursor))
    throw new ApiError(400, 'INPUT', '`cursor` must be one that a page returned');
  const words = scanWords(inputs);
  for (let step = 0; step < MAX_STEPS; step++) {
    const reply = await callCut(store.bytes, MAX_SHOWN, key, command, key, cursor, ...words);
    const [next, found] = reply as [Buffer, Reply[]];
    items.push(...found);
    cursor = String(next);
    if (cursor === '0' || items.length >= PAGE) break;
  }
  return { items, cursor: cursor === '0' ? null : cursor };
}

const MAX_STEPS = 20;

async function setMembers(call: PageCall): Promise<SetMembers> {
  const { items, cursor } = await scanned('SSCAN', call);
  return { kind: 'set', members: items.map(cutBytes), cursor };
}

async function hashFields(call: PageCall): Promise<HashFields> {
  const { items, cursor } = await scanned('HSCAN', call);
  return { kind: 'hash', fields: pairs(items), cursor };
}

function pairs(items: readonly Reply[]): { field: CutBytes; value: CutBytes }[] {
  return Array.from({ length: items.length / 2 }, (_, index) => ({
    field: cutBytes(items[2 * index]),
    value: cutBytes(items[2 * index + 1]),
  }));
}

/** By rank; with a filter, in the order of the table. */
async function sortedSetMembers(call: PageCall): Promise<SortedSetMembers> {
  const { store, key, inputs } = call;
  const length = Number(await store.send('ZCARD', key));
  if (inputs.has('match')) {
    const { items, cursor } = await scanned('ZSCAN', call);
    const members = pairs(items).map(({ field, value }) => ({
      member: field,
      score: String(value.value),
      rank: null,
    }));
    return { kind: 'zset', members, cursor, length };
  }
  const start = inputs.integer('start', { default: 0 });
  const size = pageSize(inputs);
  const isDescending = inputs.boolean('descending');
  const order = isDescending ? ['REV'] : [];
  const reply = await callCut(
    store.bytes,
    MAX_SHOWN,
    key,
    'ZRANGE',
    key,
    start,
    start + size - 1,
    ...order,
    'WITHSCORES',
  );
  const members = pairs(reply as Reply[]).map(({ field, value }, index) => ({
    member: field,
    score: String(value.value),
    rank: start + index,
  }));
  const end = start + members.length;
  return { kind: 'zset', members, cursor: end < length ? String(end) : null, length };
}

async function streamEntries({ store, key, inputs }: PageCall): Promise<StreamEntries> {
  const size = pageSize(inputs);
  const isDescending = inputs.boolean('descending');
  const from = inputs.text('cursor', isDescending ? '+' : '-');
  const command = isDescending ? 'XREVRANGE' : 'XRANGE';
  const [reply, length] = await Promise.all([
    callCut(store.bytes, MAX_SHOWN, key, command, key, from, isDescending ? '-' : '+', 'COUNT', size + 1),
    store.send('XLEN', key),
  ]);
  const entries = (reply as [Buffer, Reply[]][]).map(([id, fields]) => ({
    id: String(id),
    fields: pairs(fields),
  }));
  const next = entries.length > size ? entries.pop() : undefined;
  return { kind: 'stream', entries, cursor: next?.id ?? null, length: Number(length) };
}
