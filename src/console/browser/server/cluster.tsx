import { useRef, useState } from 'preact/hooks';
import type { ClusterNode, ClusterState } from '../../types/server.js';
import { count, t } from '../i18n.js';
import { type Column, Failure, Figure, PageHead, Panel, Table } from '../ui/layout.js';
import { useStream } from '../ui/use.js';

const SLOTS = 16_384;
const WIDTH = 1024;
const HEIGHT = 46;

interface Happening {
  readonly id: number;
  readonly at: number;
  readonly text: string;
}

let nextId = 1;

/** Which node has which slots, and what changes while it happens. */
export default function Cluster() {
  const [state, setState] = useState<ClusterState>();
  const [trouble, setTrouble] = useState<string>();
  const [happenings, setHappenings] = useState<readonly Happening[]>([]);
  const before = useRef<ClusterState | undefined>(undefined);
  const failure = useStream(
    'server/cluster',
    {},
    {
      cluster: (next: ClusterState) => {
        const texts = before.current === undefined ? [] : differences(before.current, next);
        before.current = next;
        setState(next);
        setTrouble(undefined);
        if (texts.length > 0) {
          setHappenings((all) =>
            [...texts.map((text) => ({ id: nextId++, at: Date.now(), text })), ...all].slice(0, 100),
          );
        }
      },
      trouble: ({ message }: { message: string }) => setTrouble(message),
    },
  );
  return (
    <>
      <PageHead title={t('Cluster')} />
      <Failure error={failure ?? (trouble === undefined ? undefined : new Error(trouble))} />
      {state !== undefined && (
        <>
          <div class="panel">
            <div class="figures">
              <Figure name={t('State')} value={state.state} />
              <Figure name={t('Slots served')} value={`${count(state.slotsOk)} / ${count(SLOTS)}`} />
              <Figure name={t('Nodes')} value={count(state.nodes.length)} />
              <Figure name={t('Epoch')} value={count(state.epoch)} />
            </div>
          </div>
          <Panel title={t('Slots')}>
            <Slots nodes={state.nodes} />
          </Panel>
          <Panel title={t('Nodes')}>
            <Table
              label={t('Nodes')}
              columns={COLUMNS(state.nodes)}
              rows={ordered(state.nodes)}
              rowKey={({ id }) => id}
            />
          </Panel>
          <Panel title={t('Changes')}>
            <Table
              label={t('Changes')}
              columns={[
                { title: t('Time'), cell: ({ at }) => new Date(at).toLocaleTimeString('en-GB') },
                { title: t('What'), cell: ({ text }) => text },
              ]}
              rows={happenings}
              rowKey={({ id }) => id}
              empty={t('Nothing has changed since this page was opened.')}
            />
          </Panel>
        </>
      )}
    </>
  );
}

const masters = (nodes: readonly ClusterNode[]): readonly ClusterNode[] =>
  nodes.filter(({ role }) => role === 'master');

const firstSlot = ({ slots }: ClusterNode): number => Math.min(SLOTS, ...slots.map(({ from }) => from));

/** Each master, in the order of slots, then its replicas. */
function ordered(nodes: readonly ClusterNode[]): readonly ClusterNode[] {
  const byName = [...nodes].sort((one, other) => (one.name < other.name ? -1 : 1));
  const bySlot = [...masters(byName)].sort((one, other) => firstSlot(one) - firstSlot(other));
  return bySlot.flatMap((master) => [master, ...byName.filter(({ masterId }) => masterId === master.id)]);
}

function colourOf(nodes: readonly ClusterNode[], id: string): string {
  const ids = masters(nodes)
    .map((master) => master.id)
    .sort();
  return `t${Math.max(0, ids.indexOf(id)) % 6}`;
}

