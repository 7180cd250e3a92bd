import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { colour } from '../theme.js';

export interface Series {
  readonly name: string;
  /** The name of a CSS colour variable. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
}

export type Steps = 'round' | 'whole' | 'bytes';

const powers = (base: number, from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => base ** (from + index));
const decimals = (from: number, to: number): number[] =>
  powers(10, from, to).flatMap((power) => [power, 2 * power, 5 * power]);
/** Seconds between two times of the axis: samples are one second apart. */
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400];
const STEPS: Readonly<Record<Steps, number[]>> = {
  round: decimals(-6, 15),
  whole: decimals(0, 15),
  bytes: powers(2, 0, 50),
};

interface ChartProps {
  readonly title: string;
  /** Unix times in ms, one per value. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** How a value is written. */
  format(value: number): string;
  /** Where the lines of the grid may be: at round numbers, whole ones, or powers of 2 for bytes. Default `round`. */
  readonly steps?: Steps;
  readonly height?: number;
}

/** Lines over time. Screen readers get the latest values as text. */
export function Chart({ title, times, series, format, steps = 'round', height = 130 }: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const latest = useRef<uPlot.AlignedData>([[]]);
  latest.current = [times.map((time) => time / 1000), ...series.map(({ values }) => [...values])];
  const names = series.map(({ name }) => name).join();
  useEffect(() => {
    const element = frame.current as HTMLDivElement;
    let isGone = false;
    let Plot: typeof uPlot | undefined;
    const draw = (): void => {
      if (Plot === undefined || isGone) return;
      plot.current?.destroy();
      plot.current = new Plot(
        plotOptions(element.clientWidth || 300, height, series, format, steps),
        latest.current,
        element,
      );
    };
    const onResize = new ResizeObserver(() => {
      plot.current?.setSize({ width: element.clientWidth, height });
    });
    void import('uplot').then((module) => {
      Plot = module.default;
      draw();
      onResize.observe(element);
    });
    const dark = matchMedia('(prefers-color-scheme: dark)');
    addEventListener('themechange', draw);
    dark.addEventListener('change', draw);
    return () => {
      isGone = true;
      onResize.disconnect();
      removeEventListener('themechange', draw);
      dark.removeEventListener('change', draw);
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [names, height]);
  useEffect(() => plot.current?.setData(latest.current));
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{title}</span>
        {series.map(({ name, colour: hue, values }) => (
          <span key={name} class="legend">
            <i class={`dot ${hue}`} aria-hidden="true" />
            {series.length > 1 && `${name} `}
            <b>{lastOf(values, format)}</b>
          </span>
        ))}
      </figcaption>
      <div class="plot" ref={frame} aria-hidden="true" />
    </figure>
  );
}

function lastOf(values: readonly (number | null)[], format: (value: number) => string): string {
  const last = values.findLast((value) => value !== null);
  return last === undefined || last === null ? '–' : format(last);
}

function plotOptions(
  width: number,
  height: number,
  series: readonly Series[],
  format: (value: number) => string,
  steps: Steps,
): uPlot.Options {
  const grid = { stroke: colour('line'), width: 1 };
  const axis = { stroke: colour('dim'), grid, ticks: grid, font: '11px system-ui' };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    padding: [8, 22, 0, 0],
    scales: {
      y: { range: (_, min, max) => [Math.min(0, min ?? 0), max === null || max <= 0 ? 1 : max * 1.1] },
    },
    axes: [
      { ...axis, space: 70, size: 24, incrs: TIME_STEPS, values: (_, splits) => splits.map(timeText) },
      {
        ...axis,
        space: 30,
        size: 62,
        incrs: STEPS[steps],
        values: (_, splits) => splits.map((value) => format(value)),
      },
    ],
    series: [
      {},
      ...series.map(({ name, colour: hue }) => ({
        label: name,
        stroke: colour(hue),
        width: 1.5,
        points: { show: false },
        fill: series.length === 1 ? withAlpha(colour(hue)) : '',
      })),
    ],
  };
}

const withAlpha = (rgb: string): string => rgb.replace(/^rgb\((.*)\)$/, 'rgb($1 / 12%)').replaceAll(',', '');

const timeText = (seconds: number): string =>
  new Date(seconds * 1000).toLocaleTimeString('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
