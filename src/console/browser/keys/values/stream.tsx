import { useState } from 'preact/hooks';
import type { PendingEntry, StreamEntries, StreamEntry, StreamGroup } from '../../../types/keys.js';
import type { WireBytes } from '../../api.js';
import { count, duration, t } from '../../i18n.js';
import { Bytes, shown } from '../../ui/bytes.js';
import { EditDialog } from '../../ui/change-dialog.js';
import { actionsColumn, RemoveButton, RowButton } from '../../ui/columns.js';
import { CheckInput } from '../../ui/inputs.js';
import { type Column, Failure, Table } from '../../ui/layout.js';
import { attempt } from '../../ui/notices.js';
import { Tabs } from '../../ui/tabs.js';
import { useLoaded } from '../../ui/use.js';
import type { ValueProps } from '../key-view.js';
import { edit, removeElement } from './edit.js';
import { Element } from './element.js';
import { Pager, usePaged } from './paging.js';

type View = 'entries' | 'groups';

/** A stream: its entries, its groups with the entries that consumers have not confirmed. */
export function StreamView(props: ValueProps) {
  const [view, setView] = useState<View>('entries');
  return (
    <>
      <Tabs
        label={t('View')}
        tabs={[
          ['entries', t('Entries')],
          ['groups', t('Groups')],
        ]}
        selected={view}
        select={setView}
      />
      {view === 'entries' ? <Entries {...props} /> : <Groups {...props} />}
    </>
  );
}

/** The time in the ID of an entry, in UTC. IDs that a program chose need not have one. */
function timeIn(id: string): string {
  const time = new Date(Number(id.split('-')[0]));
  return Number.isNaN(time.getTime()) ? '–' : time.toISOString().replace('T', ' ').slice(0, 19);
}

function Entries({ name, isReadOnly, changed }: ValueProps) {
  const [descending, setDescending] = useState(true);
  const paged = usePaged<StreamEntries>({ key: name, type: 'stream', descending }, 'cursor');
  const [isAdding, setAdding] = useState(false);
  const refresh = (): void => {
    paged.reload();
    changed();
  };
  const columns: Column<StreamEntry>[] = [
    { title: 'ID', cell: ({ id }) => <code>{id}</code> },
    {
      title: t('Time'),
      cell: ({ id }) => <span class="nowrap">{timeIn(id)}</span>,
    },
    {
      title: t('Fields'),
      cell: ({ id, fields }) => (
        <dl class="fields">
          {fields.map(({ field, value }, index) => (
            <div key={`${index} ${shown(field.value)}`}>
              <dt>
                <Element element={field} />
              </dt>
              <dd>
                <Element element={value} part={{ key: name, type: 'stream', id, index }} />
              </dd>
            </div>
          ))}
        </dl>
      ),
    },
    ...actionsColumn<StreamEntry>(isReadOnly, ({ id }) => (
      <RemoveButton name={id} run={() => removeElement(name, 'stream/remove', { id }, refresh)} />
    )),
  ];
  return (
    <>
      <div class="row">
        <CheckInput label={t('Newest first')} value={descending} set={setDescending} />
        {!isReadOnly && (
          <button type="button" onClick={() => setAdding(true)}>
            {t('Add an entry')}
          </button>
        )}
      </div>
      <Table
        label={t('Entries')}
        columns={columns}
        rows={paged.page?.entries ?? []}
        rowKey={({ id }) => id}
      />
      <Pager paged={paged} cursor={paged.page?.cursor ?? null} />
      {isAdding && (
        <EditDialog
          title={t('Add an entry')}
          inputs={[
            { name: 'field', label: t('Field'), value: '' },
            { name: 'value', label: t('Value'), value: '', isLong: true },
          ]}
          close={() => setAdding(false)}
          save={(values) =>
            edit(name, 'stream/add', { fields: [values['field'] ?? '', values['value'] ?? ''] })
          }
          saved={refresh}
        />
      )}
    </>
  );
}

function Groups({ name, isReadOnly }: ValueProps) {
  const groups = useLoaded<readonly StreamGroup[]>('keys/groups', { key: name });
  const [shownGroup, setShownGroup] = useState<WireBytes>();
  const [isAdding, setAdding] = useState(false);
  const columns: Column<StreamGroup>[] = [
    { title: t('Group'), cell: ({ name: group }) => <Bytes value={group} /> },
    { title: t('Consumers'), isNumber: true, cell: ({ consumers }) => count(consumers) },
    {
      title: t('Pending'),
      isNumber: true,
      cell: ({ name: group, pending }) => (
        <RowButton
          text={count(pending)}
          label={t('{count} pending entries of {name}', { count: count(pending), name: shown(group, 40) })}
          run={() => setShownGroup(group)}
        />
      ),
    },
    { title: t('Unread'), isNumber: true, cell: ({ lag }) => (lag === null ? '–' : count(lag)) },
    { title: t('Last delivered'), cell: ({ lastDelivered }) => <code>{lastDelivered}</code> },
    ...actionsColumn<StreamGroup>(isReadOnly, ({ name: group }) => (
      <RemoveButton
        name={shown(group, 40)}
        run={() => removeElement(name, 'stream/remove-group', { group }, groups.reload)}
      />
    )),
  ];
  return (
    <>
      <Failure error={groups.failure} />
      <Table
        label={t('Groups')}
        columns={columns}
        rows={groups.value ?? []}
        rowKey={(group) => shown(group.name)}
      />
      {!isReadOnly && (
        <div>
          <button type="button" onClick={() => setAdding(true)}>
            {t('Add a group')}
          </button>
        </div>
      )}
      {shownGroup !== undefined && <Pending name={name} group={shownGroup} isReadOnly={isReadOnly} />}
      {isAdding && (
        <EditDialog
          title={t('Add a group')}
          inputs={[
            { name: 'group', label: t('Name'), value: '' },
            { name: 'from', label: t('Reads entries after this ID ($: only new ones, 0: all)'), value: '$' },
          ]}
          close={() => setAdding(false)}
          save={(values) => edit(name, 'stream/create-group', values)}
          saved={groups.reload}
        />
      )}
    </>
  );
}

function Pending({
  name,
  group,
  isReadOnly,
}: {
  readonly name: WireBytes;
  readonly group: WireBytes;
  readonly isReadOnly: boolean;
}) {
  const { value, failure, reload } = useLoaded<readonly PendingEntry[]>('keys/pending', { key: name, group });
  const columns: Column<PendingEntry>[] = [
    { title: 'ID', cell: ({ id }) => <code>{id}</code> },
    { title: t('Consumer'), cell: ({ consumer }) => <Bytes value={consumer} /> },
    { title: t('Idle'), cell: ({ idle }) => duration(idle) },
    { title: t('Deliveries'), isNumber: true, cell: ({ deliveries }) => count(deliveries) },
    ...actionsColumn<PendingEntry>(isReadOnly, ({ id }) => (
      <RowButton
        text={t('Confirm')}
        label={t('Confirm {name}', { name: id })}
        run={() => attempt(() => edit(name, 'stream/ack', { group, id }), t('Confirmed.')).then(reload)}
      />
    )),
  ];
  return (
    <>
      <h3>{t('Pending entries of {name}', { name: shown(group, 60) })}</h3>
      <Failure error={failure} retry={reload} />
      <Table
        label={t('Pending entries of {name}', { name: shown(group, 60) })}
        columns={columns}
        rows={value ?? []}
        rowKey={({ id }) => id}
      />
    </>
  );
}
