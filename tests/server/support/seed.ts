/**
 * The seed of random tests: the same in every run unless SORREL_SEED is set to a number or `random`. SORREL_RUNS
 * multiplies the number of runs.
 */
export function chosenSeed(defaultSeed: number): number {
  const wanted = process.env['SORREL_SEED'];
  if (wanted === 'random') return Math.floor(Math.random() * 0x7fffffff);
  return wanted === undefined ? defaultSeed : Number(wanted);
}

export function runFactor(): number {
  return Number(process.env['SORREL_RUNS'] ?? 1);
}
