import { useState } from 'preact/hooks';
import type { CutBytes, StringPart } from '../../../types/keys.js';
import { get, type Query } from '../../api.js';
import { bytesSize, t } from '../../i18n.js';
import { Bytes } from '../../ui/bytes.js';
import { Dialog } from '../../ui/dialog.js';
import { tellError } from '../../ui/notices.js';
import { BytesView } from './bytes-view.js';

/** An element in a table. If it was cut, a button shows the whole, part by part. */
export function Element({ element, part }: { readonly element: CutBytes; readonly part?: Query }) {
  const [whole, setWhole] = useState<StringPart>();
  const isCut = lengthOf(element) < element.length;
  const load = (offset: number): void => {
    get<StringPart>('keys/part', { ...part, offset }).then(setWhole, tellError);
  };
  return (
    <>
      <Bytes value={element.value} />
      {isCut && (
        <>
          {' '}
          {part === undefined ? (
            <span class="dim">{bytesSize(element.length)}</span>
          ) : (
            <button type="button" class="quiet" onClick={() => load(0)}>
              {t('Show all {size}', { size: bytesSize(element.length) })}
            </button>
          )}
        </>
      )}
      {whole !== undefined && (
        <Dialog title={t('Element')} close={() => setWhole(undefined)}>
          <BytesView part={whole} load={load} />
        </Dialog>
      )}
    </>
  );
}

/** Whether all of the element was sent. */
export const isWhole = (element: CutBytes): boolean => lengthOf(element) === element.length;

function lengthOf({ value }: CutBytes): number {
  if (typeof value === 'string') return new TextEncoder().encode(value).length;
  const { base64 } = value;
  return (base64.length / 4) * 3 - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0);
}
