import { StoreError } from '../../../store/index.js';
import { slotOf } from '../../../store/remote/cluster-slots.js';
import type { Store } from '../../../store/store.js';
import { type ApiRoute, ask, read } from '../../frame/route.js';
import type { KeyBrief, KeyFacts } from '../../types/keys.js';

const MAX_BRIEFS = 200;
const HLL_MAGIC = 'HYLL';

const LENGTH: Readonly<Record<string, string>> = {
  string: 'STRLEN',
  list: 'LLEN',
  set: 'SCARD',
  zset: 'ZCARD',
  hash: 'HLEN',
  stream: 'XLEN',
};

export const factsRoutes: readonly ApiRoute[] = [
  ask('keys/briefs', async ({ store, inputs }): Promise<readonly KeyBrief[]> => {
    const keys = inputs.byteList('keys', MAX_BRIEFS);
    const replies = await store.pipeline((queue) => [
      ...keys.map((key) => queue.send('TYPE', key)),
      ...keys.map((key) => queue.send('PTTL', key)),
    ]);
    return keys.map((_, index) => ({
      type: String(replies[index]),
      ttl: ttlOf(Number(replies[keys.length + index])),
    }));
  }),

  read('keys/facts', async ({ store, inputs }): Promise<KeyFacts> => {
    const key = inputs.bytes('key');
    const [type, ttl] = await store.pipeline((queue) => [queue.send('TYPE', key), queue.send('PTTL', key)]);
    const name = String(type);
    const [encoding, length, memory, idle, frequency, start] = await Promise.all([
      optional(store.send('OBJECT ENCODING', key)),
      LENGTH[name] === undefined ? 0 : optional(store.send(LENGTH[name], key)),
      optional(store.send('MEMORY USAGE', key)),
      optional(store.send('OBJECT IDLETIME', key)),
      optional(store.send('OBJECT FREQ', key)),
      name === 'string' ? optional(store.send('GETRANGE', key, 0, HLL_MAGIC.length - 1)) : null,
    ]);
    return {
      type: name,
      ttl: ttlOf(Number(ttl)),
      encoding: encoding === null ? '' : String(encoding),
      length: Number(length ?? 0),
      memory: memory === null ? null : Number(memory),
      idle: idle === null ? null : Number(idle),
      frequency: frequency === null ? null : Number(frequency),
      isHyperLogLog: start === HLL_MAGIC,
      ...(await placeIn(store, key)),
    };
  }),
];

const ttlOf = (ms: number): number | null => (ms >= 0 ? ms : null);

/** Null if the server refuses: OBJECT FREQ depends on the policy, others on the user's permissions. */
async function optional<T>(reply: Promise<T>): Promise<T | null> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof StoreError && (error.code === 'ERR' || error.code === 'NOPERM')) return null;
    throw error;
  }
}

async function placeIn(store: Store, key: Buffer): Promise<Pick<KeyFacts, 'slot'>> {
  return store.kind === 'cluster' ? { slot: slotOf(key) } : {};
}
