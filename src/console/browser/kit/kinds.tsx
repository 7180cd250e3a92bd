import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { KindInfo } from '../../types/boards.js';
import { count, t } from '../i18n.js';
import { hrefTo, navigate } from '../router.js';
import { Form } from '../ui/inputs.js';
import { Empty, Failure, PageHead, Panel } from '../ui/layout.js';
import { type Discovered, useDiscovery } from './discovery.js';

/** Which components have data in the store. */
export function Kinds() {
  const found = useDiscovery();
  const kinds = found.kinds.filter((kind) => kind.count > 0);
  return (
    <>
      <PageHead title={t('Components')}>
        <SearchButtons found={found} />
      </PageHead>
      <Failure error={found.failure} retry={found.resume} />
      <SearchProgress share={found.share} />
      {kinds.length === 0 && found.isComplete ? (
        <Empty>{t('No component of the kit has keys in this store.')}</Empty>
      ) : (
        <ul class="kinds">
          {kinds.map((kind) => (
            <li key={kind.kind}>
              <a class="panel kind" href={hrefTo(`kit/${kind.kind}`)}>
                <span class="kind-count">
                  {kind.isCut ? '≥ ' : ''}
                  {count(kind.count)}
                </span>
                <b>{t(kind.title)}</b>
                <span class="dim">{t(kind.about)}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
      <OpenByName kinds={found.kinds} />
    </>
  );
}

export function SearchButtons({ found }: { readonly found: Discovered }) {
  const isKnown = found.kinds.length > 0;
  if (!isKnown) return null;
  if (found.share === undefined)
    return found.isComplete ? (
      <button type="button" onClick={found.again}>
        {t('Search again')}
      </button>
    ) : (
      <button type="button" onClick={found.resume}>
        {t('Continue')}
      </button>
    );
  return (
    <>
      {!found.isBrisk && (
        <button
          type="button"
          title={t('Takes more of the time of the server: other clients may notice it.')}
          onClick={found.hurry}
        >
          {t('Faster')}
        </button>
      )}
      <button type="button" onClick={found.stop}>
        {t('Stop')}
      </button>
    </>
  );
}

export function SearchProgress({ share }: { readonly share: number | undefined }): ComponentChildren {
  if (share === undefined) return null;
  return (
    <label class="search-progress">
      {t('The store is being searched.')}
      <progress max={1} value={share} />
      {Math.floor(share * 100)} %
    </label>
  );
}

/** A large store takes long to search; who knows the name need not wait. */
function OpenByName({ kinds }: { readonly kinds: readonly KindInfo[] }) {
  const [kind, setKind] = useState('queue');
  const [name, setName] = useState('');
  const [prefix, setPrefix] = useState('');
  const usual = kinds.find((one) => one.kind === kind)?.prefix ?? '';
  return (
    <Panel title={t('Open by name')}>
      <Form
        class="row"
        submit={() => {
          if (name !== '') navigate(hrefTo(`kit/${kind}`, { name, prefix: prefix === '' ? usual : prefix }));
        }}
      >
        <label>
          {t('Component')}
          <select value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
            {kinds.map((one) => (
              <option key={one.kind} value={one.kind}>
                {t(one.title)}
              </option>
            ))}
          </select>
        </label>
        <label class="grow">
          {t('Name')}
          <input value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <label>
          {t('Prefix')}
          <input
            value={prefix}
            placeholder={usual}
            onInput={(event) => setPrefix(event.currentTarget.value)}
          />
        </label>
        <button type="submit">{t('Open')}</button>
      </Form>
    </Panel>
  );
}
