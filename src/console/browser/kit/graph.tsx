import type { Graph } from '../../types/boards.js';
import { t } from '../i18n.js';
import { toneOf } from './values.js';

const WIDTH = 170;
const HEIGHT = 44;
const GAP_X = 50;
const GAP_Y = 14;
const MAX_LABEL = 22;

interface Placed {
  readonly id: string;
  readonly label: string;
  readonly state: string;
  readonly x: number;
  readonly y: number;
}

/** Places nodes in columns: what nothing waits for is at the right, and each is left of all that wait for it. */
function placed({ nodes, edges }: Graph): ReadonlyMap<string, Placed> {
  const depth = new Map(nodes.map(({ id }) => [id, 0]));
  // Each round moves what is too far right; there are no circles, and as many rounds as nodes are enough.
  for (let round = 0; round < nodes.length; round++) {
    for (const { from, to } of edges) {
      const next = (depth.get(to) ?? 0) + 1;
      if ((depth.get(from) ?? 0) < next) depth.set(from, next);
    }
  }
  const last = Math.max(...depth.values());
  const used = new Map<number, number>();
  return new Map(
    nodes.map(({ id, label, state }) => {
      const column = last - (depth.get(id) ?? 0);
      const row = used.get(column) ?? 0;
      used.set(column, row + 1);
      return [id, { id, label, state, x: column * (WIDTH + GAP_X), y: row * (HEIGHT + GAP_Y) }];
    }),
  );
}

const cut = (text: string): string => (text.length > MAX_LABEL ? `${text.slice(0, MAX_LABEL - 1)}…` : text);

/** Boxes and arrows. Each box is a link, so that it can be reached by keyboard. */
export function GraphView({ graph, hrefOf }: { readonly graph: Graph; hrefOf(id: string): string }) {
  const places = placed(graph);
  const boxes = [...places.values()];
  const width = Math.max(...boxes.map(({ x }) => x)) + WIDTH;
  const height = Math.max(...boxes.map(({ y }) => y)) + HEIGHT;
  return (
    <div class="graph">
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing cannot be a fieldset */}
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="group"
        aria-label={t('Flow')}
      >
        {graph.edges.map(({ from, to, label }) => {
          const [start, end] = [places.get(from), places.get(to)];
          if (start === undefined || end === undefined) return null;
          const [x1, y1, x2, y2] = [start.x + WIDTH, start.y + HEIGHT / 2, end.x, end.y + HEIGHT / 2];
          const bend = (x1 + x2) / 2;
          return (
            <g key={`${from} ${to}`}>
              <path class="edge" d={`M${x1} ${y1} C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`} />
              {label !== undefined && (
                <text class="edge-label" x={bend} y={(y1 + y2) / 2 - 4} text-anchor="middle">
                  {cut(label)}
                </text>
              )}
            </g>
          );
        })}
        {boxes.map(({ id, label, state, x, y }) => (
          <a key={id} href={hrefOf(id)}>
            <rect
              class={`node ${toneOf(state)}`}
              x={x + 1}
              y={y + 1}
              width={WIDTH - 2}
              height={HEIGHT - 2}
              rx={6}
            />
            <text x={x + 10} y={y + 19}>
              {cut(label)}
            </text>
            <text class="node-state" x={x + 10} y={y + 35}>
              {t(state)}
            </text>
          </a>
        ))}
      </svg>
    </div>
  );
}
