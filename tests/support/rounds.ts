/** How many rounds of a long test run at a time: their servers mostly wait. See `npm run torture`. */
export const ROUNDS_AT_ONCE = Number(process.env['SORREL_ROUNDS_AT_ONCE'] ?? 1);

/** Runs rounds 0 up to `count`, some at a time. Rejects with the first error. */
export async function runRounds(count: number, run: (round: number) => Promise<void>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) await run(next++);
  };
  await Promise.all(Array.from({ length: ROUNDS_AT_ONCE }, work));
}
