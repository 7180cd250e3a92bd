import { dictionary } from '../../kit/autocomplete/index.js';
import type { Store } from '../../store/index.js';
import {
  CLIENTS,
  inSteps,
  type Lab,
  Measured,
  oneValue,
  publishedAt,
  race,
  SECONDS,
  valuesOf,
  withClients,
} from './lab.js';
import { completeByHand, makeNames, prefixAt, scriptedCompletion } from './listings/autocomplete.js';

/** Completions in 10 s, by the number of clients. */
const PUBLISHED_OLD = { 1: 26_339, 2: 17_551, 5: 10_989, 10: 6_141 };
const PUBLISHED_LUA = { 1: 64_440, 2: 89_140, 5: 125_971, 10: 128_217 };

type Complete = (prefix: string) => Promise<readonly string[]>;

interface Contender {
  fill(store: Store, space: string, names: readonly string[]): Promise<void>;
  connect(store: Store, space: string): Complete;
}

const keyOf = (space: string): string => `${space}:names`;

async function fillSet(store: Store, space: string, names: readonly string[]): Promise<void> {
  for (let at = 0; at < names.length; at += 500) {
    const members = names.slice(at, at + 500).flatMap((name) => [0, name]);
    await store.send('ZADD', keyOf(space), ...members);
  }
}

const CONTENDERS: Readonly<Record<string, Contender>> = {
  'guide, WATCH': {
    fill: fillSet,
    connect: (store, space) => (prefix) => completeByHand(store, keyOf(space), prefix),
  },
  'guide, script': {
    fill: async () => {},
    connect: (store, space) => {
      const complete = scriptedCompletion(store);
      return (prefix) => complete(keyOf(space), prefix);
    },
  },
  ours: {
    fill: async (store, space, names) => {
      await dictionary(store, space, { onWarning: () => {} }).addAll(names);
    },
    connect: (store, space) => {
      const words = dictionary(store, space, { onWarning: () => {} });
      return async (prefix) => (await words.complete(prefix)).entries.map(({ text }) => text);
    },
  },
};

/** The experiment on autocompletion. */
export const autocompleteLab: Lab = {
  name: 'autocomplete',
  title: 'Autocomplete',
  about:
    'Prefix searches in one dictionary. The simple way inserts two marks, reads between them and removes them; ours only reads.',
  isOwnPlace: false,
  parameters: [
    CLIENTS,
    SECONDS,
    { name: 'names', label: 'Names', values: [10_000], min: 10, max: 1_000_000, isWhole: true },
  ],
  run(setting) {
    const { store, signal, space } = setting;
    const counts = valuesOf(setting, 'clients');
    const seconds = oneValue(setting, 'seconds');
    const names = makeNames(oneValue(setting, 'names'));
    const measured = new Measured(counts.length);
    const fills = Object.entries(CONTENDERS).map(([name, { fill }]) => ({
      doing: `${name}: the dictionary`,
      run: () => fill(store, space, names),
    }));
    const steps = counts.flatMap((count, at) =>
      Object.entries(CONTENDERS).map(([name, { connect }]) => ({
        doing: `${name}, ${count} clients`,
        run: () =>
          withClients(store, count, async (clients) => {
            const steps = clients.map((client, number) => {
              const complete = connect(client, space);
              return async (round: number) => void (await complete(prefixAt(names, number, round)));
            });
            measured.set(name, at, await race(steps, seconds, 10, signal));
          }),
      })),
    );
    return inSteps([...fills, ...steps], signal, () => ({
      tables: [],
      charts: [
        {
          ...{
            title: 'Completions in 10 s',
            unit: 'completions',
            axis: 'clients',
            positions: counts.map(String),
          },
          series: [
            { label: 'guide, WATCH', kind: 'guide', values: [...measured.of('guide, WATCH')] },
            { label: 'guide, script', kind: 'guide', values: [...measured.of('guide, script')] },
            { label: 'ours', kind: 'ours', values: [...measured.of('ours')] },
            { label: 'published, WATCH', kind: 'published', values: publishedAt(PUBLISHED_OLD, counts) },
            { label: 'published, script', kind: 'published', values: publishedAt(PUBLISHED_LUA, counts) },
          ],
        },
      ],
    }));
  },
};
