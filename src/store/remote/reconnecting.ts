/** How long to wait, in ms, before an attempt to reconnect, counted from 1. Randomized, so that clients spread out. */
export function pauseBefore(attempt: number): number {
  const pause = Math.min(FIRST_PAUSE_MS * attempt, MAX_PAUSE_MS);
  return Math.round(pause * (0.75 + Math.random() / 4));
}

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;
