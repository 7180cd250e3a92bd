import { REDIS_VERSION } from '../commands/version.js';
import type { Engine } from '../engine/engine.js';
import { RdbFormat, type SavedUsage } from '../rdb/rdb-format.js';

/** Additional fields for the header of a file. */
export interface RdbPurpose {
  /** The file is the base of an append-only file. */
  readonly isAofBase?: boolean;
  /** The code of the libraries of functions; all of them if absent. */
  readonly functions?: readonly Buffer[];
  /** `repl-stream-db`, `repl-id`, `repl-offset`. */
  readonly replication?: readonly (readonly [name: string, value: string])[];
}

/** The RDB format that the engine's settings ask for. */
export function rdbFormat(engine: Engine, purpose: RdbPurpose = {}): RdbFormat {
  const { keyspace, settings, usedMemory } = engine;
  return new RdbFormat(keyspace, {
    compresses: settings.isOn('rdbcompression'),
    hasChecksum: settings.isOn('rdbchecksum'),
    usage: savedUsage(settings.text('maxmemory-policy')),
    functions: purpose.functions ?? engine.scripting.libraryCodes(),
    auxiliary: [
      ['redis-ver', REDIS_VERSION],
      ['redis-bits', '64'],
      ['ctime', String(Math.floor(keyspace.clock.now() / 1000))],
      ['used-mem', String(usedMemory)],
      ...(purpose.replication ?? []),
      ['aof-base', purpose.isAofBase === true ? '1' : '0'],
    ],
  });
}

function savedUsage(policy: string): SavedUsage {
  if (policy.endsWith('-lru')) return 'idle';
  return policy.endsWith('-lfu') ? 'frequency' : undefined;
}
