/** Prefix search by 1, 2, 5 and 10 clients: marks in the sorted set with WATCH, the same in a script, ours. */
import { randomUUID } from 'node:crypto';
import { makeNames, prefixAt } from '../../src/console/labs/listings/autocomplete.js';
import {
  AUTOCOMPLETE_CONTENDERS,
  AUTOCOMPLETE_OURS,
  type AutocompleteContender,
} from '../support/autocomplete-contenders.js';
import { printTable, thousands } from '../support/measure.js';
import type { Place } from '../support/place.js';
import { inRounds, prove, type Score, times, type WebPart } from '../support/web-part.js';

const CLIENTS = [1, 2, 5, 10];
const NAMES = makeNames(10_000);

export const part: WebPart = {
  about: 'completions in 10 s, of how many tries, in a dictionary of 10,000 names',
  async run({ places, rounds, seconds }) {
    const rows: string[][] = [];
    let best: number[] = [];
    const found = new Map<string, ReadonlyMap<string, Score<'tries' | 'completions'>>>();
    for (const place of places) {
      for (const clients of CLIENTS) {
        const scores = await inRounds(
          `autocomplete, ${place.name}, ${clients} clients`,
          rounds,
          AUTOCOMPLETE_CONTENDERS,
          (contender) => race(contender, place, clients, seconds),
        );
        found.set(`${place.name} ${clients}`, scores);
      }
    }
    const theirs = AUTOCOMPLETE_CONTENDERS.filter(
      ({ name, isFloor }) => name !== AUTOCOMPLETE_OURS && isFloor !== true,
    );
    for (const place of places) {
      for (const clients of CLIENTS) {
        const scores = found.get(`${place.name} ${clients}`);
        const onServer = found.get(`redis-server ${clients}`);
        const ours = scores?.get(AUTOCOMPLETE_OURS)?.completions ?? 0;
        best = [scores, onServer].map((all) =>
          Math.max(...theirs.map(({ name }) => all?.get(name)?.completions ?? 0)),
        );
        rows.push([
          `${place.name}, ${clients} clients`,
          ...AUTOCOMPLETE_CONTENDERS.map(({ name }) => {
            const { completions = 0, tries = 0 } = scores?.get(name) ?? {};
            return tries > completions * 1.01
              ? `${thousands(completions)} of ${thousands(tries)}`
              : thousands(completions);
          }),
          times(ours, best[0] as number),
          place.name === 'embedded' ? times(ours, best[1] as number) : '',
        ]);
      }
    }
    printTable(
      [
        '',
        ...AUTOCOMPLETE_CONTENDERS.map(({ name }) => name),
        'ours : best other',
        'ours : best other on redis-server',
      ],
      rows,
    );
    console.log(
      "\nThe guide's names are of a to z only, and a prefix before all of them finds almost all. Ours compares folded texts, so that its replies have each\n" +
        'name twice, and tells whether there is another page. With one or two clients, the round trip is most of both.',
    );
  },
};

async function race(
  contender: AutocompleteContender,
  place: Place,
  clients: number,
  seconds: number,
): Promise<Score<'tries' | 'completions'>> {
  const name = `names ${randomUUID()}`;
  await contender.fill(place, name, NAMES);
  const completers = await Promise.all(Array.from({ length: clients }, () => contender.connect(place, name)));
  let [tries, completions] = [0, 0];
  const end = performance.now() + seconds * 1_000;
  await Promise.all(
    completers.map(async (completer, client) => {
      for (let i = 0; performance.now() < end; i++) {
        const prefix = prefixAt(NAMES, client, i);
        const found = await completer.complete(prefix, () => tries++);
        check(contender, prefix, found);
        completions++;
        // Embedded calls never wait, so that other clients would not run.
        if (i % 50 === 0) await new Promise(setImmediate);
      }
    }),
  );
  await Promise.all(completers.map((completer) => completer.close()));
  return { tries: (tries * 10) / seconds, completions: (completions * 10) / seconds };
}

/** The first names that begin with the prefix, found quickly: it is part of what is measured. */
function firstTen(prefix: string): string[] {
  let [low, high] = [0, NAMES.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((NAMES[middle] as string) < prefix) low = middle + 1;
    else high = middle;
  }
  return NAMES.slice(low, low + 10).filter((name) => name.startsWith(prefix));
}

/** All contenders must return names that begin with the prefix; exact ones the first ten. */
function check({ name, isExact }: AutocompleteContender, prefix: string, found: readonly string[]): void {
  if (!isExact) {
    prove(
      found.every((one) => one.startsWith(prefix)),
      `${name} found ${found} for ${prefix}`,
    );
    return;
  }
  const expected = firstTen(prefix).join();
  prove(found.join() === expected, `${name} found ${found} for ${prefix}, not ${expected}`);
}
