import { StoreError } from '../../../store/index.js';
import { ApiError, invalid } from '../../frame/api-error.js';
import { type ApiRoute, ask, change } from '../../frame/route.js';
import { fromWire, toWire } from '../../frame/wire-bytes.js';
import type { ExportedKey } from '../../types/keys.js';

const MAX_KEYS = 100;
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_BODY = 24 * 1024 * 1024;

/** Keys as DUMP and RESTORE have them, for all types, with their times to live. */
export const transferRoutes: readonly ApiRoute[] = [
  ask(
    'keys/export',
    async ({ store, inputs }): Promise<{ readonly keys: readonly ExportedKey[]; readonly left: number }> => {
      const keys = inputs.byteList('keys', MAX_KEYS);
      const exported: ExportedKey[] = [];
      let bytes = 0;
      for (const key of keys) {
        const size = Number((await store.send('MEMORY USAGE', key)) ?? 0);
        if (size > MAX_BYTES) {
          throw new ApiError(
            413,
            'LARGE',
            `a key has ${size} bytes: use 'sorrel copy' for keys above ${MAX_BYTES}`,
          );
        }
        // The rest comes with the next request.
        if (bytes + size > MAX_BYTES && exported.length > 0) break;
        const [dump, ttl] = await store.bytes.pipeline((queue) => [
          queue.send('DUMP', key),
          queue.send('PTTL', key),
        ]);
        bytes += size;
        exported.push({
          key: toWire(key),
          ttl: Math.max(0, Number(ttl)),
          dump: dump === null ? '' : (dump as Buffer).toString('base64'),
        });
      }
      return { keys: exported.filter(({ dump }) => dump !== ''), left: keys.length - exported.length };
    },
  ),

  change(
    'keys/import',
    async ({ store, inputs }) => {
      const keys = entriesIn(inputs.raw('keys'));
      const replace = inputs.boolean('replace') ? ['REPLACE'] : [];
      const replies = await store.pipeline(
        (queue) => keys.map(({ key, ttl, dump }) => queue.send('RESTORE', key, ttl, dump, ...replace)),
        { settle: true },
      );
      const failed = replies.flatMap((reply, index) =>
        reply instanceof StoreError
          ? [{ key: toWire((keys[index] as (typeof keys)[number]).key), error: reply.message }]
          : [],
      );
      return { imported: keys.length - failed.length, failed };
    },
    MAX_BODY,
  ),
];

function entriesIn(value: unknown): { key: Buffer; ttl: number; dump: Buffer }[] {
  if (!Array.isArray(value) || value.length > MAX_KEYS)
    throw invalid(`\`keys\` must be a list of at most ${MAX_KEYS}`);
  return value.map((entry: unknown, index) => {
    const { key, ttl, dump } = (entry ?? {}) as Partial<Record<'key' | 'ttl' | 'dump', unknown>>;
    const name = fromWire(key);
    const bytes = typeof dump === 'string' ? fromWire({ base64: dump }) : undefined;
    if (name === undefined || bytes === undefined || !Number.isSafeInteger(ttl) || (ttl as number) < 0) {
      throw invalid(`\`keys[${index}]\` must have \`key\`, \`ttl\` and \`dump\`, as an export has them`);
    }
    return { key: name, ttl: ttl as number, dump: bytes };
  });
}
