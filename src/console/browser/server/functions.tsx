import { useState } from 'preact/hooks';
import type { FunctionLibrary } from '../../types/server.js';
import { post } from '../api.js';
import { t } from '../i18n.js';
import type { PageProps } from '../pages.js';
import { ChangeDialog } from '../ui/change-dialog.js';
import { attemptIfSure } from '../ui/confirm.js';
import { CheckInput, TextInput } from '../ui/inputs.js';
import { Empty, Panel } from '../ui/layout.js';
import { LoadedHead } from '../ui/table-page.js';
import { useLoaded } from '../ui/use.js';

const EXAMPLE = `#!lua name=mylib
redis.register_function('hello', function(keys, args)
  return 'hello'
end)`;

/** Libraries of functions. */
export default function Functions({ session }: PageProps) {
  const loaded = useLoaded<readonly FunctionLibrary[]>('server/functions');
  const { value, reload } = loaded;
  const [isLoading, setLoading] = useState(false);
  const remove = async (name: string): Promise<void> => {
    const isRemoved = await attemptIfSure({
      title: t('Delete this library?'),
      text: t('The library {name} and its functions will be deleted.', { name }),
      action: t('Delete'),
      work: () => post('server/functions/delete', { name }),
      done: t('The library was deleted.'),
    });
    if (isRemoved) reload();
  };
  return (
    <>
      <LoadedHead title={t('Functions')} loaded={loaded}>
        {!session.readOnly && (
          <button type="button" class="main" onClick={() => setLoading(true)}>
            {t('Load a library')}
          </button>
        )}
      </LoadedHead>
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
  return (
    <ChangeDialog
      title={t('Load a library')}
      action={t('Load')}
      done={t('The library was loaded.')}
      close={close}
      save={() => post('server/functions/load', { code, replace })}
      saved={loaded}
    >
      <TextInput label={t('Code')} rows={12} value={code} set={setCode} />
      <CheckInput label={t('Replace a library that has this name')} value={replace} set={setReplace} />
    </ChangeDialog>
  );
}
