import { useState } from 'preact/hooks';
import { count, t } from '../i18n.js';
import { ChangeDialog } from '../ui/change-dialog.js';
import { CheckInput } from '../ui/inputs.js';
import { tell, tellError } from '../ui/notices.js';
import { importKeys } from './transfer.js';

/** Imports a file that `Export` has saved. */
export function ImportDialog({ close, imported }: { close(): void; imported(): void }) {
  const [file, setFile] = useState<File>();
  const [replace, setReplace] = useState(false);
  const save = async (): Promise<void> => {
    const result = await importKeys((await file?.text()) ?? '', replace);
    tell(t('{count} keys were imported.', { count: count(result.imported) }));
    if (result.failed.length > 0) tellError(new Error(result.failed.slice(0, 5).join('\n')));
  };
  return (
    <ChangeDialog title={t('Import keys')} action={t('Import')} close={close} save={save} saved={imported}>
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
      <CheckInput label={t('Replace keys that exist')} value={replace} set={setReplace} />
    </ChangeDialog>
  );
}
