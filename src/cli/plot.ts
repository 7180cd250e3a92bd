/** Values over the same positions on the horizontal axis; undefined where there is none. */
export interface Series {
  readonly label: string;
  readonly values: readonly (number | undefined)[];
}

const HEIGHT = 8;
const MARKS = ['●', '○', '◆', '◇', '▲', '△'];
/** Where several series have the same place. */
const SAME = '◎';

/**
 * Draws series as characters, on a logarithmic vertical axis from the lowest to the highest value.
 *
 * @example
 * plot(['1', '10', '100'], [{ label: 'packed', values: [900, 800, 100] }]).join('\n');
 */
export function plot(positions: readonly string[], series: readonly Series[]): string[] {
  const all = series.flatMap(({ values }) => values).filter((value) => value !== undefined && value > 0);
  if (all.length === 0) return [];
  const [low, high] = [Math.min(...(all as number[])), Math.max(...(all as number[]))];
  const rowOf = (value: number): number =>
    high === low ? 0 : Math.round(((HEIGHT - 1) * Math.log(value / low)) / Math.log(high / low));
  const labels = [short(high), short(low)];
  const margin = Math.max(...labels.map((label) => label.length));
  const width = Math.max(...positions.map((position) => position.length)) + 2;
  const lines: string[] = [];
  for (let row = HEIGHT - 1; row >= 0; row--) {
    const label = row === HEIGHT - 1 ? labels[0] : row === 0 && high > low ? labels[1] : '';
    const cells = positions.map((_, i) => {
      const here = series.filter(
        ({ values }) => values[i] !== undefined && rowOf(values[i] as number) === row,
      );
      const mark = here.length > 1 ? SAME : here[0] === undefined ? ' ' : MARKS[series.indexOf(here[0])];
      return (mark ?? '*').padStart(width);
    });
    lines.push(`${(label ?? '').padStart(margin)} │${cells.join('')}`.trimEnd());
  }
  lines.push(`${' '.repeat(margin)} └${'─'.repeat(width * positions.length)}`);
  lines.push(`${' '.repeat(margin + 2)}${positions.map((position) => position.padStart(width)).join('')}`);
  const legend = series.map(({ label }, i) => `${MARKS[i] ?? '*'} ${label}`);
  if (series.length > 1) legend.push(`${SAME} ${series.length === 2 ? 'both' : 'several'}`);
  lines.push(`${' '.repeat(margin + 3)}${legend.join('   ')}`);
  return lines;
}

/** 1,234,567 as 1.2 M. */
export function short(value: number): string {
  if (value >= 1e6) return `${digits(value / 1e6)} M`;
  if (value >= 1e3) return `${digits(value / 1e3)} k`;
  return digits(value);
}

function digits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1).replace(/\.0$/, '');
}
