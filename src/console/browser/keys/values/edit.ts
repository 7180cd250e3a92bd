import { post, type WireBytes } from '../../api.js';
import { t } from '../../i18n.js';
import { attemptIfSure } from '../../ui/confirm.js';

/** Sends a change inside a value. */
export function edit(key: WireBytes, name: string, body: object): Promise<unknown> {
  return post(`keys/edit/${name}`, { key, ...body });
}

/** Asks, then removes an element. */
export async function removeElement(
  key: WireBytes,
  name: string,
  body: object,
  removed: () => void,
): Promise<void> {
  const isRemoved = await attemptIfSure({
    title: t('Remove this element?'),
    text: t('It cannot be brought back.'),
    action: t('Remove'),
    work: () => edit(key, name, body),
    done: t('Removed.'),
  });
  if (isRemoved) removed();
}
