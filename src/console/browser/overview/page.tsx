import { useState } from 'preact/hooks';
import type { OverviewState, Sample, ServerSummary, Warning } from '../../types/overview.js';
import type { SlowRow } from '../../types/server.js';
import { bytesSize, count, duration, short, t } from '../i18n.js';
import type { PageProps } from '../pages.js';
import { hrefTo } from '../router.js';
import { slowColumns } from '../server/slow.js';
import { Chart, type Series, type Steps } from '../ui/chart.js';
import { type Column, Failure, PageHead, Panel, Table } from '../ui/layout.js';
import { useLoaded, useStream } from '../ui/use.js';

const MAX_SAMPLES = 300;
/** Kept while other pages are open, so that coming back shows the past minutes. */
let kept: readonly Sample[] = [];

/** What the store does now, what is slow, and what is wrong. */
export default function Overview({ session }: PageProps) {
  const [samples, setSamples] = useState(kept);
  const [trouble, setTrouble] = useState<string>();
  const state = useLoaded<OverviewState>('overview');
  const broken = useStream(
    'overview/live',
    {},
    {
      sample: (sample: Sample) => {
        kept = [...kept, sample].slice(-MAX_SAMPLES);
        setSamples(kept);
        setTrouble(undefined);
      },
      trouble: ({ message }: { message: string }) => setTrouble(message),
    },
  );
  const { value } = state;
  return (
    <>
      <PageHead title={t('Overview')} />
      <Failure
        error={broken ?? (trouble === undefined ? state.failure : new Error(trouble))}
        retry={state.reload}
      />
      {value !== undefined && <Warnings warnings={value.warnings} isMany={value.servers.length > 1} />}
      <Charts samples={samples} />
      <SlowCommands servers={session.servers} />
      <Panel title={t('Servers')}>
        <Table
          label={t('Servers')}
          columns={SERVER_COLUMNS()}
          rows={value?.servers ?? []}
          rowKey={({ name }) => name}
        />
      </Panel>
    </>
  );
}

/** The five slowest commands that the servers remember. */
function SlowCommands({ servers }: { readonly servers: readonly string[] }) {
  const { value, failure, reload } = useLoaded<readonly SlowRow[]>('server/slow');
  const rows = [...(value ?? [])].sort((one, other) => other.microseconds - one.microseconds).slice(0, 5);
  return (
    <Panel title={t('What is slow')} actions={<a href={hrefTo('slow')}>{t('All slow commands')}</a>}>
      <Failure error={failure} retry={reload} />
      {value !== undefined && (
        <Table
          label={t('What is slow')}
          columns={slowColumns(servers)}
          rows={rows}
          rowKey={({ server, id }) => `${server} ${id}`}
          empty={t('No command was slow.')}
        />
      )}
    </Panel>
  );
}

/** Each warning once, with the servers that it is about. */
function Warnings({ warnings, isMany }: { readonly warnings: readonly Warning[]; readonly isMany: boolean }) {
  const groups = new Map<string, Warning[]>();
  for (const warning of warnings) {
    const shown = `${warning.level} ${t(warning.text, warning.values)}`;
    groups.set(shown, [...(groups.get(shown) ?? []), warning]);
  }
  if (groups.size === 0) return null;
  return (
    <Panel title={t('Worth knowing')}>
      <ul class="warnings">
        {[...groups].map(([shown, [first, ...others]]) => {
          const { server, level, text, values } = first as Warning;
          return (
            <li key={shown}>
              <span class={`badge ${level === 'serious' ? 'bad' : 'warn'}`}>
                {level === 'serious' ? t('serious') : t('notice')}
              </span>{' '}
              {t(text, values)}{' '}
              {isMany && (
                <code class="dim">{[server, ...others.map((other) => other.server)].join(', ')}</code>
              )}
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

interface ChartRow {
  readonly title: string;
  format(value: number): string;
  readonly steps?: Steps;
  readonly series: readonly (readonly [
    name: string,
    colour: string,
    read: (sample: Sample) => number | null,
  ])[];
}

const CHARTS = (): readonly ChartRow[] => [
  {
    title: t('Commands per second'),
    format: short,
    series: [[t('commands'), 'c1', (sample) => sample.commands]],
  },
  {
    title: t('Time per command'),
    format: (value) => duration(value / 1000),
    series: [
      ['p50', 'c1', (sample) => sample.p50],
      ['p99', 'c3', (sample) => sample.p99],
    ],
  },
  {
    title: t('Memory'),
    format: bytesSize,
    steps: 'bytes',
    series: [
      [t('used'), 'c1', (sample) => sample.memory],
      // An embedded store does not know it: it is a part of the program.
      [t('resident'), 'c3', (sample) => sample.resident || null],
    ],
  },
  {
    title: t('Clients'),
    format: count,
    steps: 'whole',
    series: [
      [t('connected'), 'c1', (sample) => sample.clients],
      [t('blocked'), 'c3', (sample) => sample.blocked],
    ],
  },
  {
    title: t('Keys found and missed per second'),
    format: short,
    series: [
      [t('found'), 'c4', (sample) => sample.hits],
      [t('missed'), 'c2', (sample) => sample.misses],
    ],
  },
  { title: t('Keys'), format: short, series: [[t('keys'), 'c1', (sample) => sample.keys]] },
  {
    title: t('Network per second'),
    format: bytesSize,
    steps: 'bytes',
    series: [
      [t('received'), 'c1', (sample) => sample.received],
      [t('sent'), 'c3', (sample) => sample.sent],
    ],
  },
  {
    title: t('Keys expired and evicted per second'),
    format: short,
    series: [
      [t('expired'), 'c1', (sample) => sample.expired],
      [t('evicted'), 'c3', (sample) => sample.evicted],
    ],
  },
];

/** Where samples are missing, since the page was not open, the lines are interrupted. */
function withGaps(
  samples: readonly Sample[],
): readonly (Sample | { readonly at: number; readonly isGap: true })[] {
  return samples.flatMap((sample, index) => {
    const before = samples[index - 1];
    const isGap = before !== undefined && sample.at - before.at > MAX_GAP_MS;
    return isGap ? [{ at: before.at + 1, isGap: true as const }, sample] : [sample];
  });
}

const MAX_GAP_MS = 4_000;

function Charts({ samples }: { readonly samples: readonly Sample[] }) {
  const points = withGaps(samples);
  const times = points.map(({ at }) => at);
  return (
    <div class="charts">
      {CHARTS().map(({ title, format, steps = 'round', series }) => (
        <div key={title} class="panel">
          <Chart
            title={title}
            times={times}
            format={format}
            steps={steps}
            series={series
              .map(
                ([name, colour, read]): Series => ({
                  name,
                  colour,
                  values: points.map((point) => ('isGap' in point ? null : read(point))),
                }),
              )
              .filter(({ values }, index) => index === 0 || values.some((value) => value !== null))}
          />
        </div>
      ))}
    </div>
  );
}

const SERVER_COLUMNS = (): readonly Column<ServerSummary>[] => [
  { title: t('Server'), cell: ({ name }) => <code>{name}</code> },
  { title: t('Version'), cell: ({ version }) => version },
  { title: t('Role'), cell: ({ role }) => role },
  { title: t('Uptime'), cell: ({ uptime }) => duration(uptime) },
  { title: t('Keys'), isNumber: true, cell: ({ keys }) => count(keys) },
  { title: t('Memory'), isNumber: true, cell: ({ memory }) => bytesSize(memory) },
  { title: t('Clients'), isNumber: true, cell: ({ clients }) => count(clients) },
];
