import type { PersistenceState } from '../../types/server.js';
import { post } from '../api.js';
import { bytesSize, count, duration, t } from '../i18n.js';
import type { PageProps } from '../pages.js';
import { Figure, Panel } from '../ui/layout.js';
import { attempt } from '../ui/notices.js';
import { LoadedHead } from '../ui/table-page.js';
import { useLoaded } from '../ui/use.js';

/** Snapshots and append-only files. */
export default function Persistence({ session }: PageProps) {
  const loaded = useLoaded<readonly PersistenceState[]>('server/persistence');
  const start = async (path: string, server: string): Promise<void> => {
    if (await attempt(() => post(path, { server }), t('Started.'))) loaded.reload();
  };
  return (
    <>
      <LoadedHead title={t('Persistence')} loaded={loaded} />
      {loaded.value?.map((state) => (
        <Panel
          key={state.server}
          title={state.server}
          actions={
            !session.readOnly && (
              <>
                <button
                  type="button"
                  disabled={state.isSaving}
                  onClick={() => void start('server/persistence/save', state.server)}
                >
                  {t('Save a snapshot')}
                </button>
                {state.aofEnabled && (
                  <button
                    type="button"
                    disabled={state.isRewriting}
                    onClick={() => void start('server/persistence/rewrite', state.server)}
                  >
                    {t('Rewrite the append-only file')}
                  </button>
                )}
              </>
            )
          }
        >
          <div class="figures">
            <Figure
              name={t('Last snapshot')}
              value={
                state.lastSave === 0
                  ? t('none since the start')
                  : t('{time} ago', { time: duration(Math.max(1000, Date.now() - state.lastSave)) })
              }
            />
            <Figure name={t('Result')} value={state.isSaving ? t('running') : state.lastStatus || '–'} />
            <Figure name={t('Changes since')} value={count(state.changes)} />
            <Figure
              name={t('Snapshots after')}
              value={state.save === '' ? t('never') : state.save}
              hint={t('Seconds and changes, as in the setting save.')}
            />
            <Figure
              name={t('Append-only file')}
              value={state.aofEnabled ? bytesSize(state.aofSize) : t('off')}
            />
            {state.aofEnabled && <Figure name={t('Last write')} value={state.aofStatus} />}
            {state.isRewriting && <Figure name={t('Rewrite')} value={t('running')} />}
          </div>
        </Panel>
      ))}
    </>
  );
}
