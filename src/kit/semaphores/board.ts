import type { Store } from '../../store/index.js';
import { waiterRows } from '../foundation/boards/waiter-rows.js';
import {
  type Action,
  type ActionRequest,
  type ActionResult,
  type Board,
  type BoardKind,
  type BoardPlace,
  type BoardView,
  EvictionGuard,
  KitError,
  keyAt,
  nextOffset,
  offsetOf,
  type Row,
  type Rows,
  type RowsRequest,
  serverNow,
} from '../foundation/index.js';
import { permitSteps, SEMAPHORE_PARTS, type SemaphoreKeys } from './permit-scripts.js';

const ACTIONS: readonly Action[] = [
  {
    ...{ id: 'limit', label: 'Set the limit', target: 'board' },
    inputs: [
      { name: 'limit', label: 'Permits (empty: as the programs say)', format: 'number', isOptional: true },
    ],
  },
  {
    ...{ id: 'release', label: 'Take it away', target: 'row', isDangerous: true },
    confirm: 'The holder loses this permit at once. Its work is not stopped by this.',
  },
];

/**
 * The limit that programs pass is not in the store. Scripts that serve waiters get 0: they then serve only by a limit that is in the
 * store, and others find the free permit by themselves, within five seconds.
 */
const UNKNOWN_LIMIT = 0;

class SemaphoreBoard implements Board {
  readonly #store: Store;
  readonly #keys: SemaphoreKeys;

  constructor(store: Store, place: BoardPlace) {
    this.#store = store;
    const keys = SEMAPHORE_PARTS.map((part) => [part, keyAt(place, part)]);
    this.#keys = Object.fromEntries(keys) as unknown as SemaphoreKeys;
  }

  async view(): Promise<BoardView> {
    const { held, waiting, limit } = await this.#steps().status(this.#keys);
    const isKnown = (await this.#store.send('EXISTS', this.#keys.limit)) === 1;
    return {
      figures: [
        { label: 'Permits held', value: held, format: 'number' },
        { label: 'Limit', value: isKnown ? limit : 'as the programs say' },
        { label: 'Waiters', value: waiting, format: 'number', tone: waiting > 0 ? 'warning' : 'plain' },
      ],
      charts: [],
      tables: [
        {
          ...{ id: 'permits', title: 'Permits', total: held },
          columns: [
            { title: 'Acquisition' },
            { title: 'Number', format: 'number' },
            { title: 'Lease ends', format: 'time' },
          ],
        },
        {
          ...{ id: 'waiters', title: 'Waiters', total: waiting },
          columns: [{ title: 'Waiter' }, { title: 'Alive until', format: 'time' }, { title: 'Request' }],
        },
      ],
      actions: ACTIONS,
    };
  }

  async rows(table: string, request: RowsRequest): Promise<Rows> {
    const { permits, queue, waiters } = this.#keys;
    if (table === 'waiters') return waiterRows(this.#store, { queue, waiters }, request);
    if (table !== 'permits') throw new KitError('OPTION', `a semaphore has no table '${table}'`);
    const offset = offsetOf(request.cursor);
    const now = await serverNow(this.#store);
    const range = ['BYSCORE', 'LIMIT', offset, request.limit, 'WITHSCORES'] as const;
    const found = await this.#store.send<string[]>('ZRANGE', permits, `(${now}`, '+inf', ...range);
    const rows: Row[] = [];
    for (let i = 0; i < found.length; i += 2) {
      const [id = '', number = ''] = (found[i] ?? '').split(' ');
      rows.push({
        ...{ id: found[i] ?? '', actions: ['release'] },
        cells: [id, Number(number), Number(found[i + 1])],
      });
    }
    return { rows, ...nextOffset(offset, rows.length, request.limit) };
  }

  async act(action: string, { id = '', inputs }: ActionRequest): Promise<ActionResult> {
    const { permits } = this.#keys;
    if (action === 'release') {
      const isGone = (await this.#store.send('ZREM', permits, id)) === 1;
      return { message: isGone ? 'The permit is taken away.' : 'It does not hold the permit any more.' };
    }
    if (action !== 'limit') throw new KitError('OPTION', `a semaphore has no action '${action}'`);
    const text = (inputs.limit ?? '').trim();
    const limit = text === '' ? undefined : Number(text);
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 0)) {
      throw new KitError('OPTION', 'the limit must be a whole number from 0');
    }
    await this.#steps().setLimit(this.#keys, limit);
    return { message: limit === undefined ? 'The programs say the limit.' : `The limit is ${limit}.` };
  }

  #steps() {
    const guard = new EvictionGuard(this.#store, 'semaphores', {
      requireNoEviction: false,
      onWarning: () => {},
    });
    return permitSteps(this.#store, UNKNOWN_LIMIT, guard);
  }
}

/** How the console shows semaphores. */
export const boards: readonly BoardKind[] = [
  {
    ...{ kind: 'semaphore', title: 'Semaphores', about: 'a limited number of holders', prefix: 'semaphore' },
    parts: { permits: 'zset', limit: 'string', queue: 'zset', waiters: 'hash' },
    hasFixedParts: true,
    open: (store, place) => new SemaphoreBoard(store, place),
  },
];
