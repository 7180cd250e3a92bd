import type { Action, Chart as BoardChart, ViewAnswer } from '../../types/boards.js';
import { count, t } from '../i18n.js';
import { hrefTo, navigate } from '../router.js';
import { Bytes } from '../ui/bytes.js';
import { Chart } from '../ui/chart.js';
import { Failure, PageHead, Panel } from '../ui/layout.js';
import { useLoaded, useRefresh } from '../ui/use.js';
import { type Chosen, InputsDialog, useActions } from './actions.js';
import { BoardDetail } from './detail.js';
import { BoardTable } from './table.js';
import { Figures, numberText } from './values.js';

/** Which instance is shown. */
export interface Place {
  readonly kind: string;
  readonly prefix: string;
  readonly name: string;
}

interface BoardProps {
  readonly place: Place;
  readonly table: string | undefined;
  /** The row that is opened. */
  readonly opened: string | undefined;
  readonly isReadOnly: boolean;
}

/** What can be done on the board: nothing, if the console is read-only. */
export interface BoardActions {
  find(id: string): Action | undefined;
  choose(chosen: Chosen): void;
}

/** One instance of a component, as it describes itself. */
export function Board({ place, table, opened, isReadOnly }: BoardProps) {
  const view = useLoaded<ViewAnswer>('boards/view', { ...place });
  const runner = useActions(place, view.reload);
  useRefresh(view);
  const { value } = view;
  const all = isReadOnly ? [] : (value?.actions ?? []);
  const actions: BoardActions = { find: (id) => all.find((one) => one.id === id), choose: runner.choose };
  const tables = value?.tables.filter(({ id }) => !isReadOnly || !value.writingTables.includes(id)) ?? [];
  const current = tables.find(({ id }) => id === table) ?? tables[0];
  const hrefOf = (query: Readonly<Record<string, string | undefined>>): string =>
    hrefTo(`kit/${place.kind}`, { prefix: place.prefix, name: place.name, ...query });
  return (
    <>
      <PageHead title={place.name}>
        <a href={hrefTo(`kit/${place.kind}`)}>{t(value?.title ?? place.kind)}</a>
      </PageHead>
      <Failure error={view.failure} retry={view.reload} />
      {value !== undefined && (
        <>
          <Panel title={t('Now')} actions={<code class="dim">{`${place.prefix}:{${place.name}}`}</code>}>
            <Figures figures={value.figures} />
            <div class="row">
              {all
                .filter(({ target }) => target === 'board')
                .map((action) => (
                  <button
                    key={action.id}
                    type="button"
                    class={action.isDangerous === true ? 'danger' : ''}
                    disabled={runner.running !== undefined}
                    onClick={() => runner.choose({ action })}
                  >
                    {t(action.label)}
                  </button>
                ))}
            </div>
            {value.notes?.map((note) => (
              <p key={note} class="dim note">
                {t(note)}
              </p>
            ))}
          </Panel>
          <BoardCharts charts={value.charts} />
          <nav class="tabs" aria-label={t('Tables')}>
            {tables.map(({ id, title, total }) => (
              <a key={id} href={hrefOf({ table: id })} aria-current={id === current?.id ? 'page' : undefined}>
                {t(title)} {total !== undefined && <span class="badge">{count(total)}</span>}
              </a>
            ))}
          </nav>
          {opened !== undefined && current !== undefined && (
            <BoardDetail
              key={`${current.id} ${opened}`}
              place={place}
              table={current.id}
              id={opened}
              actions={actions}
              hrefOf={(id) => hrefOf({ table: current.id, id })}
              close={() => navigate(hrefOf({ table: current.id }))}
            />
          )}
          {current !== undefined && (
            <BoardTable
              key={current.id}
              place={place}
              table={current}
              actions={actions}
              turn={value}
              hrefOf={(id) => hrefOf({ table: current.id, id })}
            />
          )}
        </>
      )}
      {runner.running !== undefined && (
        <div class="running" role="status">
          <Bytes value={runner.running} />
          <button type="button" onClick={runner.stop}>
            {t('Stop')}
          </button>
        </div>
      )}
      <InputsDialog runner={runner} />
    </>
  );
}

/** In an order that keeps similar ones apart. */
const COLOURS = ['c1', 'c3', 'c4', 'c5', 'c6', 'c2'];

function BoardCharts({ charts }: { readonly charts: readonly BoardChart[] }) {
  if (charts.length === 0) return null;
  return (
    <div class="charts">
      {charts.map(({ title, times, series, format }) => (
        <div key={title} class="panel">
          <Chart
            title={t(title)}
            times={stepTimes(times)}
            format={(value) => numberText(value, format)}
            series={series.map(({ label, values }, i) => ({
              name: t(label),
              colour: COLOURS[i % COLOURS.length] ?? 'c1',
              values: values.flatMap((value) => [value, value]),
            }))}
          />
        </div>
      ))}
    </div>
  );
}

/** A value holds for its whole slice of time: each slice has a point at its beginning and one at its end. */
function stepTimes(times: readonly number[]): number[] {
  const [first = 0, second = first + 1] = times;
  return times.flatMap((time) => [time, time + (second - first) - 1]);
}
