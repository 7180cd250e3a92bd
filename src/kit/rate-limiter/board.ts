import {
  type Action,
  type Board,
  type BoardKind,
  type BoardView,
  KitError,
  PlacedBoard,
  type Row,
  type Rows,
  serverNow,
} from '../foundation/index.js';

const ALGORITHMS: Readonly<Record<string, string>> = {
  bucket: 'token bucket',
  gcra: 'GCRA',
  count: 'fixed window',
  log: 'sliding window',
  block: 'blocked',
};

const ACTIONS: readonly Action[] = [
  {
    ...{ id: 'reset', label: 'Give all units back', target: 'board' },
    confirm: 'The name has all its units again, and is not blocked any more.',
  },
];

/** The units of one name, by limit. */
class LimitBoard extends PlacedBoard implements Board {
  async view(): Promise<BoardView> {
    const { rows } = await this.rows('limits');
    const isBlocked = rows.some(({ cells }) => cells[0] === ALGORITHMS.block);
    return {
      figures: [
        { label: 'Limits', value: rows.length, format: 'number' },
        {
          ...{ label: 'State', value: isBlocked ? 'blocked' : 'open', format: 'state' },
          tone: isBlocked ? 'bad' : 'good',
        },
      ],
      charts: [],
      tables: [
        {
          ...{ id: 'limits', title: 'Limits', total: rows.length },
          columns: [
            { title: 'Algorithm' },
            { title: 'Limit', format: 'number' },
            { title: 'Per', format: 'milliseconds' },
            { title: 'Free now', format: 'number' },
            { title: 'All free in', format: 'milliseconds' },
          ],
        },
      ],
      actions: ACTIONS,
    };
  }

  async rows(table: string): Promise<Rows> {
    if (table !== 'limits') throw new KitError('OPTION', `a limit has no table '${table}'`);
    const micros = (await serverNow(this.store)) * 1_000;
    const rows = await Promise.all(this.place.parts.map((part) => this.#row(part, micros)));
    return { rows: rows.filter((row) => row !== undefined) };
  }

  async #row(part: string, micros: number): Promise<Row | undefined> {
    const key = this.key(part);
    const [word = ''] = part.split(':', 1);
    const left = await this.store.send<number>('PTTL', key);
    if (left === -2) return undefined;
    const [, limitText, perText, burstText] = /:(\d+)\/(\d+)(?:\/(\d+))?/.exec(part) ?? [];
    const [limit, per] = [Number(limitText ?? Number.NaN), Number(perText ?? Number.NaN)];
    const free = await this.#free(word, key, {
      limit,
      burst: Number(burstText ?? limit),
      perUnit: (per * 1_000) / limit,
      micros,
    });
    const algorithm = ALGORITHMS[word] ?? word;
    return { id: part, cells: [algorithm, finite(limit), finite(per), finite(free), left < 0 ? null : left] };
  }

  async #free(word: string, key: string, at: LimitAt): Promise<number> {
    const { limit, burst, perUnit, micros } = at;
    switch (word) {
      case 'bucket': {
        const state = await this.store.send<string | null>('GET', key);
        const [tokens = burst, since = micros] = state?.split(' ').map(Number) ?? [];
        return Math.floor(Math.min(burst, tokens + Math.max(0, micros - since) / perUnit));
      }
      case 'gcra': {
        const fullAt = Number((await this.store.send('GET', key)) ?? micros);
        return Math.floor(burst - Math.max(0, fullAt - micros) / perUnit);
      }
      case 'count':
        return limit - Number((await this.store.send('GET', key)) ?? 0);
      case 'log':
        return limit - Number(await this.store.send('LLEN', key));
      default:
        return Number.NaN;
    }
  }

  async act(action: string): Promise<{ readonly message: string }> {
    if (action !== 'reset') throw new KitError('OPTION', `a limit has no action '${action}'`);
    const keys = this.place.parts.map((part) => this.key(part));
    if (keys.length > 0) await this.store.send('UNLINK', ...keys);
    return { message: 'The name has all its units again.' };
  }
}

interface LimitAt {
  readonly limit: number;
  readonly burst: number;
  /** Time in which one unit is added, in µs. */
  readonly perUnit: number;
  readonly micros: number;
}

function finite(number: number): number | null {
  return Number.isFinite(number) ? number : null;
}

/** How the console shows rate limits. */
export const boards: readonly BoardKind[] = [
  {
    ...{ kind: 'limit', title: 'Rate limits', about: 'units that a name may take', prefix: 'rate' },
    parts: { bucket: 'string', gcra: 'string', count: 'string', log: 'list', block: 'string' },
    open: (store, place) => new LimitBoard(store, place),
  },
];
