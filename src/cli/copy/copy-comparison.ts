import type { EmbeddedStore } from '../../store/index.js';

/** A key's value as DUMP gives it, and when it ends: Unix ms, 0 for never. */
export interface Entry {
  readonly payload: Buffer;
  readonly expiresAt: number;
}

/**
 * Whether two values are the same. Most are the same bytes. Elements of a large hash or set come in the order of their
 * table, which differs from server to server: of those, an engine in this process tells whether they hold the same.
 */
export class ValueComparison {
  readonly #scratch: EmbeddedStore;

  /** The store is used for nothing else, and allows DEBUG. */
  constructor(scratch: EmbeddedStore) {
    this.#scratch = scratch;
  }

  areEqual(a: Entry, b: Entry): boolean {
    return a.expiresAt === b.expiresAt && (a.payload.equals(b.payload) || this.#holdTheSame(a, b));
  }

  #holdTheSame(a: Entry, b: Entry): boolean {
    const { sync } = this.#scratch;
    try {
      sync.send('RESTORE', 'a', 0, a.payload, 'REPLACE');
      sync.send('RESTORE', 'b', 0, b.payload, 'REPLACE');
      const types = [sync.send('TYPE', 'a'), sync.send('TYPE', 'b')];
      if (types[0] !== types[1]) return false;
      if (sync.bytes.send<Buffer>('DUMP', 'a').equals(sync.bytes.send<Buffer>('DUMP', 'b'))) return true;
      // The digest of a stream leaves out its groups, that of a list or string says no more than the dump.
      if (types[0] !== 'hash' && types[0] !== 'set' && types[0] !== 'zset') return false;
      const [first, second] = sync.send('DEBUG', 'DIGEST-VALUE', 'a', 'b') as readonly string[];
      return first === second;
    } finally {
      sync.send('FLUSHALL');
    }
  }
}
