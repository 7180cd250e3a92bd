import type { ExportedKey } from '../../types/keys.js';
import { post, type WireBytes } from '../api.js';
import { count, t } from '../i18n.js';
import { tell, tellError } from '../ui/notices.js';

const BATCH = 100;
const MAX_FILE = 256 * 1024 * 1024;

/** Saves keys into a file: one line of JSON per key. */
export async function exportKeys(keys: readonly WireBytes[]): Promise<void> {
  const lines: string[] = [];
  let size = 0;
  try {
    for (let at = 0; at < keys.length; ) {
      const batch = keys.slice(at, at + BATCH);
      const { keys: exported, left } = await post<{ keys: readonly ExportedKey[]; left: number }>(
        'keys/export',
        { keys: batch },
      );
      for (const entry of exported) {
        const line = JSON.stringify(entry);
        size += line.length;
        lines.push(line);
      }
      if (size > MAX_FILE)
        throw new Error(t("This is too much for a file from the browser: use 'sorrel copy'."));
      at += batch.length - left;
    }
    download('sorrel-keys.jsonl', `${lines.join('\n')}\n`);
    tell(t('{count} keys were exported.', { count: count(lines.length) }));
  } catch (error) {
    tellError(error);
  }
}

export function download(name: string, content: BlobPart): void {
  const address = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/** Restores the keys of such a file. Returns how many, and what failed. */
export async function importKeys(
  text: string,
  replace: boolean,
): Promise<{ imported: number; failed: string[] }> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const entries = lines.map((line, index) => {
    try {
      return JSON.parse(line) as ExportedKey;
    } catch {
      throw new Error(t('Line {line} is not JSON.', { line: index + 1 }));
    }
  });
  let imported = 0;
  const failed: string[] = [];
  for (const batch of batches(entries)) {
    const result = await post<{ imported: number; failed: readonly { key: WireBytes; error: string }[] }>(
      'keys/import',
      { keys: batch, replace },
    );
    imported += result.imported;
    failed.push(...result.failed.map(({ key, error }) => `${JSON.stringify(key)}: ${error}`));
  }
  return { imported, failed };
}

const MAX_BODY = 16 * 1024 * 1024;

function* batches(entries: readonly ExportedKey[]): Generator<readonly ExportedKey[]> {
  let batch: ExportedKey[] = [];
  let size = 0;
  for (const entry of entries) {
    const length = (entry.dump?.length ?? 0) + 200;
    if (batch.length > 0 && (batch.length >= BATCH || size + length > MAX_BODY)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(entry);
    size += length;
  }
  if (batch.length > 0) yield batch;
}
