import { type Assets, type PackedAsset, unpacked } from './assets.js';

/** Loads the files for the browser. The build replaces this module by one that contains them (`scripts/bundle.mjs`). */
export async function loadAssets(): Promise<Assets> {
  // The path is computed, since no part of the package may depend on the scripts.
  const script = new URL('../../../scripts/bundle-browser.mjs', import.meta.url).href;
  const { packedAssets } = (await import(script)) as { packedAssets(): Promise<readonly PackedAsset[]> };
  return unpacked(await packedAssets());
}
