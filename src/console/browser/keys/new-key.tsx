import { useState } from 'preact/hooks';
import type { KeyBrief } from '../../types/keys.js';
import { post, type WireBytes } from '../api.js';
import { t } from '../i18n.js';
import { ChangeDialog } from '../ui/change-dialog.js';
import { TextInput } from '../ui/inputs.js';

interface Input {
  readonly name: string;
  readonly label: string;
  readonly isLong?: boolean;
}

interface Kind {
  readonly title: string;
  readonly edit: string;
  readonly inputs: readonly Input[];
  /** The body of the request, by the texts that were entered. */
  body(texts: Readonly<Record<string, string>>): object;
}

const KINDS = (): Readonly<Record<string, Kind>> => ({
  string: {
    title: t('String'),
    edit: 'string/create',
    inputs: [{ name: 'value', label: t('Value'), isLong: true }],
    body: (texts) => ({ value: texts['value'] ?? '' }),
  },
  hash: {
    title: t('Hash'),
    edit: 'hash/set',
    inputs: [
      { name: 'field', label: t('Field') },
      { name: 'value', label: t('Value'), isLong: true },
    ],
    body: (texts) => ({ field: texts['field'] ?? '', value: texts['value'] ?? '' }),
  },
  list: {
    title: t('List'),
    edit: 'list/push',
    inputs: [{ name: 'value', label: t('First element'), isLong: true }],
    body: (texts) => ({ value: texts['value'] ?? '', end: 'tail' }),
  },
  set: {
    title: t('Set'),
    edit: 'set/add',
    inputs: [{ name: 'member', label: t('First member') }],
    body: (texts) => ({ member: texts['member'] ?? '' }),
  },
  zset: {
    title: t('Sorted set'),
    edit: 'zset/set',
    inputs: [
      { name: 'member', label: t('First member') },
      { name: 'score', label: t('Score') },
    ],
    body: (texts) => ({ member: texts['member'] ?? '', score: texts['score'] ?? '0' }),
  },
  stream: {
    title: t('Stream'),
    edit: 'stream/add',
    inputs: [
      { name: 'field', label: t('Field') },
      { name: 'value', label: t('Value'), isLong: true },
    ],
    body: (texts) => ({ fields: [texts['field'] ?? '', texts['value'] ?? ''] }),
  },
  geo: {
    title: t('Places (geo)'),
    edit: 'geo/add',
    inputs: [
      { name: 'member', label: t('First member') },
      { name: 'longitude', label: t('Longitude') },
      { name: 'latitude', label: t('Latitude') },
    ],
    body: (texts) => ({ member: '', longitude: '0', latitude: '0', ...texts }),
  },
  hyperloglog: {
    title: 'HyperLogLog',
    edit: 'hyperloglog/add',
    inputs: [{ name: 'element', label: t('First element') }],
    body: (texts) => ({ element: texts['element'] ?? '' }),
  },
});

/** Creates a key with its first element. */
export function NewKeyDialog({ close, created }: { close(): void; created(name: WireBytes): void }) {
  const kinds = KINDS();
  const [name, setName] = useState('');
  const [type, setType] = useState('string');
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const kind = kinds[type] as Kind;
  const save = async (): Promise<void> => {
    const [brief] = await post<readonly KeyBrief[]>('keys/briefs', { keys: [name] });
    if (brief !== undefined && brief.type !== 'none') throw new Error(t('There is a key with this name.'));
    await post(`keys/edit/${kind.edit}`, { key: name, ...kind.body(texts) });
  };
  return (
    <ChangeDialog
      title={t('New key')}
      action={t('Create')}
      done={t('The key was created.')}
      close={close}
      save={save}
      saved={() => created(name)}
    >
      <TextInput label={t('Name')} value={name} set={setName} isRequired />
      <label>
        {t('Type')}
        <select value={type} onChange={(event) => setType(event.currentTarget.value)}>
          {Object.entries(kinds).map(([value, { title }]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {kind.inputs.map(({ name: input, label, isLong }) => (
        <TextInput
          key={input}
          label={label}
          value={texts[input] ?? ''}
          set={(text) => setTexts({ ...texts, [input]: text })}
          {...(isLong === true ? { rows: 4 } : {})}
        />
      ))}
    </ChangeDialog>
  );
}
