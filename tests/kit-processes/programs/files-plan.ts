/** Constants that the processes of files.test.ts share. */
export const READERS = ['ann', 'bob'];
export const TRANSFER = { readers: READERS, blockSize: 500, space: 4_000 };

export const SIZES: Readonly<Record<string, number>> = {
  large: 220_123,
  medium: 110_500,
  small: 1_234,
  empty: 0,
};
export const FILE_NAMES = Object.keys(SIZES);

/** The number of faults. One portion more than that is sent. */
export const ROUNDS = Number(process.env['SORREL_TORTURE_ROUNDS'] ?? 40);
export const PORTIONS = ROUNDS + 1;
