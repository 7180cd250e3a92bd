import type { Cell, Detail, Section } from '../../types/boards.js';
import { t } from '../i18n.js';
import { Failure, Panel, Table } from '../ui/layout.js';
import { useLoaded } from '../ui/use.js';
import type { BoardActions, Place } from './board.js';
import { GraphView } from './graph.js';
import { Figures, isNumeric, Value } from './values.js';

interface DetailProps {
  readonly place: Place;
  readonly table: string;
  readonly id: string;
  readonly actions: BoardActions;
  hrefOf(id: string): string;
  close(): void;
}

/** One row, opened. */
export function BoardDetail({ place, table, id, actions, hrefOf, close }: DetailProps) {
  const { value, failure, reload } = useLoaded<{ readonly detail: Detail | null }>('boards/detail', {
    ...place,
    ...{ table, id },
  });
  const detail = value?.detail ?? undefined;
  return (
    <Panel
      title={detail?.title ?? id}
      actions={
        <button type="button" onClick={close}>
          {t('Close')}
        </button>
      }
    >
      <Failure error={failure} retry={reload} />
      {value?.detail === null && <p>{t('It does not exist any more.')}</p>}
      {detail !== undefined && (
        <>
          <Figures figures={detail.figures} />
          <div class="row">
            {detail.actions?.map((name) => {
              const action = actions.find(name);
              if (action === undefined) return null;
              const data = detail.sections.find((one) => one.kind === 'json' && one.title === 'Data');
              const values = data?.kind === 'json' ? { values: { data: data.text } } : {};
              return (
                <button
                  key={name}
                  type="button"
                  class={action.isDangerous === true ? 'danger' : ''}
                  onClick={() => actions.choose({ action, id, ...values })}
                >
                  {t(action.label)}
                </button>
              );
            })}
          </div>
          {detail.sections.map((section) => (
            <SectionView key={section.title} section={section} hrefOf={hrefOf} />
          ))}
        </>
      )}
    </Panel>
  );
}

function SectionView({ section, hrefOf }: { readonly section: Section; hrefOf(id: string): string }) {
  return (
    <section class="detail-section">
      <h3>{t(section.title)}</h3>
      <SectionBody section={section} hrefOf={hrefOf} />
    </section>
  );
}

function SectionBody({ section, hrefOf }: { readonly section: Section; hrefOf(id: string): string }) {
  switch (section.kind) {
    case 'json':
      return <pre>{section.text}</pre>;
    case 'lines':
      return <pre class="lines">{section.lines.join('\n')}</pre>;
    case 'graph':
      return <GraphView graph={section.graph} hrefOf={hrefOf} />;
    case 'table':
      return (
        <Table
          label={t(section.title)}
          rows={section.rows}
          rowKey={(_, index) => index}
          columns={section.columns.flatMap(({ title, format }, at) =>
            title === ''
              ? []
              : [
                  {
                    ...{ title: t(title), isNumber: isNumeric(format) },
                    cell: (cells: readonly Cell[]) => <Value value={cells[at] ?? null} format={format} />,
                  },
                ],
          )}
        />
      );
  }
}
