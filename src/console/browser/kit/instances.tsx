import { useState } from 'preact/hooks';
import type { InstancesAnswer } from '../../types/boards.js';
import { count, t } from '../i18n.js';
import { hrefTo } from '../router.js';
import { Bytes } from '../ui/bytes.js';
import { Empty, Failure, PageHead } from '../ui/layout.js';
import { useLoaded, useRefresh } from '../ui/use.js';
import { useDiscovery } from './discovery.js';
import { SearchButtons, SearchProgress } from './kinds.js';
import { Figures } from './values.js';

const PAGE = 20;

/** The instances of one component, with their main figures. */
export function Instances({ kind }: { readonly kind: string }) {
  const found = useDiscovery();
  const [search, setSearch] = useState('');
  const [offset, setOffset] = useState(0);
  const list = useLoaded<InstancesAnswer>('boards/instances', { kind, search, offset });
  const title = found.kinds.find((one) => one.kind === kind)?.title ?? kind;
  useRefresh(list);
  const { instances = [], total = 0 } = list.value ?? {};
  return (
    <>
      <PageHead title={t(title)}>
        <a href={hrefTo('kit')}>{t('All components')}</a>
        <SearchButtons found={found} />
      </PageHead>
      <Failure
        error={found.failure ?? list.failure}
        retry={found.failure === undefined ? list.reload : found.resume}
      />
      <SearchProgress share={found.share} />
      <label class="filter">
        {t('Name contains')}
        <input
          type="search"
          value={search}
          onInput={(event) => {
            setSearch(event.currentTarget.value);
            setOffset(0);
          }}
        />
      </label>
      {instances.length === 0 && !list.isLoading && <Empty>{t('Nothing here.')}</Empty>}
      <ul class="instances">
        {instances.map(({ prefix, name, figures }) => (
          <li key={`${prefix} ${name}`} class="panel">
            <a href={hrefTo(`kit/${kind}`, { prefix, name })}>
              <Bytes value={name} maxLength={120} />
            </a>
            <Figures figures={figures} />
          </li>
        ))}
      </ul>
      {total > PAGE && (
        <div class="row pager">
          <button type="button" disabled={offset === 0} onClick={() => setOffset(Math.max(0, offset - PAGE))}>
            {t('Back')}
          </button>
          <span>
            {t('{first} to {last} of {total}', {
              first: offset + 1,
              last: Math.min(total, offset + PAGE),
              total: count(total),
            })}
          </span>
          <button type="button" disabled={offset + PAGE >= total} onClick={() => setOffset(offset + PAGE)}>
            {t('Next')}
          </button>
        </div>
      )}
    </>
  );
}
