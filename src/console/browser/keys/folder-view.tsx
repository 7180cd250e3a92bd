import { post, type WireBytes } from '../api.js';
import { count, t } from '../i18n.js';
import { shown } from '../ui/bytes.js';
import { confirm } from '../ui/confirm.js';
import { attempt } from '../ui/notices.js';
import { exportKeys } from './transfer.js';
import { type KeyTree, keysBelow } from './tree.js';

interface FolderViewProps {
  readonly tree: KeyTree;
  readonly path: string;
  readonly isReadOnly: boolean;
  gone(keys: readonly WireBytes[]): void;
}

const BATCH = 500;

/** Actions on all loaded keys that begin with the same text. */
export function FolderView({ tree, path, isReadOnly, gone }: FolderViewProps) {
  const folder = tree.folder(path);
  if (folder === undefined) return <p class="empty">{t('Nothing here.')}</p>;
  const name = folder.isEscaped ? path : shown(path);
  const remove = async (): Promise<void> => {
    const keys = keysBelow(folder);
    const text = t(
      '{count} keys that begin with {path} will be deleted. Keys that were not loaded yet stay.',
      { count: count(keys.length), path: name.slice(0, 100) },
    );
    if (!(await confirm(t('Delete these keys?'), text, t('Delete')))) return;
    for (let i = 0; i < keys.length; i += BATCH) {
      const batch = keys.slice(i, i + BATCH);
      if (!(await attempt(() => post('keys/delete', { keys: batch })))) return;
    }
    gone(keys);
  };
  return (
    <article class="panel key-view">
      <div class="panel-head">
        <h2 class="key-name">
          <code>{name}</code>
        </h2>
        <div class="actions">
          <button type="button" onClick={() => void exportKeys(keysBelow(folder))}>
            {t('Export')}
          </button>
          {!isReadOnly && (
            <button type="button" class="danger" onClick={() => void remove()}>
              {t('Delete')}
            </button>
          )}
        </div>
      </div>
      <p>{t('Loaded keys that begin with this text: {count}', { count: count(folder.keys) })}</p>
    </article>
  );
}
