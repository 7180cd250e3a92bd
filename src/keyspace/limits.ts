/** Sizes at which a value changes its encoding. The names are those of the configuration, in camel case. */
export interface EncodingLimits {
  hashMaxListpackEntries: number;
  hashMaxListpackValue: number;
  /** Bytes of the longest HyperLogLog that is kept sparse. */
  hllSparseMaxBytes: number;
  listMaxListpackSize: number;
  listCompressDepth: number;
  /** List elements of at least this many bytes get a node of their own. Set by DEBUG QUICKLIST-PACKED-THRESHOLD only. */
  listPackedThreshold: number;
  /** Not about encoding: the longest string that APPEND, SETRANGE and SETBIT may make. */
  protoMaxBulkLen: number;
  setMaxIntsetEntries: number;
  zsetMaxListpackEntries: number;
  zsetMaxListpackValue: number;
  streamNodeMaxBytes: number;
  streamNodeMaxEntries: number;
}

export function defaultLimits(): EncodingLimits {
  return {
    hashMaxListpackEntries: 512,
    hashMaxListpackValue: 64,
    hllSparseMaxBytes: 3000,
    listMaxListpackSize: -2,
    listCompressDepth: 0,
    listPackedThreshold: 1 << 30,
    protoMaxBulkLen: 512 * 1024 * 1024,
    setMaxIntsetEntries: 512,
    zsetMaxListpackEntries: 128,
    zsetMaxListpackValue: 64,
    streamNodeMaxBytes: 4096,
    streamNodeMaxEntries: 100,
  };
}
