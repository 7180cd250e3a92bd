import { useState } from 'preact/hooks';
import { count, t } from '../i18n.js';
import { Dialog } from '../ui/dialog.js';
import { tell, tellError } from '../ui/notices.js';
import { importKeys } from './transfer.js';

/** Imports a file that `Export` has saved. */
export function ImportDialog({ close, imported }: { close(): void; imported(): void }) {
  const [file, setFile] = useState<File>();
  const [replace, setReplace] = useState(false);
  const submit = async (): Promise<void> => {
    if (file === undefined) return;
    try {
      const result = await importKeys(await file.text(), replace);
      tell(t('{count} keys were imported.', { count: count(result.imported) }));
      if (result.failed.length > 0) tellError(new Error(result.failed.slice(0, 5).join('\n')));
      imported();
    } catch (error) {
      tellError(error);
    }
  };
  return (
    <Dialog title={t('Import keys')} action={t('Import')} close={close} submit={() => void submit()}>
      <p class="dim">{t('A file that this console has exported: one line of JSON per key.')}</p>
      <label>
        {t('File')}
        <input
          type="file"
          accept=".jsonl"
          required
          onChange={(event) => setFile(event.currentTarget.files?.[0])}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={replace}
          onChange={(event) => setReplace(event.currentTarget.checked)}
        />
        {t('Replace keys that exist')}
      </label>
    </Dialog>
  );
}
