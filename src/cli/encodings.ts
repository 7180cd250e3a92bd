import { parseArgs } from 'node:util';
import {
  isMeasured,
  MAX_SEARCHED,
  type MeasuredType,
  type Measurement,
  measure,
  TYPES,
  UNDER_TEST,
  type Variant,
} from '../console/labs/measure-encodings.js';
import { open, type Store } from '../store/index.js';
import { interruptible } from './interruptible.js';
import { plot, short } from './plot.js';
import { ProgressBar } from './progress-bar.js';

const DEFAULT_LENGTHS = '1,10,100,1000,10000,100000';

/** `sorrel encodings [ADDRESS]` */
export async function runEncodings(
  parameters: readonly string[],
  print: (line: string) => void = console.log,
): Promise<void> {
  const request = parse(parameters);
  const { signal, end } = interruptible('interrupted; the settings are as they were');
  const bar = new ProgressBar();
  const store = await open(request.address);
  try {
    // The first calls are slow, whatever they are.
    const [type] = request.types as [MeasuredType];
    const warmUp = { type, length: 100, variant: 'as configured', signal } as const;
    await measure(store, { ...warmUp, budget: 2 * request.budget });
    for (const type of request.types) {
      const rows: Measurement[] = [];
      const runs = runsOf(type, request);
      for (const { length, variant } of runs) {
        bar.show(rows.length / runs.length, `${type}: ${length} elements, ${variant}`);
        rows.push(await measure(store, { type, length, variant, ...request, signal }));
      }
      bar.clear();
      describe(store, type, request, rows, print);
    }
  } finally {
    bar.clear();
    end();
    await store.close();
  }
}

interface Request {
  readonly address: string;
  readonly types: readonly MeasuredType[];
  readonly lengths: readonly number[];
  readonly variants: readonly Variant[];
  readonly budget: number;
}

/** The lengths and variants to measure of a type. */
function runsOf(type: MeasuredType, { lengths, variants }: Request) {
  return lengths.flatMap((length) =>
    variants.filter((variant) => isMeasured(type, length, variant)).map((variant) => ({ length, variant })),
  );
}

function parse(parameters: readonly string[]): Request {
  const { values, positionals } = parseArgs({
    args: [...parameters],
    allowPositionals: true,
    options: {
      types: { type: 'string', default: TYPES.join(',') },
      lengths: { type: 'string', default: DEFAULT_LENGTHS },
      ms: { type: 'string', default: '200' },
      compare: { type: 'boolean', default: false },
    },
  });
  if (positionals.length > 1) throw new Error('one address only: sorrel encodings [ADDRESS]');
  const address = positionals[0] ?? 'memory:';
  const types = values.types.split(',') as MeasuredType[];
  const unknown = types.find((type) => !TYPES.includes(type));
  if (unknown !== undefined) throw new Error(`there is no type '${unknown}': --types ${TYPES.join(',')}`);
  const lengths = values.lengths.split(',').map((text) => wholeNumber('--lengths', text));
  const isOwn = address === 'memory:';
  const variants: Variant[] = values.compare || isOwn ? ['packed', 'not packed'] : ['as configured'];
  const budget = wholeNumber('--ms', values.ms);
  return { address, types, lengths, variants, budget };
}

function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 1e7) return number;
  throw new Error(`${option} takes whole numbers from 1 to 10,000,000, not '${text}'`);
}

function describe(
  store: Store,
  type: MeasuredType,
  { lengths, variants }: Request,
  rows: readonly Measurement[],
  print: (line: string) => void,
): void {
  print(`\n${type}: ${UNDER_TEST[type].call} (${store.kind})\n`);
  print('  elements  limits         encoding      calls/s  bytes/element');
  for (const { length, variant, encoding, rate, bytesPerElement } of rows) {
    print(
      `${String(length).padStart(10)}  ${variant.padEnd(13)}  ${encoding.padEnd(11)}  ${short(rate).padStart(8)}  ${bytesPerElement.toFixed(1).padStart(13)}`,
    );
  }
  if (rows.length < lengths.length * variants.length) {
    print(
      `\n  Packed ones of more than ${MAX_SEARCHED.toLocaleString('en-US')} elements are left out: filling one would take minutes, since each element is searched for from the beginning.`,
    );
  }
  const positions = lengths.map((length) => short(length).replace(' ', ''));
  for (const [title, value] of [
    ['calls/s', ({ rate }: Measurement) => rate],
    ['bytes/element', ({ bytesPerElement }: Measurement) => bytesPerElement],
  ] as const) {
    const series = variants.map((variant) => ({
      label: variant,
      values: lengths.map((length) => {
        const row = rows.find((one) => one.variant === variant && one.length === length);
        return row === undefined ? undefined : value(row);
      }),
    }));
    print(`\n  ${title}`);
    for (const line of plot(positions, series)) print(`  ${line}`);
  }
}
