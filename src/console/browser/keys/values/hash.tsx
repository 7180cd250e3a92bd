import { useState } from 'preact/hooks';
import type { CutBytes, HashFields } from '../../../types/keys.js';
import { t } from '../../i18n.js';
import { shown } from '../../ui/bytes.js';
import { EditDialog } from '../../ui/change-dialog.js';
import { actionsColumn, EditButton, RemoveButton } from '../../ui/columns.js';
import { type Column, Table } from '../../ui/layout.js';
import type { ValueProps } from '../key-view.js';
import { edit, removeElement } from './edit.js';
import { Element, isWhole } from './element.js';
import { MemberFilter, Pager, usePaged } from './paging.js';

type Field = HashFields['fields'][number];

/** The fields of a hash. */
export function HashView({ name, isReadOnly, changed }: ValueProps) {
  const [match, setMatch] = useState('');
  const paged = usePaged<HashFields>({ key: name, type: 'hash', match }, 'cursor');
  const [editing, setEditing] = useState<Field | 'new'>();
  const refresh = (): void => {
    paged.reload();
    changed();
  };
  const columns: Column<Field>[] = [
    { title: t('Field'), cell: ({ field }) => <Element element={field} /> },
    {
      title: t('Value'),
      cell: ({ field, value }) => (
        <Element element={value} part={{ key: name, type: 'hash', field: field.value }} />
      ),
    },
    ...actionsColumn<Field>(isReadOnly, (row) => (
      <>
        {isText(row.value) && isText(row.field) && (
          <EditButton name={shown(row.field.value, 40)} run={() => setEditing(row)} />
        )}
        {isWhole(row.field) && (
          <RemoveButton
            name={shown(row.field.value, 40)}
            run={() => removeElement(name, 'hash/remove', { field: row.field.value }, refresh)}
          />
        )}
      </>
    )),
  ];
  return (
    <>
      <div class="row">
        <MemberFilter label={t('Fields that match')} apply={setMatch} />
        {!isReadOnly && (
          <button type="button" onClick={() => setEditing('new')}>
            {t('Add a field')}
          </button>
        )}
      </div>
      <Table
        label={t('Fields')}
        columns={columns}
        rows={paged.page?.fields ?? []}
        rowKey={({ field }, index) => `${index} ${shown(field.value)}`}
      />
      <Pager paged={paged} cursor={paged.page?.cursor ?? null} />
      {editing !== undefined && (
        <EditDialog
          title={editing === 'new' ? t('Add a field') : t('Edit the field')}
          inputs={[
            {
              name: 'field',
              label: t('Field'),
              value: editing === 'new' ? '' : String(editing.field.value),
              isFixed: editing !== 'new',
            },
            {
              name: 'value',
              label: t('Value'),
              value: editing === 'new' ? '' : String(editing.value.value),
              isLong: true,
            },
          ]}
          close={() => setEditing(undefined)}
          save={(values) => edit(name, 'hash/set', values)}
          saved={refresh}
        />
      )}
    </>
  );
}

/** Whether the element can be edited as text. */
export const isText = (element: CutBytes): boolean => typeof element.value === 'string' && isWhole(element);
