import { useState } from 'preact/hooks';
import type { CutBytes, SetMembers } from '../../../types/keys.js';
import { t } from '../../i18n.js';
import { shown } from '../../ui/bytes.js';
import { EditDialog } from '../../ui/change-dialog.js';
import { actionsColumn, RemoveButton } from '../../ui/columns.js';
import { type Column, Table } from '../../ui/layout.js';
import type { ValueProps } from '../key-view.js';
import { edit, removeElement } from './edit.js';
import { Element, isWhole } from './element.js';
import { MemberFilter, Pager, usePaged } from './paging.js';

/** The members of a set. */
export function SetView({ name, isReadOnly, changed }: ValueProps) {
  const [match, setMatch] = useState('');
  const paged = usePaged<SetMembers>({ key: name, type: 'set', match }, 'cursor');
  const [isAdding, setAdding] = useState(false);
  const refresh = (): void => {
    paged.reload();
    changed();
  };
  const columns: Column<CutBytes>[] = [
    { title: t('Member'), cell: (member) => <Element element={member} /> },
    ...actionsColumn<CutBytes>(
      isReadOnly,
      (member) =>
        isWhole(member) && (
          <RemoveButton
            name={shown(member.value, 40)}
            run={() => removeElement(name, 'set/remove', { member: member.value }, refresh)}
          />
        ),
    ),
  ];
  return (
    <>
      <div class="row">
        <MemberFilter label={t('Members that match')} apply={setMatch} />
        {!isReadOnly && (
          <button type="button" onClick={() => setAdding(true)}>
            {t('Add a member')}
          </button>
        )}
      </div>
      <Table
        label={t('Members')}
        columns={columns}
        rows={paged.page?.members ?? []}
        rowKey={(member, index) => `${index} ${shown(member.value)}`}
      />
      <Pager paged={paged} cursor={paged.page?.cursor ?? null} />
      {isAdding && (
        <EditDialog
          title={t('Add a member')}
          inputs={[{ name: 'member', label: t('Member'), value: '' }]}
          close={() => setAdding(false)}
          save={(values) => edit(name, 'set/add', values)}
          saved={refresh}
        />
      )}
    </>
  );
}
