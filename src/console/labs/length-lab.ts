import { open } from '../../store/index.js';
import { inSteps, type Lab, Measured, oneValue, publishedAt, SECONDS, valuesOf } from './lab.js';
import { isMeasured, measure, TYPES, UNDER_TEST, type Variant } from './measure-encodings.js';

/** RPOPLPUSH a second on a packed list, by its length. */
const PUBLISHED = {
  1: 52_093,
  100: 51_501,
  1000: 49_732,
  5000: 43_424,
  10000: 36_727,
  50000: 16_695,
  100000: 553,
};

const VARIANTS: readonly Variant[] = ['packed', 'not packed'];

/** The experiment on the length of packed structures. */
export const lengthLab: Lab = {
  name: 'packed',
  title: 'Length of packed structures',
  about:
    'Calls a second and bytes per element of lists, hashes, sets and sorted sets, packed and not, by their length. The published curve is that of lists.',
  isOwnPlace: true,
  parameters: [
    {
      ...{ name: 'lengths', label: 'Elements', isList: true, isWhole: true, min: 1, max: 1_000_000 },
      values: [1, 100, 1_000, 5_000, 10_000, 50_000, 100_000],
    },
    { ...SECONDS, values: [0.2] },
  ],
  async *run(setting) {
    const { signal } = setting;
    const lengths = valuesOf(setting, 'lengths');
    const budget = oneValue(setting, 'seconds') * 1_000;
    const rates = new Measured(lengths.length);
    const bytes = new Measured(lengths.length);
    await using store = await open();
    const steps = TYPES.flatMap((type) =>
      lengths.flatMap((length, at) =>
        VARIANTS.filter((variant) => isMeasured(type, length, variant)).map((variant) => ({
          doing: `${type}, ${length} elements, ${variant}`,
          run: async () => {
            const found = await measure(store, { type, length, variant, budget, signal });
            rates.set(`${type} ${variant}`, at, found.rate);
            bytes.set(`${type} ${variant}`, at, found.bytesPerElement);
          },
        })),
      ),
    );
    const positions = lengths.map(String);
    yield* inSteps(steps, signal, () => ({
      tables: [],
      charts: TYPES.flatMap((type) => {
        const seriesOf = (measured: Measured) =>
          VARIANTS.map((variant) => ({
            ...({ label: variant, kind: variant === 'packed' ? 'ours' : 'other' } as const),
            values: [...measured.of(`${type} ${variant}`)],
          }));
        const published =
          type === 'list'
            ? [
                {
                  label: 'published, packed',
                  kind: 'published',
                  values: publishedAt(PUBLISHED, lengths),
                } as const,
              ]
            : [];
        return [
          {
            ...{ title: `${type}: ${UNDER_TEST[type].call}`, unit: 'calls/s', axis: 'elements', positions },
            series: [...seriesOf(rates), ...published],
          },
          {
            ...{ title: `${type}: memory`, unit: 'bytes per element', axis: 'elements', positions },
            series: seriesOf(bytes),
          },
        ];
      }),
    }));
  },
};
