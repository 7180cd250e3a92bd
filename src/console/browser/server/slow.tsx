import type { SlowRow } from '../../types/server.js';
import { post } from '../api.js';
import { duration, t } from '../i18n.js';
import type { PageProps } from '../pages.js';
import { shown } from '../ui/bytes.js';
import { type Column, Failure, PageHead, Table } from '../ui/layout.js';
import { attempt } from '../ui/notices.js';
import { useLoaded } from '../ui/use.js';

export const SLOW_COLUMNS = (isMany: boolean): readonly Column<SlowRow>[] => [
  ...(isMany ? [{ title: t('Server'), cell: ({ server }: SlowRow) => <code>{server}</code> }] : []),
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
  const { value = [], failure, reload } = useLoaded<readonly SlowRow[]>('server/slow');
  const reset = async (): Promise<void> => {
    if (await attempt(() => post('server/slow/reset', {}), t('The slow log is empty.'))) reload();
  };
  const rows = [...value].sort((one, other) => other.microseconds - one.microseconds);
  return (
    <>
      <PageHead title={t('Slow log')}>
        {!session.readOnly && (
          <button type="button" onClick={() => void reset()}>
            {t('Clear')}
          </button>
        )}
        <button type="button" onClick={reload}>
          {t('Reload')}
        </button>
      </PageHead>
      <Failure error={failure} retry={reload} />
      <div class="panel">
        <p class="dim">{t('Commands that took longer than slowlog-log-slower-than, the slowest first.')}</p>
        <Table
          label={t('Slow log')}
          columns={SLOW_COLUMNS(session.servers.length > 1)}
          rows={rows}
          rowKey={({ server, id }) => `${server} ${id}`}
          empty={t('No command was slow.')}
        />
      </div>
    </>
  );
}
