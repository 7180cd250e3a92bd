import { useState } from 'preact/hooks';
import type { SettingRow } from '../../types/server.js';
import { post } from '../api.js';
import { t } from '../i18n.js';
import type { PageProps } from '../pages.js';
import { EditDialog } from '../ui/change-dialog.js';
import { actionsColumn, EditButton } from '../ui/columns.js';
import type { Column } from '../ui/layout.js';
import { attempt } from '../ui/notices.js';
import { TablePage } from '../ui/table-page.js';
import { useLoaded } from '../ui/use.js';

/** All settings. Those that differ between servers are marked. */
export default function Settings({ session }: PageProps) {
  const loaded = useLoaded<readonly SettingRow[]>('server/settings');
  const [filter, setFilter] = useState('');
  const [editing, setEditing] = useState<SettingRow>();
  const columns: Column<SettingRow>[] = [
    { title: t('Setting'), cell: ({ name }) => <code>{name}</code> },
    {
      title: t('Value'),
      cell: ({ value: text, others }) => (
        <>
          <code class="bytes">{text === '' ? '""' : text}</code>
          {others.map(({ server, value: other }) => (
            <div key={server}>
              <span class="badge warn">{server}</span> <code>{other}</code>
            </div>
          ))}
        </>
      ),
    },
    ...actionsColumn<SettingRow>(session.readOnly, (row) => (
      <EditButton name={row.name} run={() => setEditing(row)} />
    )),
  ];
  const rewrite = (): Promise<boolean> =>
    attempt(
      () => post('server/settings/rewrite', {}),
      t('The settings were written to the configuration file.'),
    );
  return (
    <>
      <TablePage
        title={t('Settings')}
        loaded={loaded}
        filter={{ text: filter, set: setFilter }}
        columns={columns}
        rows={(loaded.value ?? []).filter(({ name }) => name.includes(filter.toLowerCase()))}
        rowKey={({ name }) => name}
      >
        {!session.readOnly && (
          <button type="button" onClick={() => void rewrite()}>
            {t('Write to the file')}
          </button>
        )}
      </TablePage>
      {editing !== undefined && (
        <EditDialog
          title={editing.name}
          inputs={[{ name: 'value', label: t('Value'), value: editing.value }]}
          close={() => setEditing(undefined)}
          save={(values) => post('server/settings/set', { name: editing.name, ...values })}
          saved={loaded.reload}
        />
      )}
    </>
  );
}
