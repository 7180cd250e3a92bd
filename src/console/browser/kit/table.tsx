import { useEffect, useState } from 'preact/hooks';
import type { Table as BoardTableInfo, Row, Rows } from '../../types/boards.js';
import { post } from '../api.js';
import { t } from '../i18n.js';
import { type Column, Failure, Panel, Table } from '../ui/layout.js';
import type { BoardActions, Place } from './board.js';
import { isNumeric, Value } from './values.js';

interface BoardTableProps {
  readonly place: Place;
  readonly table: BoardTableInfo;
  readonly actions: BoardActions;
  /** The page is read again when it changes. */
  readonly turn: unknown;
  hrefOf(id: string): string;
}

const LIMIT = 50;
const TYPING_MS = 250;

/** One table of a board, page by page. */
export function BoardTable({ place, table, actions, turn, hrefOf }: BoardTableProps) {
  const [typed, setTyped] = useState('');
  const [search, setSearch] = useState('');
  /** The cursors of the pages up to this one; that of the first is undefined. */
  const [cursors, setCursors] = useState<readonly (string | undefined)[]>([undefined]);
  const [page, setPage] = useState<Rows>();
  const [failure, setFailure] = useState<Error>();
  const cursor = cursors.at(-1);

  useEffect(() => {
    const timer = setTimeout(() => {
      setSearch(typed);
      setCursors([undefined]);
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);

  useEffect(() => {
    const leaving = new AbortController();
    const body = {
      ...place,
      table: table.id,
      limit: LIMIT,
      search,
      ...(cursor === undefined ? {} : { cursor }),
    };
    post<Rows>('boards/rows', body, leaving.signal).then(
      (rows) => {
        setPage(rows);
        setFailure(undefined);
      },
      (error: Error) => {
        if (!leaving.signal.aborted) setFailure(error);
      },
    );
    return () => leaving.abort();
  }, [search, cursor, turn]);

  return (
    <Panel title={t(table.title)}>
      {table.search !== undefined && (
        <label class="filter">
          {t('Search')}
          <input
            type="search"
            value={typed}
            placeholder={t(table.search)}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
      )}
      <Failure error={failure} />
      {page !== undefined && (
        <Table
          label={t(table.title)}
          columns={columnsOf(table, actions, hrefOf)}
          rows={page.rows}
          rowKey={({ id }) => id}
          empty={page.next === undefined ? t('Nothing here.') : t('Nothing on this page.')}
        />
      )}
      {(cursors.length > 1 || page?.next !== undefined) && (
        <div class="row pager">
          <button
            type="button"
            disabled={cursors.length === 1}
            onClick={() => setCursors(cursors.slice(0, -1))}
          >
            {t('Back')}
          </button>
          <span>{t('Page {number}', { number: cursors.length })}</span>
          <button
            type="button"
            disabled={page?.next === undefined}
            onClick={() => setCursors([...cursors, page?.next])}
          >
            {t('Next')}
          </button>
        </div>
      )}
    </Panel>
  );
}

function columnsOf(
  { columns, hasDetail }: BoardTableInfo,
  actions: BoardActions,
  hrefOf: (id: string) => string,
): Column<Row>[] {
  const shown = columns.flatMap(({ title, format }, at): Column<Row>[] => {
    if (title === '') return [];
    const isLink = at === 0 && hasDetail === true;
    return [
      {
        title: t(title),
        isNumber: isNumeric(format),
        cell: ({ id, cells }) => {
          const value = <Value value={cells[at] ?? null} format={format} />;
          return isLink ? <a href={hrefOf(id)}>{value}</a> : value;
        },
      },
    ];
  });
  return [
    ...shown,
    { title: t('Actions'), hasButtons: true, cell: (row) => <RowActions row={row} actions={actions} /> },
  ];
}

function RowActions({ row, actions }: { readonly row: Row; readonly actions: BoardActions }) {
  return (
    <div class="cell-actions">
      {row.actions?.map((id) => {
        const action = actions.find(id);
        const values = row.inputs ?? {};
        // Changing data needs the whole of it, which most rows have only when they are opened.
        const isUnknown = action?.inputs?.some(({ name, format }) => format === 'json' && !(name in values));
        if (action === undefined || isUnknown) return null;
        return (
          <button
            key={id}
            type="button"
            class={action.isDangerous === true ? 'quiet danger' : 'quiet'}
            onClick={() => actions.choose({ action, id: row.id, values })}
          >
            {t(action.label)}
          </button>
        );
      })}
    </div>
  );
}
