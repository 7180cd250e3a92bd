import { useState } from 'preact/hooks';
import type { StringPart } from '../../../types/keys.js';
import type { WireBytes } from '../../api.js';
import { count, t } from '../../i18n.js';
import { bytesOf, hex, shown } from '../../ui/bytes.js';
import { Tabs } from '../../ui/tabs.js';

export type Form = 'text' | 'json' | 'hex' | 'bits';
const PART = 64 * 1024;
/** A string may be shown byte by byte up to this length; more rows would only slow the browser. */
const MAX_ROWS = 256;

interface BytesViewProps {
  readonly part: StringPart;
  /** Loads the part that begins at this byte. */
  load(offset: number): void;
}

/** Bytes as text, JSON, hexadecimal or bits; long ones part by part. */
export function BytesView({ part, load }: BytesViewProps) {
  const json = part.offset === 0 ? jsonOf(part) : undefined;
  const [form, setForm] = useState<Form>(
    json === undefined ? (isReadable(part.part) ? 'text' : 'hex') : 'json',
  );
  const forms: readonly (readonly [Form, string])[] = [
    ['text', t('Text')],
    ...(json === undefined ? [] : ([['json', 'JSON']] as const)),
    ['hex', t('Hex')],
    ['bits', t('Bits')],
  ];
  return (
    <>
      <Tabs label={t('Form')} tabs={forms} selected={form} select={setForm} />
      <Shown part={part} form={form} json={json} />
      {part.length > PART && <Pager part={part} load={load} />}
    </>
  );
}

function Shown({
  part,
  form,
  json,
}: {
  readonly part: StringPart;
  readonly form: Form;
  readonly json: string | undefined;
}) {
  switch (form) {
    case 'json':
      return <pre class="value">{json ?? ''}</pre>;
    case 'hex':
      return <pre class="value">{hexRows(bytesOf(part.part), part.offset)}</pre>;
    case 'bits':
      return <pre class="value">{bitRows(bytesOf(part.part), part.offset)}</pre>;
    default:
      return <pre class="value">{typeof part.part === 'string' ? part.part : shown(part.part, PART)}</pre>;
  }
}

function Pager({ part, load }: BytesViewProps) {
  const { offset, length } = part;
  const end = Math.min(length, offset + PART);
  return (
    <div class="row pager">
      <span>
        {t('Bytes {from} to {to} of {length}', {
          from: count(offset),
          to: count(end),
          length: count(length),
        })}
      </span>
      <button type="button" disabled={offset === 0} onClick={() => load(Math.max(0, offset - PART))}>
        {t('Previous')}
      </button>
      <button type="button" disabled={end >= length} onClick={() => load(end)}>
        {t('Next')}
      </button>
    </div>
  );
}

/** Whether it is text without control characters, which would be shown as empty boxes. */
const isReadable = (part: WireBytes): boolean =>
  typeof part === 'string' && !/[\x00-\x08\x0e-\x1f\x7f]/.test(part);

/** Indented JSON if the part is the whole value and an object or array. */
export function jsonOf({ part, length }: StringPart): string | undefined {
  if (typeof part !== 'string' || length > PART || !/^\s*[[{]/.test(part)) return undefined;
  try {
    return JSON.stringify(JSON.parse(part), null, 2);
  } catch {
    return undefined;
  }
}

function hexRows(bytes: Uint8Array, offset: number): string {
  const rows: string[] = [];
  for (let at = 0; at < bytes.length && rows.length < MAX_ROWS; at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    const text = row.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.')).join('');
    rows.push(
      `${(offset + at).toString(16).padStart(8, '0')}  ${row.map(hex).join(' ').padEnd(47)}  ${text}`,
    );
  }
  return ended(rows, bytes.length > MAX_ROWS * 16);
}

function bitRows(bytes: Uint8Array, offset: number): string {
  const rows: string[] = [];
  for (let at = 0; at < bytes.length && rows.length < MAX_ROWS; at += 8) {
    const row = [...bytes.subarray(at, at + 8)].map((byte) => byte.toString(2).padStart(8, '0'));
    rows.push(`${String((offset + at) * 8).padStart(10)}  ${row.join(' ')}`);
  }
  return ended(rows, bytes.length > MAX_ROWS * 8);
}

const ended = (rows: readonly string[], isCut: boolean): string => rows.join('\n') + (isCut ? '\n…' : '');
