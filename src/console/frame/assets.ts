import { brotliDecompressSync } from 'node:zlib';

/** A file for the browser. */
export interface Asset {
  /** The media type. */
  readonly type: string;
  readonly brotli: Buffer;
  plain(): Buffer;
}

/** The files for the browser by their paths, `index.html` among them. */
export type Assets = ReadonlyMap<string, Asset>;

/** A file as the build stores it: its path, its media type, and its content compressed, in base64. */
export type PackedAsset = readonly [path: string, type: string, brotli: string];

export function unpacked(packed: readonly PackedAsset[]): Assets {
  return new Map(
    packed.map(([path, type, text]) => {
      const brotli = Buffer.from(text, 'base64');
      let plain: Buffer | undefined;
      const asset: Asset = {
        type,
        brotli,
        plain: () => {
          plain ??= brotliDecompressSync(brotli);
          return plain;
        },
      };
      return [path, asset];
    }),
  );
}
