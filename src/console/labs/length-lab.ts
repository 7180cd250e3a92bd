import { open } from '../../store/index.js';
import { inSteps, type Lab, Measured, oneValue, publishedAt, valuesOf } from './lab.js';
import { type MeasuredType, measure, TYPES, UNDER_TEST, type Variant } from './measure-encodings.js';

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

/** Filling a packed hash of this length takes seconds, since each field is searched for from the beginning. */
const MAX_PACKED = 10_000;

/** Lists are packed in nodes, so that they can have any length. */
function variantsOf(type: MeasuredType, length: number): readonly Variant[] {
  return type === 'list' || length <= MAX_PACKED ? VARIANTS : ['not packed'];
}

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
    { name: 'seconds', label: 'Seconds for each', values: [0.2], min: 0.01, max: 60 },
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
        variantsOf(type, length).map((variant) => ({
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
