/** Sizes at which a value changes its encoding. The names are those of the configuration, in camel case. */
export interface EncodingLimits {
  hashMaxListpackEntries: number;
  hashMaxListpackValue: number;
  listMaxListpackSize: number;
  listCompressDepth: number;
  setMaxIntsetEntries: number;
  zsetMaxListpackEntries: number;
  zsetMaxListpackValue: number;
  streamNodeMaxBytes: number;
  streamNodeMaxEntries: number;
}

export function defaultLimits(): EncodingLimits {
  return {
    hashMaxListpackEntries: 128,
    hashMaxListpackValue: 64,
    listMaxListpackSize: -2,
    listCompressDepth: 0,
    setMaxIntsetEntries: 512,
    zsetMaxListpackEntries: 128,
    zsetMaxListpackValue: 64,
    streamNodeMaxBytes: 4096,
    streamNodeMaxEntries: 100,
  };
}
