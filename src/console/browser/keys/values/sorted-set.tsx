import { useState } from 'preact/hooks';
import type { SortedSetMembers } from '../../../types/keys.js';
import { count, t } from '../../i18n.js';
import { shown } from '../../ui/bytes.js';
import { EditDialog } from '../../ui/change-dialog.js';
import { actionsColumn, EditButton, RemoveButton } from '../../ui/columns.js';
import { CheckInput } from '../../ui/inputs.js';
import { type Column, Table } from '../../ui/layout.js';
import { Tabs } from '../../ui/tabs.js';
import type { ValueProps } from '../key-view.js';
import { edit, removeElement } from './edit.js';
import { Element, isWhole } from './element.js';
import { GeoMap } from './geo-map.js';
import { isText } from './hash.js';
import { MemberFilter, Pager, usePaged } from './paging.js';

type Member = SortedSetMembers['members'][number];
type View = 'members' | 'map';

/** The members of a sorted set by rank, or as places on a map. */
export function SortedSetView(props: ValueProps) {
  const [view, setView] = useState<View>('members');
  return (
    <>
      <Tabs
        label={t('View')}
        tabs={[
          ['members', t('Members')],
          ['map', t('Map')],
        ]}
        selected={view}
        select={setView}
      />
      {view === 'members' ? <Members {...props} /> : <GeoMap name={props.name} />}
    </>
  );
}

function Members({ name, isReadOnly, changed }: ValueProps) {
  const [match, setMatch] = useState('');
  const [descending, setDescending] = useState(false);
  const query = match === '' ? { key: name, type: 'zset', descending } : { key: name, type: 'zset', match };
  const paged = usePaged<SortedSetMembers>(query, match === '' ? 'start' : 'cursor');
  const [editing, setEditing] = useState<Member | 'new'>();
  const refresh = (): void => {
    paged.reload();
    changed();
  };
  const columns: Column<Member>[] = [
    { title: t('Rank'), isNumber: true, cell: ({ rank }) => (rank === null ? '' : count(rank)) },
    { title: t('Score'), isNumber: true, cell: ({ score }) => score },
    { title: t('Member'), cell: ({ member }) => <Element element={member} /> },
    ...actionsColumn<Member>(isReadOnly, (row) => (
      <>
        {isText(row.member) && <EditButton name={shown(row.member.value, 40)} run={() => setEditing(row)} />}
        {isWhole(row.member) && (
          <RemoveButton
            name={shown(row.member.value, 40)}
            run={() => removeElement(name, 'zset/remove', { member: row.member.value }, refresh)}
          />
        )}
      </>
    )),
  ];
  return (
    <>
      <div class="row">
        <MemberFilter label={t('Members that match')} apply={setMatch} />
        {match === '' && <CheckInput label={t('Highest first')} value={descending} set={setDescending} />}
        {!isReadOnly && (
          <button type="button" onClick={() => setEditing('new')}>
            {t('Add a member')}
          </button>
        )}
      </div>
      <Table
        label={t('Members')}
        columns={columns}
        rows={paged.page?.members ?? []}
        rowKey={({ member }, index) => `${index} ${shown(member.value)}`}
      />
      <Pager paged={paged} cursor={paged.page?.cursor ?? null} />
      {editing !== undefined && (
        <EditDialog
          title={editing === 'new' ? t('Add a member') : t('Edit the member')}
          inputs={[
            {
              name: 'member',
              label: t('Member'),
              value: editing === 'new' ? '' : String(editing.member.value),
              isFixed: editing !== 'new',
            },
            { name: 'score', label: t('Score'), value: editing === 'new' ? '0' : editing.score },
          ]}
          close={() => setEditing(undefined)}
          save={(values) => edit(name, 'zset/set', values)}
          saved={refresh}
        />
      )}
    </>
  );
}
