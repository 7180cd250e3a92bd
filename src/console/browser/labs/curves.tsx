import type { LabChart, LabSeries } from '../../types/labs.js';
import { short, t } from '../i18n.js';
import { Table } from '../ui/layout.js';

const WIDTH = 520;
const HEIGHT = 240;
const LEFT = 52;
const BOTTOM = 24;
const TOP = 10;
const RIGHT = 30;
const COLOURS = ['c3', 'c6', 'c4', 'c5', 'c2'];

/** A logarithmic axis from the smallest to the largest value. */
function scaleOf(values: readonly number[]): {
  readonly ticks: readonly number[];
  at(value: number): number;
} {
  const positive = values.filter((value) => value > 0);
  const low = 10 ** Math.floor(Math.log10(Math.min(1e12, ...positive)));
  const high = 10 ** Math.ceil(Math.log10(Math.max(low * 10, ...positive)));
  const ticks: number[] = [];
  for (let tick = low; tick <= high * 1.001; tick *= 10) ticks.push(tick);
  const span = Math.log(high / low);
  return {
    ticks,
    at: (value) => HEIGHT - BOTTOM - (Math.log(Math.max(value, low) / low) / span) * (HEIGHT - BOTTOM - TOP),
  };
}

/** Ours is in the main colour, published figures are dashed. */
function lookOf(
  series: readonly LabSeries[],
): readonly { readonly colour: string; readonly isDashed: boolean }[] {
  let next = 0;
  return series.map(({ kind }) => {
    if (kind === 'ours') return { colour: 'c1', isDashed: false };
    return { colour: COLOURS[next++ % COLOURS.length] ?? 'c2', isDashed: kind === 'published' };
  });
}

interface ShownSeries extends LabSeries {
  readonly colour: string;
}

/** Curves of an experiment. The numbers are in a table below, for everyone and for screen readers. */
export function Curves({ chart: { title, unit, axis, positions, series } }: { readonly chart: LabChart }) {
  const all = series.flatMap(({ values }) => values).filter((value) => value !== null);
  const scale = scaleOf(all);
  const looks = lookOf(series);
  const step = (WIDTH - LEFT - RIGHT) / Math.max(1, positions.length - 1);
  const x = (at: number): number => (positions.length === 1 ? (WIDTH + LEFT) / 2 : LEFT + at * step);
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{`${t(title)} (${t(unit)})`}</span>
      </figcaption>
      <svg class="curves" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        {scale.ticks.map((tick) => (
          <g key={tick}>
            <path class="grid-line" d={`M${LEFT} ${scale.at(tick)}H${WIDTH - RIGHT}`} />
            <text x={LEFT - 6} y={scale.at(tick) + 4} text-anchor="end">
              {short(tick)}
            </text>
          </g>
        ))}
        {positions.map((position, at) => (
          <text key={position} x={x(at)} y={HEIGHT - 6} text-anchor="middle">
            {position}
          </text>
        ))}
        {series.map(({ label, values }, at) => {
          const { colour = 'c1', isDashed = false } = looks[at] ?? {};
          const points = values.flatMap((value, i) =>
            value === null ? [] : [[x(i), scale.at(value)] as const],
          );
          return (
            <g key={label} class={`curve ${colour} ${isDashed ? 'dashed' : ''}`}>
              <path d={points.map(([px, py], i) => `${i === 0 ? 'M' : 'L'}${px} ${py}`).join('')} />
              {points.map(([px, py]) => (
                <circle key={px} cx={px} cy={py} r={3} />
              ))}
            </g>
          );
        })}
      </svg>
      <Table
        label={t(title)}
        rows={series.map((one, at) => ({ ...one, colour: looks[at]?.colour ?? 'c1' }))}
        rowKey={({ label }) => label}
        columns={[
          {
            title: t(axis),
            cell: ({ label, colour }: ShownSeries) => (
              <>
                <i class={`dot ${colour}`} aria-hidden="true" />
                {t(label)}
              </>
            ),
          },
          ...positions.map((position, at) => ({
            ...{ title: position, isNumber: true },
            cell: ({ values }: ShownSeries) => {
              const value = values[at] ?? null;
              return value === null ? '–' : short(value);
            },
          })),
        ]}
      />
    </figure>
  );
}
