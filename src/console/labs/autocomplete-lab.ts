import { dictionary } from '../../kit/autocomplete/index.js';
import type { Store } from '../../store/index.js';
import { inSteps, type Lab, Measured, oneValue, publishedAt, race, valuesOf, withClients } from './lab.js';
import { completeByHand, scriptedCompletion } from './listings/autocomplete.js';

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

/** Different names of a to z, the same in every run. */
function makeNames(count: number): string[] {
  const names = new Set<string>();
  for (let state = 12_345; names.size < count; ) {
    let name = '';
    for (let i = 0; i < 8; i++) {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      name += String.fromCharCode(97 + ((state >>> 16) % 26));
    }
    names.add(name);
  }
  return [...names].sort();
}

/** The experiment on autocompletion. */
export const autocompleteLab: Lab = {
  name: 'autocomplete',
  title: 'Autocomplete',
  about:
    'Prefix searches in one dictionary. The simple way inserts two marks, reads between them and removes them; ours only reads.',
  isOwnPlace: false,
  parameters: [
    {
      name: 'clients',
      label: 'Clients',
      values: [1, 2, 5, 10],
      isList: true,
      min: 1,
      max: 100,
      isWhole: true,
    },
    { name: 'seconds', label: 'Seconds for each', values: [1], min: 0.01, max: 60 },
    { name: 'names', label: 'Names', values: [10_000], min: 10, max: 1_000_000, isWhole: true },
  ],
  run(setting) {
    const { store, signal, space } = setting;
    const counts = valuesOf(setting, 'clients');
    const seconds = oneValue(setting, 'seconds');
    const names = makeNames(oneValue(setting, 'names'));
    const measured = new Measured(counts.length);
    const prefixAt = (client: number, round: number): string => {
      const at = client * 997 + round;
      return (names[(at * 7_919) % names.length] ?? '').slice(0, 2 + (at % 3));
    };
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
              return async (round: number) => void (await complete(prefixAt(number, round)));
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
