import { median, progress } from './measure.js';
import type { Place } from './place.js';

/** A part of `npm run bench -- web`: a file of bench/web, which exports it as `part`. */
export interface WebPart {
  /** One line for the list of parts. */
  readonly about: string;
  /** Measures, asserts that the results are right, and prints its tables. */
  run(setting: WebSetting): Promise<void>;
}

/** What the parts of one run have in common. */
export interface WebSetting {
  readonly rounds: number;
  /** How long one measurement takes, in seconds. */
  readonly seconds: number;
  /** Embedded, redis-server, and redis-server behind a slower network. Every part has places of its own. */
  readonly places: readonly Place[];
}

/** A way to do what the part measures. */
export interface Contender {
  readonly name: string;
}

/** What one measurement found: numbers by their names. */
export type Score<Name extends string> = Readonly<Record<Name, number>>;

/**
 * Measures all contenders in alternating rounds, so that a change of the machine's speed affects all of them alike. Returns
 * the median of each number, by the contender's name.
 *
 * @example
 * const scores = await inRounds('market', setting.rounds, CONTENDERS, (contender) => raceOf(contender, place));
 * scores.get('script')?.bought;
 */
export async function inRounds<Of extends Contender, Name extends string>(
  what: string,
  rounds: number,
  contenders: readonly Of[],
  measure: (contender: Of) => Promise<Score<Name>>,
): Promise<ReadonlyMap<string, Score<Name>>> {
  const found = new Map<string, Score<Name>[]>();
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    for (const contender of contenders) {
      progress(`${what}, ${contender.name}, round ${round} of ${rounds}`);
      const score = await measure(contender);
      if (round > 0) found.set(contender.name, [...(found.get(contender.name) ?? []), score]);
    }
  }
  progress('');
  return new Map([...found].map(([name, scores]) => [name, medians(scores)]));
}

function medians<Name extends string>(scores: readonly Score<Name>[]): Score<Name> {
  const names = Object.keys(scores[0] as object) as Name[];
  const values = names.map((name) => [name, median(scores.map((score) => score[name]))] as const);
  return Object.fromEntries(values) as Record<Name, number>;
}

/** Throws if a benchmark did not measure what it says. */
export function prove(isSo: boolean, what: string): asserts isSo {
  if (!isSo) throw new Error(`the benchmark did not measure what it says: ${what}`);
}

/** A ratio as tables show it. */
export function times(ours: number, theirs: number): string {
  const ratio = ours / theirs;
  return `${ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(2)}×`;
}
