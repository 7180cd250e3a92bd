import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { Lab, LabChart, LabResult, LabTable } from '../console/labs/lab.js';
import { LABS, runLab } from '../console/labs/labs.js';
import { open } from '../store/index.js';
import { interruptible } from './interruptible.js';
import { plot, short } from './plot.js';
import { ProgressBar } from './progress-bar.js';

type Print = (line: string) => void;

/** `sorrel lab [NAME] [ADDRESS] [--PARAMETER VALUES …]` */
export async function runLabCommand(
  parameters: readonly string[],
  print: Print = console.log,
): Promise<void> {
  const [name, ...rest] = parameters;
  if (name === undefined) {
    for (const line of listing()) print(line);
    return;
  }
  const lab = LABS.find((one) => one.name === name);
  if (lab === undefined) {
    throw new Error(`there is no lab '${name}': there are ${LABS.map((one) => one.name).join(', ')}`);
  }
  const { address, inputs } = parse(lab, rest);
  const { signal, end } = interruptible('interrupted; the keys of the experiment are removed');
  const bar = new ProgressBar();
  const store = address === undefined ? undefined : await open(address);
  try {
    let result: LabResult = { charts: [], tables: [] };
    for await (const update of runLab({ lab, inputs, store, signal })) {
      result = update.result;
      bar.show(update.share, update.doing);
    }
    bar.clear();
    print(`${lab.title}\n${lab.about}`);
    for (const line of describe(result)) print(line);
  } finally {
    bar.clear();
    end();
    await store?.close();
  }
}

function listing(): string[] {
  const width = Math.max(...LABS.map(({ name }) => name.length));
  return [
    'Usage: sorrel lab NAME [ADDRESS] [--PARAMETER VALUES …]',
    '',
    ...LABS.flatMap(({ name, title, parameters }) => [
      `  ${name.padEnd(width)}  ${title}`,
      ...parameters.map(
        ({ name: parameter, label, values }) =>
          `  ${' '.repeat(width)}    --${parameter} ${values.join(',')}   ${label}`,
      ),
    ]),
  ];
}

function parse(lab: Lab, parameters: readonly string[]) {
  const options: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(
    lab.parameters.map(({ name }) => [name, { type: 'string' }]),
  );
  const { values, positionals } = parseArgs({ args: [...parameters], allowPositionals: true, options });
  if (positionals.length > 1) throw new Error(`one address only: sorrel lab ${lab.name} [ADDRESS]`);
  const [address] = positionals;
  if (address !== undefined && lab.isOwnPlace) {
    throw new Error(`the lab '${lab.name}' brings its own engine and takes no address`);
  }
  return { address, inputs: values as Record<string, string> };
}

function describe({ charts, tables }: LabResult): string[] {
  return [...charts.flatMap(describeChart), ...tables.flatMap(describeTable)];
}

function describeChart({ title, unit, axis, positions, series }: LabChart): string[] {
  const columns = [axis, ...positions];
  const rows = series.map(({ label, values }) => [
    label,
    ...values.map((value) => (value === null ? '–' : short(value))),
  ]);
  const drawn = series.map(({ label, values }) => ({
    label,
    values: values.map((value) => value ?? undefined),
  }));
  return ['', `${title} (${unit})`, '', ...grid(columns, rows), '', ...plot(positions, drawn)];
}

function describeTable({ title, columns, rows }: LabTable): string[] {
  return ['', title, '', ...grid(columns, rows)];
}

/** The first column is aligned left, the others right. */
function grid(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = columns.map((column, i) =>
    Math.max(column.length, ...rows.map((row) => (row[i] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ');
  return [line(columns), line(widths.map((width) => '─'.repeat(width))), ...rows.map(line)];
}
