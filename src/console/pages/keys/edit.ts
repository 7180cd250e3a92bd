import { randomUUID } from 'node:crypto';
import { ApiError, invalid } from '../../frame/api-error.js';
import type { Inputs } from '../../frame/inputs.js';
import { type ApiCall, type ApiRoute, change } from '../../frame/route.js';
import { callPart } from './cut.js';

const MAX_DELETED = 1000;
const MAX_VALUE = 24 * 1024 * 1024;

/** Changes of keys as a whole. */
const keyRoutes: readonly ApiRoute[] = [
  change('keys/delete', async ({ store, inputs }) => {
    const keys = inputs.byteList('keys', MAX_DELETED);
    const replies = await store.pipeline((queue) => keys.map((key) => queue.send('UNLINK', key)));
    return { deleted: replies.reduce<number>((sum, reply) => sum + Number(reply), 0) };
  }),

  change('keys/rename', async ({ store, inputs }) => {
    const key = inputs.bytes('key');
    const to = inputs.bytes('to');
    if (inputs.boolean('replace')) await store.send('RENAME', key, to);
    else if (Number(await store.send('RENAMENX', key, to)) === 0) {
      throw new ApiError(409, 'EXISTS', 'there is a key with this name');
    }
  }),

  /** `ttl` in ms; without it the key no longer expires. */
  change('keys/expire', async ({ store, inputs }) => {
    const key = inputs.bytes('key');
    if (!inputs.has('ttl')) await store.send('PERSIST', key);
    else if (
      Number(await store.send('PEXPIRE', key, inputs.integer('ttl', { min: 1, max: 10 ** 15 }))) === 0
    ) {
      throw gone();
    }
  }),
];

/** Changes inside a value, by name. Each checks that what it changes is still what the person saw, where the order can shift. */
const EDITS: Readonly<Record<string, (call: ApiCall, key: Buffer) => Promise<unknown>>> = {
  'string/set': async ({ store, inputs }, key) => {
    // With a time to live it keeps it; a new key has none.
    await store.send('SET', key, inputs.bytes('value'), 'KEEPTTL');
  },
  'string/create': async ({ store, inputs }, key) => {
    if ((await store.send('SET', key, inputs.bytes('value'), 'NX')) === null) throw exists();
  },
  'string/setrange': ({ store, inputs }, key) =>
    store.send('SETRANGE', key, inputs.integer('offset', { max: 512 * 1024 * 1024 }), inputs.bytes('value')),
  'hash/set': ({ store, inputs }, key) =>
    store.send('HSET', key, inputs.bytes('field'), inputs.bytes('value')),
  'hash/remove': ({ store, inputs }, key) => store.send('HDEL', key, inputs.bytes('field')),
  'set/add': async ({ store, inputs }, key) => {
    if (Number(await store.send('SADD', key, inputs.bytes('member'))) === 0) throw exists('member');
  },
  'set/remove': ({ store, inputs }, key) => store.send('SREM', key, inputs.bytes('member')),
  'zset/set': ({ store, inputs }, key) => store.send('ZADD', key, scoreIn(inputs), inputs.bytes('member')),
  'zset/remove': ({ store, inputs }, key) => store.send('ZREM', key, inputs.bytes('member')),
  'geo/add': ({ store, inputs }, key) =>
    store.send('GEOADD', key, inputs.text('longitude'), inputs.text('latitude'), inputs.bytes('member')),
  'hyperloglog/add': ({ store, inputs }, key) => store.send('PFADD', key, inputs.bytes('element')),
  'list/push': ({ store, inputs }, key) =>
    store.send(
      inputs.oneOf('end', ['head', 'tail']) === 'head' ? 'LPUSH' : 'RPUSH',
      key,
      inputs.bytes('value'),
    ),
  'list/set': (call, key) =>
    atIndex(call, key, (index) => [['LSET', key, index, call.inputs.bytes('value')]]),
  'list/remove': (call, key) => {
    // Redis removes list elements only by value: the element becomes one that occurs once.
    const mark = `sorrel-console-removed:${randomUUID()}`;
    return atIndex(call, key, (index) => [
      ['LSET', key, index, mark],
      ['LREM', key, 1, mark],
    ]);
  },
  'stream/add': ({ store, inputs }, key) => {
    const fields = inputs.byteList('fields', 200);
    if (fields.length === 0 || fields.length % 2 !== 0)
      throw invalid('`fields` must be pairs of field and value');
    return store.send('XADD', key, inputs.text('id', '*'), ...fields);
  },
  'stream/remove': ({ store, inputs }, key) => store.send('XDEL', key, inputs.text('id')),
  'stream/create-group': ({ store, inputs }, key) =>
    store.send('XGROUP CREATE', key, inputs.bytes('group'), inputs.text('from', '$')),
  'stream/remove-group': ({ store, inputs }, key) => store.send('XGROUP DESTROY', key, inputs.bytes('group')),
  'stream/ack': ({ store, inputs }, key) => store.send('XACK', key, inputs.bytes('group'), inputs.text('id')),
};

type ListCommand = readonly [name: string, ...args: (string | number | Buffer)[]];

/** Changes the element at an index if it is still the one that the person saw. */
async function atIndex(
  { store, inputs }: ApiCall,
  key: Buffer,
  commands: (index: number) => readonly ListCommand[],
): Promise<void> {
  const index = inputs.integer('index');
  const expected = inputs.bytes('expected');
  const length = inputs.integer('expectedLength');
  let isSame = true;
  await store.bytes.transaction({ watch: [key] }, async (queue, watched) => {
    // Of a long element the browser has only the beginning, and no more of it is sent here either.
    const range = { offset: 0, length: Math.max(1, expected.length) };
    const current = await callPart(watched, range, [], key, 'LINDEX', key, index);
    isSame = current?.length === length && current.part.equals(expected);
    return isSame ? commands(index).map(([name, ...args]) => queue.send(name, ...args)) : undefined;
  });
  if (!isSame) throw new ApiError(409, 'CHANGED', 'the list has changed meanwhile: load it again');
}

function scoreIn(inputs: Inputs): string {
  const score = inputs.text('score').trim();
  if (!/^[+-]?(inf|\d+\.?\d*(e[+-]?\d+)?|\.\d+(e[+-]?\d+)?)$/i.test(score)) {
    throw invalid('`score` must be a number, inf or -inf');
  }
  return score;
}

const gone = (): ApiError => new ApiError(404, 'GONE', 'this key is no longer there');
const exists = (what = 'key'): ApiError => new ApiError(409, 'EXISTS', `there is such a ${what} already`);

export const editRoutes: readonly ApiRoute[] = [
  ...keyRoutes,
  ...Object.entries(EDITS).map(([name, edit]) =>
    change(`keys/edit/${name}`, async (call) => void (await edit(call, call.inputs.bytes('key'))), MAX_VALUE),
  ),
];
