import { useState } from 'preact/hooks';
import type { SettingRow } from '../../types/server.js';
import { post } from '../api.js';
import { t } from '../i18n.js';
import { EditDialog } from '../keys/values/edit-dialog.js';
import type { PageProps } from '../pages.js';
import { type Column, Failure, PageHead, Table } from '../ui/layout.js';
import { attempt } from '../ui/notices.js';
import { useLoaded } from '../ui/use.js';

/** All settings. Those that differ between servers are marked. */
export default function Settings({ session }: PageProps) {
  const { value = [], failure, reload } = useLoaded<readonly SettingRow[]>('server/settings');
  const [filter, setFilter] = useState('');
  const [editing, setEditing] = useState<SettingRow>();
  const found = value.filter(({ name }) => name.includes(filter.toLowerCase()));
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
  ];
  if (!session.readOnly) {
    columns.push({
      title: t('Actions'),
      cell: (row) => (
        <button
          type="button"
          class="quiet"
          aria-label={t('Edit {name}', { name: row.name })}
          onClick={() => setEditing(row)}
        >
          {t('Edit')}
        </button>
      ),
    });
  }
  return (
    <>
      <PageHead title={t('Settings')}>
        <label>
          {t('Filter')}
          <input
            value={filter}
            spellcheck={false}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </label>
        {!session.readOnly && (
          <button
            type="button"
            onClick={() =>
              void attempt(
                () => post('server/settings/rewrite', {}),
                t('The settings were written to the configuration file.'),
              )
            }
          >
            {t('Write to the file')}
          </button>
        )}
        <button type="button" onClick={reload}>
          {t('Reload')}
        </button>
      </PageHead>
      <Failure error={failure} retry={reload} />
      <div class="panel">
        <Table label={t('Settings')} columns={columns} rows={found} rowKey={({ name }) => name} />
      </div>
      {editing !== undefined && (
        <EditDialog
          title={editing.name}
          inputs={[{ name: 'value', label: t('Value'), value: editing.value }]}
          close={() => setEditing(undefined)}
          save={(values) => post('server/settings/set', { name: editing.name, ...values })}
          saved={reload}
        />
      )}
    </>
  );
}
