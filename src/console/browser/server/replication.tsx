import { useState } from 'preact/hooks';
import type { ReplicationNode } from '../../types/server.js';
import { bytesSize, count, t } from '../i18n.js';
import { Empty, Failure, PageHead, Panel, Table } from '../ui/layout.js';
import { useStream } from '../ui/use.js';

const BOX = { width: 190, height: 62, gapX: 24, gapY: 70 };

/** Masters and their replicas, drawn, with how far behind each is. */
export default function Replication() {
  const [nodes, setNodes] = useState<readonly ReplicationNode[]>();
  const [trouble, setTrouble] = useState<string>();
  const failure = useStream(
    'server/replication',
    {},
    {
      nodes: (next: readonly ReplicationNode[]) => {
        setNodes(next);
        setTrouble(undefined);
      },
      trouble: ({ message }: { message: string }) => setTrouble(message),
    },
  );
  return (
    <>
      <PageHead title={t('Replication')} />
      <Failure error={failure ?? (trouble === undefined ? undefined : new Error(trouble))} />
      {nodes !== undefined && (
        <>
          <Panel title={t('Graph')}>
            <Graph nodes={nodes} />
          </Panel>
          <Panel title={t('Servers')}>
            <Table
              label={t('Servers')}
              columns={[
                { title: t('Server'), cell: ({ name }) => <code>{name}</code> },
                { title: t('Role'), cell: ({ role }) => t(role) },
                { title: t('Master'), cell: ({ master }) => <code>{master ?? ''}</code> },
                { title: t('State'), cell: ({ state }) => state },
                { title: t('Offset'), isNumber: true, cell: ({ offset }) => count(offset) },
                {
                  title: t('Behind'),
                  isNumber: true,
                  cell: ({ role, behind }) => (role === 'replica' ? bytesSize(behind) : ''),
                },
                {
                  title: t('Last heard of'),
                  isNumber: true,
                  cell: ({ role, lagSeconds }) => (role === 'replica' ? `${lagSeconds} s` : ''),
                },
              ]}
              rows={nodes}
              rowKey={({ name, role }) => `${role} ${name}`}
            />
          </Panel>
          {nodes.every(({ role }) => role === 'master') && <Empty>{t('No server has replicas.')}</Empty>}
        </>
      )}
    </>
  );
}

function Graph({ nodes }: { readonly nodes: readonly ReplicationNode[] }) {
  const masters = nodes.filter(({ role }) => role === 'master');
  let column = 0;
  const placed = masters.map((master) => {
    const replicas = nodes.filter(({ role, master: name }) => role === 'replica' && name === master.name);
    const from = column;
    column += Math.max(1, replicas.length);
    return { master, replicas, at: from + (Math.max(1, replicas.length) - 1) / 2, from };
  });
  const x = (place: number): number => place * (BOX.width + BOX.gapX);
  const width = Math.max(1, column) * (BOX.width + BOX.gapX);
  const hasReplicas = placed.some(({ replicas }) => replicas.length > 0);
  const height = hasReplicas ? 2 * BOX.height + BOX.gapY + 4 : BOX.height + 4;
  return (
    <svg
      class="graph"
      viewBox={`-2 -2 ${width} ${height}`}
      style={{ maxWidth: `${width}px` }}
      role="img"
      aria-label={t('Masters above, their replicas below; the table has the same.')}
    >
      {placed.map(({ master, replicas, at, from }) => (
        <g key={master.name}>
          {replicas.map((replica, index) => (
            <g key={replica.name}>
              <path
                class={isHealthy(replica) ? 'edge' : 'edge bad'}
                d={`M ${x(at) + BOX.width / 2} ${BOX.height} C ${x(at) + BOX.width / 2} ${BOX.height + 40}, ${x(from + index) + BOX.width / 2} ${BOX.height + 30}, ${x(from + index) + BOX.width / 2} ${BOX.height + BOX.gapY}`}
              />
              <Box node={replica} x={x(from + index)} y={BOX.height + BOX.gapY} />
            </g>
          ))}
          <Box node={master} x={x(at)} y={0} />
        </g>
      ))}
    </svg>
  );
}

const isHealthy = ({ state, lagSeconds }: ReplicationNode): boolean =>
  (state === 'online' || state === 'up') && lagSeconds < 10;

function Box({ node, x, y }: { readonly node: ReplicationNode; readonly x: number; readonly y: number }) {
  const detail =
    node.role === 'master'
      ? `${t('Offset')} ${count(node.offset)}`
      : `${node.state} · ${t('{size} behind', { size: bytesSize(node.behind) })}`;
  return (
    <g transform={`translate(${x} ${y})`} class={`box ${node.role}${isHealthy(node) ? '' : ' bad'}`}>
      <rect width={BOX.width} height={BOX.height} rx={8} />
      <text x={12} y={20} class="small">
        {t(node.role)}
      </text>
      <text x={12} y={37}>
        {node.name}
      </text>
      <text x={12} y={53} class="small">
        {detail}
      </text>
    </g>
  );
}
