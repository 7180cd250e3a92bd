import { useState } from 'preact/hooks';
import type { ClientRow } from '../../types/server.js';
import { post } from '../api.js';
import { bytesSize, count, duration, t } from '../i18n.js';
import type { PageProps } from '../pages.js';
import { actionsColumn, RowButton, serverColumn } from '../ui/columns.js';
import { attemptIfSure } from '../ui/confirm.js';
import type { Column } from '../ui/layout.js';
import { TablePage } from '../ui/table-page.js';
import { useLoaded } from '../ui/use.js';

const MAX_SHOWN = 500;

/** The connections of all servers. */
export default function Clients({ session }: PageProps) {
  const loaded = useLoaded<readonly ClientRow[]>('server/clients');
  const [filter, setFilter] = useState('');
  const found = (loaded.value ?? []).filter((row) =>
    Object.values(row).join(' ').toLowerCase().includes(filter.toLowerCase()),
  );
  const kill = async ({ server, id, address }: ClientRow): Promise<void> => {
    const isKilled = await attemptIfSure({
      title: t('End this connection?'),
      text: t('The connection of {address} will be closed.', { address }),
      action: t('End'),
      work: () => post('server/clients/kill', { server, id }),
      done: t('The connection was ended.'),
    });
    if (isKilled) loaded.reload();
  };
  const columns: Column<ClientRow>[] = [
    ...serverColumn<ClientRow>(session.servers),
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
    ...actionsColumn<ClientRow>(session.readOnly, (row) => (
      <RowButton
        text={t('End')}
        label={t('End the connection {name}', { name: row.id })}
        run={() => kill(row)}
      />
    )),
  ];
  return (
    <TablePage
      title={t('Clients')}
      loaded={loaded}
      filter={{ text: filter, set: setFilter }}
      note={t('{count} connections', { count: count(found.length) })}
      columns={columns}
      rows={found.slice(0, MAX_SHOWN)}
      rowKey={({ server, id }) => `${server} ${id}`}
    />
  );
}
