import type { SlowRow } from '../../types/server.js';
import { post } from '../api.js';
import { duration, t } from '../i18n.js';
import type { PageProps } from '../pages.js';
import { shown } from '../ui/bytes.js';
import { serverColumn } from '../ui/columns.js';
import type { Column } from '../ui/layout.js';
import { attempt } from '../ui/notices.js';
import { TablePage } from '../ui/table-page.js';
import { useLoaded } from '../ui/use.js';

export const slowColumns = (servers: readonly unknown[]): readonly Column<SlowRow>[] => [
  ...serverColumn<SlowRow>(servers),
  { title: t('Time'), cell: ({ at }) => new Date(at).toLocaleString() },
  { title: t('Took'), isNumber: true, cell: ({ microseconds }) => duration(microseconds / 1000) },
  {
    title: t('Command'),
    cell: ({ words }) => <code class="bytes">{words.map((word) => shown(word, 120)).join(' ')}</code>,
  },
  { title: t('Client'), cell: ({ client }) => <code>{client}</code> },
];

/** Commands that took long. */
export default function Slow({ session }: PageProps) {
  const loaded = useLoaded<readonly SlowRow[]>('server/slow');
  const reset = async (): Promise<void> => {
    if (await attempt(() => post('server/slow/reset', {}), t('The slow log is empty.'))) loaded.reload();
  };
  return (
    <TablePage
      title={t('Slow log')}
      loaded={loaded}
      note={t('Commands that took longer than slowlog-log-slower-than, the slowest first.')}
      columns={slowColumns(session.servers)}
      rows={[...(loaded.value ?? [])].sort((one, other) => other.microseconds - one.microseconds)}
      rowKey={({ server, id }) => `${server} ${id}`}
      empty={t('No command was slow.')}
    >
      {!session.readOnly && (
        <button type="button" onClick={() => void reset()}>
          {t('Clear')}
        </button>
      )}
    </TablePage>
  );
}
