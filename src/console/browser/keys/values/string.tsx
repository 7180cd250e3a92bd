import { useState } from 'preact/hooks';
import type { StringPart } from '../../../types/keys.js';
import { get } from '../../api.js';
import { bytesSize, count, t } from '../../i18n.js';
import { bytesOf, hex, wireOf } from '../../ui/bytes.js';
import { Form, TextInput } from '../../ui/inputs.js';
import { Failure, Figure } from '../../ui/layout.js';
import { attempt, tellError } from '../../ui/notices.js';
import { useLoaded } from '../../ui/use.js';
import type { ValueProps } from '../key-view.js';
import { download } from '../transfer.js';
import { BytesView, jsonOf } from './bytes-view.js';
import { edit } from './edit.js';

const PART = 64 * 1024;
const MAX_DOWNLOAD = 512 * 1024 * 1024;
/** Counting bits walks the whole string on the server. */
const MAX_COUNTED = 16 * 1024 * 1024;

/** A string, part by part. Those up to 64 KB can be edited, as text or in hexadecimal. */
export function StringView({ name, facts, isReadOnly, changed }: ValueProps) {
  const [offset, setOffset] = useState(0);
  const page = useLoaded<StringPart>('keys/page', { key: name, type: 'string', offset, seen: facts.length });
  const [isEditing, setEditing] = useState(false);
  const [countsBits, setCountsBits] = useState(false);
  const part = page.value;
  const saved = (): void => {
    setEditing(false);
    page.reload();
    changed();
  };
  if (part === undefined) return <Failure error={page.failure} retry={page.reload} />;
  const canEdit = !isReadOnly && part.length <= PART && !facts.isHyperLogLog;
  return (
    <>
      <Failure error={page.failure} />
      {facts.isHyperLogLog && <Cardinality name={name} />}
      {countsBits && <Bits name={name} />}
      {isEditing ? (
        <StringEditor name={name} part={part} close={() => setEditing(false)} saved={saved} />
      ) : (
        <>
          <BytesView key={typeof part.part} part={part} load={setOffset} />
          <div class="row">
            {canEdit && (
              <button type="button" onClick={() => setEditing(true)}>
                {t('Edit')}
              </button>
            )}
            <button type="button" onClick={() => void save(name, part.length)}>
              {t('Download')}
            </button>
            {!countsBits && part.length <= MAX_COUNTED && (
              <button type="button" onClick={() => setCountsBits(true)}>
                {t('Count bits')}
              </button>
            )}
            {!isReadOnly && part.length > PART && (
              <span class="dim">
                {t('Longer than {size}: it can be seen and downloaded, not edited here.', {
                  size: bytesSize(PART),
                })}
              </span>
            )}
          </div>
        </>
      )}
    </>
  );
}

/** Loads all parts, and saves them as a file. */
async function save(key: ValueProps['name'], length: number): Promise<void> {
  try {
    if (length > MAX_DOWNLOAD)
      throw new Error(t("This is too much for a file from the browser: use 'sorrel copy'."));
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for (let offset = 0; offset < length; offset += PART) {
      const { part } = await get<StringPart>('keys/page', { key, type: 'string', offset });
      parts.push(bytesOf(part) as Uint8Array<ArrayBuffer>);
    }
    download('value', await new Blob(parts).arrayBuffer());
  } catch (error) {
    tellError(error);
  }
}

interface EditorProps {
  readonly name: ValueProps['name'];
  readonly part: StringPart;
  close(): void;
  saved(): void;
}

function StringEditor({ name, part, close, saved }: EditorProps) {
  const isText = typeof part.part === 'string';
  const [text, setText] = useState(() =>
    typeof part.part === 'string' ? (jsonOf(part) ?? part.part) : [...bytesOf(part.part)].map(hex).join(' '),
  );
  const submit = async (): Promise<void> => {
    const isDone = await attempt(
      () => edit(name, 'string/set', { value: isText ? text : wireOf(fromHex(text)) }),
      t('Saved.'),
    );
    if (isDone) saved();
  };
  return (
    <Form class="editor" submit={submit}>
      <TextInput
        label={isText ? t('Value') : t('Value in hexadecimal: it is not text')}
        rows={14}
        value={text}
        set={setText}
      />
      <div class="row">
        <button type="submit" class="main">
          {t('Save')}
        </button>
        <button type="button" onClick={close}>
          {t('Cancel')}
        </button>
      </div>
    </Form>
  );
}

function fromHex(text: string): Uint8Array {
  const digits = text.replace(/\s+/g, '');
  if (!/^([0-9a-f]{2})*$/i.test(digits)) throw new Error(t('Enter pairs of hexadecimal digits.'));
  return Uint8Array.from({ length: digits.length / 2 }, (_, index) =>
    Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16),
  );
}

function Cardinality({ name }: Pick<ValueProps, 'name'>) {
  const { value } = useLoaded<{ count: number }>('keys/cardinality', { key: name });
  return (
    <div class="figures">
      <Figure name={t('Different elements, about')} value={value === undefined ? '…' : count(value.count)} />
    </div>
  );
}

/** How many bits are set. */
function Bits({ name }: Pick<ValueProps, 'name'>) {
  const { value } = useLoaded<{ set: number; first: number }>('keys/bits', { key: name });
  if (value === undefined) return null;
  return (
    <div class="figures">
      <Figure name={t('Bits set')} value={count(value.set)} />
      <Figure name={t('First bit set')} value={value.first < 0 ? t('none') : count(value.first)} />
    </div>
  );
}
