import type { Figure as BoardFigure, Cell, Format, Tone } from '../../types/boards.js';
import { bytesSize, count, duration, t } from '../i18n.js';
import { Bytes } from '../ui/bytes.js';

/** How states are coloured. */
const TONES: Readonly<Record<string, string>> = {
  running: 'good',
  completed: 'good',
  free: 'good',
  open: 'good',
  active: 'good',
  held: 'warn',
  shared: 'warn',
  paused: 'warn',
  delayed: 'warn',
  blocked: 'warn',
  pending: 'warn',
  dead: 'bad',
  gone: 'bad',
};

export const toneOf = (state: string): string => TONES[state] ?? '';

const CLASSES: Readonly<Record<Tone, string>> = { plain: '', good: 'good', warning: 'warn', bad: 'bad' };

/** Longer texts may be broken into lines anywhere. */
const MAX_UNBROKEN = 24;

const pad = (number: number): string => String(number).padStart(2, '0');

/** 2024-01-31 12:00:00, in the browser's time zone. */
export function moment(ms: number): string {
  const at = new Date(ms);
  if (Number.isNaN(at.getTime())) return '–';
  const day = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
  return `${day} ${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`;
}

/** Numbers as their format says. */
export function numberText(value: number, format: Format | undefined): string {
  if (format === 'milliseconds') return duration(Math.max(0, value));
  if (format === 'bytes') return bytesSize(value);
  if (format === 'time') return moment(value);
  return Number.isInteger(value) ? count(value) : value.toPrecision(6).replace(/\.?0+$/, '');
}

export const isNumeric = (format: Format | undefined): boolean =>
  format === 'number' || format === 'milliseconds' || format === 'bytes';

/** One value. Text of the store never becomes HTML. */
export function Value({ value, format }: { readonly value: Cell; readonly format: Format | undefined }) {
  if (value === null) return <span class="dim">–</span>;
  if (typeof value === 'boolean') return <>{value ? t('yes') : t('no')}</>;
  if (typeof value === 'number') return <span class="nowrap">{numberText(value, format)}</span>;
  if (format === 'state') return <span class={`badge ${toneOf(value)}`}>{t(value)}</span>;
  const text = <Bytes value={value} maxLength={200} />;
  return value.length <= MAX_UNBROKEN ? <span class="unbroken">{text}</span> : text;
}

export function Figures({ figures }: { readonly figures: readonly BoardFigure[] }) {
  return (
    <dl class="board-figures">
      {figures.map(({ label, value, format, tone = 'plain' }) => (
        <div key={label} class="figure">
          <dt class="figure-name">{t(label)}</dt>
          <dd class={`figure-value ${CLASSES[tone]}`}>
            <Value value={value} format={format} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
