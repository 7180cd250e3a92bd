import { useState } from 'preact/hooks';
import type { KeyFacts, KeyType } from '../../types/keys.js';
import { post, type WireBytes } from '../api.js';
import { bytesSize, count, duration, t } from '../i18n.js';
import { Bytes, shown } from '../ui/bytes.js';
import { ChangeDialog } from '../ui/change-dialog.js';
import { attemptIfSure } from '../ui/confirm.js';
import { CheckInput, TextInput } from '../ui/inputs.js';
import { Failure, Figure } from '../ui/layout.js';
import { useLoaded } from '../ui/use.js';
import { exportKeys } from './transfer.js';
import { HashView } from './values/hash.js';
import { ListView } from './values/list.js';
import { SetView } from './values/set.js';
import { SortedSetView } from './values/sorted-set.js';
import { StreamView } from './values/stream.js';
import { StringView } from './values/string.js';

/** What every view of a value is given. */
export interface ValueProps {
  readonly name: WireBytes;
  readonly facts: KeyFacts;
  readonly isReadOnly: boolean;
  /** Loads the facts again, after a change. */
  changed(): void;
}

const VIEWS: Readonly<Record<KeyType, (props: ValueProps) => preact.JSX.Element>> = {
  string: StringView,
  hash: HashView,
  list: ListView,
  set: SetView,
  zset: SortedSetView,
  stream: StreamView,
};

interface KeyViewProps {
  readonly name: WireBytes;
  readonly isReadOnly: boolean;
  gone(): void;
  renamed(to: WireBytes): void;
}

/** One key: what it is, its actions, and its value. */
export function KeyView({ name, isReadOnly, gone, renamed }: KeyViewProps) {
  const facts = useLoaded<KeyFacts>('keys/facts', { key: name });
  const [dialog, setDialog] = useState<'rename' | 'expire'>();
  const { value } = facts;
  const remove = async (): Promise<void> => {
    const isRemoved = await attemptIfSure({
      title: t('Delete this key?'),
      text: t('The key {name} and its value will be deleted.', { name: shown(name, 100) }),
      action: t('Delete'),
      work: () => post('keys/delete', { keys: [name] }),
      done: t('The key was deleted.'),
    });
    if (isRemoved) gone();
  };
  if (value === undefined) return <Failure error={facts.failure} retry={facts.reload} />;
  const View = VIEWS[value.type as KeyType] as (typeof VIEWS)[KeyType] | undefined;
  return (
    <article class="panel key-view">
      <div class="panel-head">
        <h2 class="key-name">
          <Bytes value={name} />
        </h2>
        <div class="actions">
          <button type="button" onClick={facts.reload}>
            {t('Reload')}
          </button>
          {value.type !== 'none' && (
            <button type="button" onClick={() => void exportKeys([name])}>
              {t('Export')}
            </button>
          )}
          {!isReadOnly && value.type !== 'none' && (
            <>
              <button type="button" onClick={() => setDialog('expire')}>
                {t('Time to live')}
              </button>
              <button type="button" onClick={() => setDialog('rename')}>
                {t('Rename')}
              </button>
              <button type="button" class="danger" onClick={() => void remove()}>
                {t('Delete')}
              </button>
            </>
          )}
        </div>
      </div>
      <Failure error={facts.failure} />
      {value.type === 'none' ? (
        <p class="empty">{t('This key does not exist, or no longer.')}</p>
      ) : (
        <>
          <Facts facts={value} />
          {View === undefined ? (
            <p class="empty">
              {t('Values of the type {type} belong to a module and are not shown.', { type: value.type })}
            </p>
          ) : (
            <View name={name} facts={value} isReadOnly={isReadOnly} changed={facts.reload} />
          )}
        </>
      )}
      {dialog === 'rename' && (
        <RenameDialog name={name} close={() => setDialog(undefined)} renamed={renamed} />
      )}
      {dialog === 'expire' && (
        <ExpireDialog name={name} ttl={value.ttl} close={() => setDialog(undefined)} changed={facts.reload} />
      )}
    </article>
  );
}

function Facts({ facts }: { readonly facts: KeyFacts }) {
  const { type, encoding, ttl, length, memory, idle, frequency, slot, isHyperLogLog } = facts;
  return (
    <div class="figures">
      <Figure name={t('Type')} value={isHyperLogLog ? 'HyperLogLog' : type} />
      <Figure name={t('Encoding')} value={encoding || '–'} />
      <Figure name={t('Time to live')} value={ttl === null ? t('none') : duration(ttl)} />
      <Figure
        name={type === 'string' ? t('Length') : t('Elements')}
        value={type === 'string' ? bytesSize(length) : count(length)}
      />
      {memory !== null && (
        <Figure
          name={t('Memory')}
          value={bytesSize(memory)}
          hint={t('Estimated by the server from a few elements.')}
        />
      )}
      {idle !== null && (
        <Figure
          name={t('Last used')}
          value={t('{time} ago', { time: duration(Math.max(idle * 1000, 1000)) })}
        />
      )}
      {frequency !== null && <Figure name={t('Frequency')} value={count(frequency)} />}
      {slot !== undefined && <Figure name={t('Slot')} value={String(slot)} />}
    </div>
  );
}

function RenameDialog({
  name,
  close,
  renamed,
}: {
  readonly name: WireBytes;
  close(): void;
  renamed(to: WireBytes): void;
}) {
  const [to, setTo] = useState(typeof name === 'string' ? name : '');
  const [replace, setReplace] = useState(false);
  return (
    <ChangeDialog
      title={t('Rename the key')}
      action={t('Rename')}
      done={t('The key was renamed.')}
      close={close}
      save={() => post('keys/rename', { key: name, to, replace })}
      saved={() => renamed(to)}
    >
      <TextInput label={t('New name')} value={to} set={setTo} isRequired />
      <CheckInput label={t('Replace a key that has this name')} value={replace} set={setReplace} />
    </ChangeDialog>
  );
}

interface ExpireProps {
  readonly name: WireBytes;
  readonly ttl: number | null;
  close(): void;
  changed(): void;
}

function ExpireDialog({ name, ttl, close, changed }: ExpireProps) {
  const [expires, setExpires] = useState(ttl !== null);
  const [seconds, setSeconds] = useState(String(Math.ceil((ttl ?? 3_600_000) / 1000)));
  const save = (): Promise<unknown> =>
    post('keys/expire', expires ? { key: name, ttl: Math.round(Number(seconds) * 1000) } : { key: name });
  return (
    <ChangeDialog
      title={t('Time to live')}
      action={t('Save')}
      done={t('The time to live was changed.')}
      close={close}
      save={save}
      saved={changed}
    >
      <CheckInput label={t('The key expires')} value={expires} set={setExpires} />
      {expires && (
        <label>
          {t('In seconds')}
          <input
            type="number"
            min="0.001"
            step="any"
            required
            value={seconds}
            onInput={(event) => setSeconds(event.currentTarget.value)}
          />
        </label>
      )}
    </ChangeDialog>
  );
}
