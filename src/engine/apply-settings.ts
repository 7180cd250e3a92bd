import type { Settings } from '../commands/config/settings.js';
import { eventMask } from '../commands/config/special-kinds.js';
import type { Keyspace } from '../keyspace/keyspace.js';
import type { EncodingLimits } from '../keyspace/limits.js';

/** Copies settings to the fields of the keyspace that mirror them, now and after each change. */
export function applySettings(settings: Settings, keyspace: Keyspace): void {
  for (const [name, field] of Object.entries(LIMITS)) {
    settings.onChange(name, (text) => {
      keyspace.limits[field] = Number(text);
    });
  }
  settings.onChange('notify-keyspace-events', (text) => {
    keyspace.effects.enabledEvents = eventMask(text) ?? 0;
  });
  settings.onChange('lazyfree-lazy-expire', (text) => {
    keyspace.lazyExpire = text === 'yes';
  });
}

const LIMITS: Readonly<Record<string, keyof EncodingLimits>> = {
  'hash-max-listpack-entries': 'hashMaxListpackEntries',
  'hash-max-listpack-value': 'hashMaxListpackValue',
  'hll-sparse-max-bytes': 'hllSparseMaxBytes',
  'list-max-listpack-size': 'listMaxListpackSize',
  'list-compress-depth': 'listCompressDepth',
  'proto-max-bulk-len': 'protoMaxBulkLen',
  'set-max-intset-entries': 'setMaxIntsetEntries',
  'zset-max-listpack-entries': 'zsetMaxListpackEntries',
  'zset-max-listpack-value': 'zsetMaxListpackValue',
  'stream-node-max-bytes': 'streamNodeMaxBytes',
  'stream-node-max-entries': 'streamNodeMaxEntries',
};
