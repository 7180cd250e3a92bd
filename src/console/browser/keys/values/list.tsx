import { useState } from 'preact/hooks';
import type { CutBytes, ListElements } from '../../../types/keys.js';
import { count, t } from '../../i18n.js';
import { EditDialog } from '../../ui/change-dialog.js';
import { actionsColumn, EditButton, RemoveButton } from '../../ui/columns.js';
import { Form } from '../../ui/inputs.js';
import { type Column, Table } from '../../ui/layout.js';
import type { ValueProps } from '../key-view.js';
import { edit, removeElement } from './edit.js';
import { Element } from './element.js';
import { isText } from './hash.js';
import { Pager, usePaged } from './paging.js';

interface Row {
  readonly index: number;
  readonly element: CutBytes;
}

const PAGE = 100;

/** The elements of a list, from any index on. */
export function ListView({ name, isReadOnly, changed }: ValueProps) {
  const paged = usePaged<ListElements>({ key: name, type: 'list', count: PAGE }, 'start');
  const [editing, setEditing] = useState<Row | 'head' | 'tail'>();
  const [index, setIndex] = useState('');
  const { page } = paged;
  const refresh = (): void => {
    paged.reload();
    changed();
  };
  const rows = page?.elements.map((element, at): Row => ({ index: page.start + at, element })) ?? [];
  const seen = ({ index: at, element }: Row): object => ({
    index: at,
    expected: element.value,
    expectedLength: element.length,
  });
  const columns: Column<Row>[] = [
    { title: t('Index'), isNumber: true, cell: ({ index: at }) => count(at) },
    {
      title: t('Element'),
      cell: ({ index: at, element }) => (
        <Element element={element} part={{ key: name, type: 'list', index: at }} />
      ),
    },
    ...actionsColumn<Row>(isReadOnly, (row) => (
      <>
        {isText(row.element) && <EditButton name={row.index} run={() => setEditing(row)} />}
        <RemoveButton name={row.index} run={() => removeElement(name, 'list/remove', seen(row), refresh)} />
      </>
    )),
  ];
  const end = page === undefined ? 0 : page.start + page.elements.length;
  return (
    <>
      <div class="row">
        <Form
          class="row"
          submit={() => {
            if (/^\d+$/.test(index)) paged.next(index);
          }}
        >
          <label>
            {t('From index')}
            <input
              inputMode="numeric"
              pattern="\d+"
              value={index}
              onInput={(event) => setIndex(event.currentTarget.value)}
            />
          </label>
          <button type="submit">{t('Go')}</button>
        </Form>
        {!isReadOnly && (
          <>
            <button type="button" onClick={() => setEditing('head')}>
              {t('Add at the head')}
            </button>
            <button type="button" onClick={() => setEditing('tail')}>
              {t('Add at the tail')}
            </button>
          </>
        )}
      </div>
      <Table label={t('Elements')} columns={columns} rows={rows} rowKey={({ index: at }) => at} />
      <Pager paged={paged} cursor={page !== undefined && end < page.length ? String(end) : null} />
      {editing !== undefined && (
        <EditDialog
          title={typeof editing === 'string' ? t('Add an element') : t('Edit the element')}
          inputs={[
            {
              name: 'value',
              label: t('Value'),
              value: typeof editing === 'string' ? '' : String(editing.element.value),
              isLong: true,
            },
          ]}
          close={() => setEditing(undefined)}
          save={(values) =>
            typeof editing === 'string'
              ? edit(name, 'list/push', { ...values, end: editing })
              : edit(name, 'list/set', { ...values, ...seen(editing) })
          }
          saved={refresh}
        />
      )}
    </>
  );
}
