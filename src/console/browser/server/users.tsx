import { useState } from 'preact/hooks';
import type { RefusalRow, UserRow } from '../../types/server.js';
import { post } from '../api.js';
import { count, duration, t } from '../i18n.js';
import type { PageProps } from '../pages.js';
import { EditDialog } from '../ui/change-dialog.js';
import { actionsColumn, EditButton, RowButton } from '../ui/columns.js';
import { attemptIfSure } from '../ui/confirm.js';
import { type Column, Failure, Panel, Table } from '../ui/layout.js';
import { LoadedHead } from '../ui/table-page.js';
import { useLoaded } from '../ui/use.js';

/** Users with their rules, and what was refused. */
export default function Users({ session }: PageProps) {
  const users = useLoaded<readonly UserRow[]>('server/users');
  const refusals = useLoaded<readonly RefusalRow[]>('server/refusals');
  const [editing, setEditing] = useState<UserRow | 'new'>();
  const remove = async (name: string): Promise<void> => {
    const isRemoved = await attemptIfSure({
      title: t('Delete this user?'),
      text: t('The connections of {name} will be closed.', { name }),
      action: t('Delete'),
      work: () => post('server/users/delete', { name }),
      done: t('The user was deleted.'),
    });
    if (isRemoved) users.reload();
  };
  const reload = (): void => {
    users.reload();
    refusals.reload();
  };
  const columns: Column<UserRow>[] = [
    { title: t('User'), cell: ({ name }) => <code>{name}</code> },
    {
      title: t('State'),
      cell: ({ isOn }) => <span class={isOn ? 'badge good' : 'badge'}>{isOn ? t('on') : t('off')}</span>,
    },
    { title: t('Rules'), cell: ({ rules }) => <code class="bytes">{rules}</code> },
    ...actionsColumn<UserRow>(session.readOnly, (row) => (
      <>
        <EditButton name={row.name} run={() => setEditing(row)} />
        {row.name !== 'default' && (
          <RowButton
            text={t('Delete')}
            label={t('Remove {name}', { name: row.name })}
            run={() => remove(row.name)}
          />
        )}
      </>
    )),
  ];
  return (
    <>
      <LoadedHead title={t('Users')} loaded={{ failure: users.failure, reload }}>
        {!session.readOnly && (
          <button type="button" class="main" onClick={() => setEditing('new')}>
            {t('New user')}
          </button>
        )}
      </LoadedHead>
      <Panel title={t('Users and rules')}>
        <Table
          label={t('Users and rules')}
          columns={columns}
          rows={users.value ?? []}
          rowKey={({ name }) => name}
        />
      </Panel>
      <Panel title={t('Refused')}>
        <Failure error={refusals.failure} />
        <Table
          label={t('Refused')}
          columns={REFUSAL_COLUMNS()}
          rows={refusals.value ?? []}
          rowKey={(_, index) => index}
          empty={t('Nothing was refused.')}
        />
      </Panel>
      {editing !== undefined && (
        <EditDialog
          title={editing === 'new' ? t('New user') : t('Edit the user')}
          inputs={[
            {
              name: 'name',
              label: t('Name'),
              value: editing === 'new' ? '' : editing.name,
              isFixed: editing !== 'new',
            },
            {
              name: 'rules',
              label: t('Rules to apply, as for ACL SETUSER'),
              value: editing === 'new' ? 'on >password ~app:* +@read' : '',
              isLong: true,
            },
          ]}
          close={() => setEditing(undefined)}
          save={(values) => post('server/users/set', values)}
          saved={users.reload}
        />
      )}
    </>
  );
}

const REFUSAL_COLUMNS = (): readonly Column<RefusalRow>[] => [
  { title: t('User'), cell: ({ user }) => <code>{user}</code> },
  { title: t('Reason'), cell: ({ reason }) => reason },
  { title: t('What'), cell: ({ object }) => <code class="bytes">{object}</code> },
  { title: t('Times'), isNumber: true, cell: ({ count: times }) => count(times) },
  {
    title: t('When'),
    cell: ({ ageSeconds }) => t('{time} ago', { time: duration(Math.max(1000, ageSeconds * 1000)) }),
  },
];