function Slots({ nodes }: { readonly nodes: readonly ClusterNode[] }) {
  return (
    <svg
      class="slots"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={t('The slots from 0 to 16383 by node; the table has the same.')}
    >
      <rect class="free" width={WIDTH} height={HEIGHT - 14} rx={4} />
      {masters(nodes).flatMap((node) =>
        node.slots.map(({ from, to }) => (
          <rect
            key={`${node.id} ${from}`}
            class={`tile ${colourOf(nodes, node.id)}`}
            x={(from / SLOTS) * WIDTH}
            width={((to - from + 1) / SLOTS) * WIDTH}
            height={HEIGHT - 14}
          >
            <title>{`${node.name}: ${from}–${to}`}</title>
          </rect>
        )),
      )}
      {[0, 4096, 8192, 12_288].map((slot) => (
        <text key={slot} x={(slot / SLOTS) * WIDTH + 2} y={HEIGHT - 2}>
          {slot}
        </text>
      ))}
    </svg>
  );
}

const COLUMNS = (nodes: readonly ClusterNode[]): readonly Column<ClusterNode>[] => [
  {
    title: t('Node'),
    cell: ({ name, id, role }) => (
      <>
        {role === 'master' ? (
          <i class={`swatch ${colourOf(nodes, id)}`} aria-hidden="true" />
        ) : (
          <span class="dim">└ </span>
        )}
        <code>{name}</code>
      </>
    ),
  },
  { title: t('Role'), cell: ({ role }) => t(role) },
  { title: t('State'), cell: ({ flags, link }) => <NodeState flags={flags} link={link} /> },
  {
    title: t('Slots'),
    cell: ({ slots }) =>
      slots
        .slice(0, 6)
        .map(({ from, to }) => (from === to ? `${from}` : `${from}–${to}`))
        .join(', ') + (slots.length > 6 ? ' …' : ''),
  },
  {
    title: t('Number of slots'),
    isNumber: true,
    cell: ({ slots, role }) =>
      role === 'master' ? count(slots.reduce((sum, { from, to }) => sum + to - from + 1, 0)) : '',
  },
  { title: t('Keys'), isNumber: true, cell: ({ keys }) => (keys === null ? '' : count(keys)) },
];

function NodeState({ flags, link }: { readonly flags: readonly string[]; readonly link: string }) {
  const failed = flags.find((flag) => flag.startsWith('fail'));
  if (failed !== undefined) return <span class="badge bad">{failed}</span>;
  return <span class={link === 'connected' ? 'badge good' : 'badge warn'}>{link}</span>;
}

/** What happened between two pictures of the Cluster. */
function differences(before: ClusterState, now: ClusterState): string[] {
  const texts: string[] = [];
  if (before.state !== now.state) texts.push(t('The state of the Cluster is {state}.', { state: now.state }));
  const old = new Map(before.nodes.map((node) => [node.id, node]));
  for (const node of now.nodes) {
    const was = old.get(node.id);
    if (was === undefined) texts.push(t('{name} has joined.', { name: node.name }));
    else {
      if (was.role !== node.role)
        texts.push(t('{name} is a {role} now.', { name: node.name, role: t(node.role) }));
      const [failed, hadFailed] = [node, was].map(({ flags }) =>
        flags.find((flag) => flag.startsWith('fail')),
      );
      if (failed !== hadFailed)
        texts.push(
          failed === undefined
            ? t('{name} is back.', { name: node.name })
            : t('{name} is marked as {flag}.', { name: node.name, flag: failed }),
        );
      const [slots, hadSlots] = [node, was].map((one) =>
        one.slots.reduce((sum, { from, to }) => sum + to - from + 1, 0),
      ) as [number, number];
      if (slots !== hadSlots)
        texts.push(
          t('{name} has {count} slots now, {before} before.', {
            name: node.name,
            count: count(slots),
            before: count(hadSlots),
          }),
        );
    }
    old.delete(node.id);
  }
  for (const { name } of old.values()) texts.push(t('{name} has left.', { name }));
  return texts;
}
