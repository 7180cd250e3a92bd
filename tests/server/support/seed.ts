/**
 * What random tests start from: the same in every run unless SORREL_SEED says otherwise, a number or `random`.
 * SORREL_RUNS multiplies how much is tried.
 */
export function chosenSeed(usual: number): number {
  const wanted = process.env['SORREL_SEED'];
  if (wanted === 'random') return Math.floor(Math.random() * 0x7fffffff);
  return wanted === undefined ? usual : Number(wanted);
}

export function runFactor(): number {
  return Number(process.env['SORREL_RUNS'] ?? 1);
}
