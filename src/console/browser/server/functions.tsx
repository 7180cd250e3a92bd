import { useState } from 'preact/hooks';
import type { FunctionLibrary } from '../../types/server.js';
import { post } from '../api.js';
import { t } from '../i18n.js';
import type { PageProps } from '../pages.js';
import { confirm } from '../ui/confirm.js';
import { Dialog } from '../ui/dialog.js';
import { Empty, Failure, PageHead, Panel } from '../ui/layout.js';
import { attempt } from '../ui/notices.js';
import { useLoaded } from '../ui/use.js';

const EXAMPLE = `#!lua name=mylib
redis.register_function('hello', function(keys, args)
  return 'hello'
end)`;

/** Libraries of functions. */
export default function Functions({ session }: PageProps) {
  const { value, failure, reload } = useLoaded<readonly FunctionLibrary[]>('server/functions');
  const [isLoading, setLoading] = useState(false);
  const remove = async (name: string): Promise<void> => {
    const text = t('The library {name} and its functions will be deleted.', { name });
    if (!(await confirm(t('Delete this library?'), text, t('Delete')))) return;
    if (await attempt(() => post('server/functions/delete', { name }), t('The library was deleted.')))
      reload();
  };
  return (
    <>
      <PageHead title={t('Functions')}>
        {!session.readOnly && (
          <button type="button" class="main" onClick={() => setLoading(true)}>
            {t('Load a library')}
          </button>
        )}
        <button type="button" onClick={reload}>
          {t('Reload')}
        </button>
      </PageHead>
      <Failure error={failure} retry={reload} />
      {value?.length === 0 && <Empty>{t('No library is loaded.')}</Empty>}
      {value?.map(({ name, engine, functions, code }) => (
        <Panel
          key={name}
          title={`${name} (${engine})`}
          actions={
            !session.readOnly && (
              <button type="button" class="danger" onClick={() => void remove(name)}>
                {t('Delete')}
              </button>
            )
          }
        >
          <ul>
            {functions.map((one) => (
              <li key={one.name}>
                <code>{one.name}</code>{' '}
                {one.flags.map((flag) => (
                  <span key={flag} class="badge">
                    {flag}
                  </span>
                ))}{' '}
                {one.description}
              </li>
            ))}
          </ul>
          <details>
            <summary>{t('Code')}</summary>
            <pre class="value">{code}</pre>
          </details>
        </Panel>
      ))}
      {isLoading && <LoadDialog close={() => setLoading(false)} loaded={reload} />}
    </>
  );
}

function LoadDialog({ close, loaded }: { close(): void; loaded(): void }) {
  const [code, setCode] = useState(EXAMPLE);
  const [replace, setReplace] = useState(false);
  const submit = async (): Promise<void> => {
    if (
      !(await attempt(() => post('server/functions/load', { code, replace }), t('The library was loaded.')))
    )
      return;
    close();
    loaded();
  };
  return (
    <Dialog title={t('Load a library')} action={t('Load')} close={close} submit={() => void submit()}>
      <label>
        {t('Code')}
        <textarea
          rows={12}
          spellcheck={false}
          value={code}
          onInput={(event) => setCode(event.currentTarget.value)}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={replace}
          onChange={(event) => setReplace(event.currentTarget.checked)}
        />
        {t('Replace a library that has this name')}
      </label>
    </Dialog>
  );
}
