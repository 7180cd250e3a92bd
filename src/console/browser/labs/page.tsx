import { useEffect, useRef, useState } from 'preact/hooks';
import type { LabInfo, LabTable, LabUpdate } from '../../types/labs.js';
import { stream } from '../api.js';
import { t } from '../i18n.js';
import type { PageProps } from '../pages.js';
import { hrefTo } from '../router.js';
import { confirm } from '../ui/confirm.js';
import { Form } from '../ui/inputs.js';
import { Failure, PageHead, Panel, Table } from '../ui/layout.js';
import { useLoaded } from '../ui/use.js';
import { Curves } from './curves.js';

/** The experiments, and one of them with its parameters and results. */
export default function LabsPage({ route, session }: PageProps) {
  const { value, failure, reload } = useLoaded<{ readonly labs: readonly LabInfo[] }>('labs');
  const labs = value?.labs ?? [];
  const current = labs.find(({ name }) => name === route.rest[0]) ?? labs[0];
  return (
    <>
      <PageHead title={t('Labs')} />
      <Failure error={failure} retry={reload} />
      <nav class="tabs" aria-label={t('Experiments')}>
        {labs.map(({ name, title }) => (
          <a
            key={name}
            href={hrefTo(`labs/${name}`)}
            aria-current={name === current?.name ? 'page' : undefined}
          >
            {t(title)}
          </a>
        ))}
      </nav>
      {current !== undefined && <LabView key={current.name} lab={current} mayRun={!session.readOnly} />}
    </>
  );
}

interface LabProps {
  readonly lab: LabInfo;
  readonly mayRun: boolean;
}

function LabView({ lab, mayRun }: LabProps) {
  const [inputs, setInputs] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(lab.parameters.map(({ name, values }) => [name, values.join(',')])),
  );
  const [place, setPlace] = useState<'engine' | 'store'>('engine');
  const [update, setUpdate] = useState<LabUpdate>();
  const [failure, setFailure] = useState<Error>();
  const [isRunning, setRunning] = useState(false);
  const stopping = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => stopping.current?.abort(), []);

  async function run(): Promise<void> {
    const question = t('The experiment puts load on the store. Its keys are removed at the end.');
    if (place === 'store' && !(await confirm(t('Run on this store'), question, t('Run')))) return;
    const stop = new AbortController();
    stopping.current = stop;
    setFailure(undefined);
    setRunning(true);
    try {
      await stream('labs/run', { lab: lab.name, place, ...inputs }, { update: setUpdate }, stop.signal);
    } catch (error) {
      if (!stop.signal.aborted) setFailure(error as Error);
    }
    setRunning(false);
  }

  return (
    <>
      <Panel title={t(lab.title)}>
        <p class="note">{t(lab.about)}</p>
        <Form
          class="row"
          submit={() => {
            if (!isRunning && mayRun) void run();
          }}
        >
          {lab.parameters.map(({ name, label }) => (
            <label key={name}>
              {t(label)}
              <input
                value={inputs[name] ?? ''}
                inputMode="decimal"
                onInput={(event) => setInputs({ ...inputs, [name]: event.currentTarget.value })}
              />
            </label>
          ))}
          {!lab.isOwnPlace && (
            <label>
              {t('Where')}
              <select
                value={place}
                onChange={(event) => setPlace(event.currentTarget.value as 'engine' | 'store')}
              >
                <option value="engine">{t('an engine of its own')}</option>
                <option value="store">{t('this store')}</option>
              </select>
            </label>
          )}
          {isRunning ? (
            <button type="button" onClick={() => stopping.current?.abort()}>
              {t('Stop')}
            </button>
          ) : (
            <button type="submit" class="main" disabled={!mayRun}>
              {t('Run')}
            </button>
          )}
        </Form>
        <Failure error={failure} />
        {isRunning && update !== undefined && (
          <label class="search-progress">
            <progress max={1} value={update.share} />
            {update.doing}
          </label>
        )}
        {!isRunning && update?.share === 1 && <p role="status">{t('The experiment is done.')}</p>}
      </Panel>
      {update !== undefined && (
        <div class="lab-charts">
          {update.result.charts.map((chart) => (
            <div key={chart.title} class="panel">
              <Curves chart={chart} />
            </div>
          ))}
        </div>
      )}
      {update?.result.tables.map((table) => (
        <ResultTable key={table.title} table={table} />
      ))}
    </>
  );
}

function ResultTable({ table: { title, columns, rows } }: { readonly table: LabTable }) {
  return (
    <Panel title={t(title)}>
      <Table
        label={t(title)}
        rows={rows}
        rowKey={(row) => row[0] ?? ''}
        columns={columns.map((column, at) => ({
          ...{ title: t(column), isNumber: at > 0 },
          cell: (row: readonly string[]) => row[at] ?? '',
        }))}
      />
    </Panel>
  );
}
