import { useState } from 'preact/hooks';
import type { ClientRow } from '../../types/server.js';
import { post } from '../api.js';
import { bytesSize, count, duration, t } from '../i18n.js';
import type { PageProps } from '../pages.js';
import { confirm } from '../ui/confirm.js';
import { type Column, Failure, PageHead, Table } from '../ui/layout.js';
import { attempt } from '../ui/notices.js';
import { useLoaded } from '../ui/use.js';

const MAX_SHOWN = 500;

/** The connections of all servers. */
export default function Clients({ session }: PageProps) {
  const { value = [], failure, reload } = useLoaded<readonly ClientRow[]>('server/clients');
  const [filter, setFilter] = useState('');
  const found = value.filter((row) =>
    Object.values(row).join(' ').toLowerCase().includes(filter.toLowerCase()),
  );
  const kill = async ({ server, id, address }: ClientRow): Promise<void> => {
    const text = t('The connection of {address} will be closed.', { address });
    if (!(await confirm(t('End this connection?'), text, t('End')))) return;
    if (await attempt(() => post('server/clients/kill', { server, id }), t('The connection was ended.')))
      reload();
  };
  const columns: Column<ClientRow>[] = [
    ...(session.servers.length > 1
      ? [{ title: t('Server'), cell: ({ server }: ClientRow) => <code>{server}</code> }]
      : []),
    { title: 'ID', isNumber: true, cell: ({ id }) => id },
    { title: t('Address'), cell: ({ address }) => <code>{address}</code> },
    { title: t('Name'), cell: ({ name }) => name },
    { title: t('User'), cell: ({ user }) => user },
    { title: t('Database'), isNumber: true, cell: ({ database }) => database },
    { title: t('Age'), isNumber: true, cell: ({ age }) => duration(Math.max(1, age) * 1000) },
    { title: t('Idle'), isNumber: true, cell: ({ idle }) => (idle === 0 ? '0 s' : duration(idle * 1000)) },
    { title: t('Flags'), cell: ({ flags }) => <code>{flags}</code> },
    { title: t('Last command'), cell: ({ command }) => <code>{command}</code> },
    { title: t('Memory'), isNumber: true, cell: ({ memory }) => bytesSize(memory) },
  ];
  if (!session.readOnly) {
    columns.push({
      title: t('Actions'),
      cell: (row) => (
        <button
          type="button"
          class="quiet"
          aria-label={t('End the connection {name}', { name: row.id })}
          onClick={() => void kill(row)}
        >
          {t('End')}
        </button>
      ),
    });
  }
  return (
    <>
      <PageHead title={t('Clients')}>
        <label>
          {t('Filter')}
          <input
            value={filter}
            spellcheck={false}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </label>
        <button type="button" onClick={reload}>
          {t('Reload')}
        </button>
      </PageHead>
      <Failure error={failure} retry={reload} />
      <div class="panel">
        <p class="dim">{t('{count} connections', { count: count(found.length) })}</p>
        <Table
          label={t('Clients')}
          columns={columns}
          rows={found.slice(0, MAX_SHOWN)}
          rowKey={({ server, id }) => `${server} ${id}`}
        />
      </div>
    </>
  );
}
