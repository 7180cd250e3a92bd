import { useRef, useState } from 'preact/hooks';
import type { BigKey, EncodingSaving, Estimate, MemoryGroup, MemoryReport } from '../../types/memory.js';
import { stream } from '../api.js';
import { bytesSize, count, short, t } from '../i18n.js';
import { hrefTo } from '../router.js';
import { Bytes, shown } from '../ui/bytes.js';
import { type Column, Empty, Figure, PageHead, Panel, Table } from '../ui/layout.js';
import { tellError } from '../ui/notices.js';
import { treemap } from './treemap.js';

const SIZES = [1_000, 10_000, 100_000, 100_000_000];
const WIDTH = 900;
const HEIGHT = 300;

/** Where the memory is: by prefix, type and encoding, from a sample. */
export default function Memory() {
  const [size, setSize] = useState(10_000);
  const [depth, setDepth] = useState(1);
  const [report, setReport] = useState<MemoryReport>();
  const [running, setRunning] = useState<AbortController>();
  const latest = useRef(0);
  const run = async (): Promise<void> => {
    running?.abort();
    const stopping = new AbortController();
    const turn = ++latest.current;
    setRunning(stopping);
    try {
      await stream('memory/sample', { size, depth }, { report: setReport }, stopping.signal, {
        steady: true,
      });
    } catch (error) {
      if (!stopping.signal.aborted) tellError(error);
    }
    if (latest.current === turn) setRunning(undefined);
  };
  return (
    <>
      <PageHead title={t('Memory')}>
        <label>
          {t('Keys to measure')}
          <select value={size} onChange={(event) => setSize(Number(event.currentTarget.value))}>
            {SIZES.map((keys) => (
              <option key={keys} value={keys}>
                {keys === SIZES.at(-1) ? t('all') : count(keys)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t('Levels of prefixes')}
          <select value={depth} onChange={(event) => setDepth(Number(event.currentTarget.value))}>
            {[1, 2, 3].map((levels) => (
              <option key={levels}>{levels}</option>
            ))}
          </select>
        </label>
        {running === undefined ? (
          <button type="button" class="main" onClick={() => void run()}>
            {t('Measure')}
          </button>
        ) : (
          <button type="button" onClick={() => running.abort()}>
            {t('Stop')}
          </button>
        )}
      </PageHead>
      {report === undefined ? (
        <Empty>
          {t('A sample of the keys is measured in small steps, which other clients hardly notice.')}
        </Empty>
      ) : (
        <Report report={report} isRunning={running !== undefined} />
      )}
    </>
  );
}

function Report({ report, isRunning }: { readonly report: MemoryReport; readonly isRunning: boolean }) {
  const { sampled, total, bytes, prefixes, types, encodings, biggest, savings } = report;
  return (
    <>
      <div class="panel">
        <div class="figures">
          <Figure
            name={t('Measured')}
            value={t('{sampled} of {total} keys', { sampled: count(sampled), total: count(total) })}
          />
          <Figure name={t('Memory of all keys')} value={estimated(bytes, bytesSize)} />
          <Figure
            name={t('Per key')}
            value={sampled === 0 ? '–' : bytesSize(bytes.value / Math.max(1, total))}
          />
        </div>
        {isRunning && <progress value={total === 0 ? 1 : sampled / total} aria-label={t('Progress')} />}
      </div>
      <Panel title={t('By prefix')}>
        {prefixes.length > 0 && <Treemap groups={prefixes} />}
        <GroupTable label={t('By prefix')} groups={prefixes.slice(0, 30)} />
      </Panel>
      <div class="columns">
        <Panel title={t('By type')}>
          <GroupTable label={t('By type')} groups={types} />
        </Panel>
        <Panel title={t('By encoding')}>
          <GroupTable label={t('By encoding')} groups={encodings} />
        </Panel>
      </div>
      {savings.map((saving) => (
        <Saving key={saving.setting} saving={saving} />
      ))}
      <Panel title={t('Biggest keys of the sample')}>
        <Table
          label={t('Biggest keys of the sample')}
          columns={BIG_COLUMNS()}
          rows={biggest}
          rowKey={({ key }, index) => `${index} ${shown(key)}`}
        />
      </Panel>
    </>
  );
}

/** A number with its error, if it has one. */
const estimated = ({ value, error }: Estimate, format: (value: number) => string): string =>
  error > 0 ? `${format(value)} ± ${format(error)}` : format(value);

const nameOf = (name: string): string => (name === '' ? t('(no prefix)') : name);

function GroupTable({ label, groups }: { readonly label: string; readonly groups: readonly MemoryGroup[] }) {
  const columns: readonly Column<MemoryGroup>[] = [
    { title: t('Group'), cell: ({ name }) => <code class="bytes">{shown(nameOf(name), 80)}</code> },
    { title: t('Keys'), isNumber: true, cell: ({ keys }) => estimated(keys, short) },
    { title: t('Memory'), isNumber: true, cell: ({ bytes }) => estimated(bytes, bytesSize) },
  ];
  return <Table label={label} columns={columns} rows={groups} rowKey={({ name }) => name} />;
}

function Treemap({ groups }: { readonly groups: readonly MemoryGroup[] }) {
  const tiles = treemap(groups.slice(0, 60), ({ bytes }) => bytes.value, WIDTH, HEIGHT);
  return (
    <svg
      class="treemap"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={t('Areas by memory; the table below has the numbers.')}
    >
      {tiles.map(({ item, x, y, width, height }, index) => (
        <g key={item.name} class={`tile t${index % 6}`}>
          <title>{`${nameOf(item.name)} ${bytesSize(item.bytes.value)}`}</title>
          <rect x={x + 1} y={y + 1} width={Math.max(0, width - 2)} height={Math.max(0, height - 2)} rx={4} />
          {width > 60 && height > 34 && (
            <>
              <text x={x + 8} y={y + 19}>
                {shown(nameOf(item.name), Math.floor(width / 8))}
              </text>
              <text x={x + 8} y={y + 34} class="small">
                {bytesSize(item.bytes.value)}
              </text>
            </>
          )}
        </g>
      ))}
    </svg>
  );
}

function Saving({ saving }: { readonly saving: EncodingSaving }) {
  const { setting, current, limits } = saving;
  return (
    <Panel title={t('What a larger {setting} would save', { setting })}>
      <p class="dim">
        {t(
          'It is {current} now. Packed values take less memory and more time per command when they are long. Estimated from the sample.',
          { current },
        )}
      </p>
      <Table
        label={setting}
        columns={[
          { title: setting, cell: ({ entries }) => count(entries) },
          { title: t('Saved'), isNumber: true, cell: ({ saved }) => bytesSize(saved) },
        ]}
        rows={limits.filter(({ saved }, index) => saved > (limits[index - 1]?.saved ?? 0))}
        rowKey={({ entries }) => entries}
      />
    </Panel>
  );
}

const BIG_COLUMNS = (): readonly Column<BigKey>[] => [
  {
    title: t('Key'),
    cell: ({ key }) => (
      <a href={hrefTo('keys', { key })}>
        <Bytes value={key} maxLength={120} />
      </a>
    ),
  },
  { title: t('Type'), cell: ({ type }) => type },
  { title: t('Encoding'), cell: ({ encoding }) => encoding },
  { title: t('Memory'), isNumber: true, cell: ({ bytes }) => bytesSize(bytes) },
];
