import { BOARD_KINDS } from '../../kit/boards.js';
import {
  type ActionResult,
  type Board,
  type BoardKind,
  type BoardPlace,
  type Detail,
  type Figure,
  KitError,
  type Rows,
} from '../../kit/foundation/index.js';
import { ApiError, invalid, readOnly } from '../frame/api-error.js';
import {
  type ApiCall,
  type ApiRoute,
  ask,
  type ConsoleContext,
  change,
  read,
  stream,
} from '../frame/route.js';
import type {
  DiscoveryProgress,
  InstancesAnswer,
  KindInfo,
  KindsAnswer,
  ViewAnswer,
} from '../types/boards.js';
import { Discovery } from './discovery.js';
import { SharedAnswers } from './shared-answers.js';

const discoveries = new WeakMap<ConsoleContext, Discovery>();

function discoveryOf({ context }: ApiCall): Discovery {
  const known = discoveries.get(context) ?? new Discovery(BOARD_KINDS);
  discoveries.set(context, known);
  return known;
}

const allAnswers = new WeakMap<ConsoleContext, SharedAnswers>();

function answersOf({ context }: ApiCall): SharedAnswers {
  const known = allAnswers.get(context) ?? new SharedAnswers();
  allAnswers.set(context, known);
  return known;
}

/** What others use, too, does not end when the page that asked first is left. */
function sharing(call: ApiCall): ApiCall {
  const signal = AbortSignal.timeout(SHARED_MS);
  return { ...call, signal, store: call.context.store.with({ signal, timeout: SHARED_MS }) };
}

const SHARED_MS = 10_000;
const PAGE = 20;
const MAX_ROWS = 200;

/** The API of the kit's boards. */
export const boardRoutes: readonly ApiRoute[] = [
  read('boards', async (call): Promise<KindsAnswer> => {
    const discovery = discoveryOf(call);
    return { kinds: kindsOf(discovery), isComplete: discovery.isComplete };
  }),

  stream('boards/discover', async (call, emit) => {
    const discovery = discoveryOf(call);
    const speed = call.inputs.oneOf('speed', ['gentle', 'brisk'], 'gentle');
    const report = async (share: number, isDone: boolean): Promise<void> => {
      const progress: DiscoveryProgress = { share, isDone, kinds: kindsOf(discovery) };
      await emit('progress', progress);
    };
    const again = call.inputs.boolean('again');
    await discovery.run(call.store, call.signal, report, { speed, again });
  }),

  read('boards/instances', async (call): Promise<InstancesAnswer> => {
    const { kind } = kindOf(call);
    const offset = call.inputs.integer('offset', { default: 0 });
    const all = discoveryOf(call).found.list(kind, call.inputs.text('search'));
    const shown = all.slice(offset, offset + PAGE);
    return {
      total: all.length,
      instances: await Promise.all(
        shown.map(async (place) => ({
          prefix: place.prefix,
          name: place.name,
          figures: await figuresOf(kindOf(call).open(call.store, place)),
        })),
      ),
    };
  }),

  read('boards/view', async (call): Promise<ViewAnswer> => {
    const shared = sharing(call);
    return answersOf(call).of(`view ${idOf(call)}`, async () => {
      const board = await boardOf(shared);
      const view = await told(() => board.view());
      return { ...view, title: kindOf(call).title, writingTables: board.writingTables ?? [] };
    });
  }),

  ask('boards/rows', async (call): Promise<Rows> => {
    const { inputs } = call;
    const table = inputs.text('table');
    const limit = inputs.integer('limit', { min: 1, max: MAX_ROWS, default: 50 });
    const cursor = inputs.has('cursor') ? { cursor: inputs.text('cursor') } : {};
    const request = { limit, search: inputs.text('search'), ...cursor };
    const { isReadOnly } = call;
    const shared = sharing(call);
    return answersOf(call).of(
      `rows ${idOf(call)} ${JSON.stringify([table, request, isReadOnly])}`,
      async () => {
        const board = await boardOf(shared);
        if (isReadOnly && board.writingTables?.includes(table)) throw readOnly();
        return told(() => board.rows(table, request));
      },
    );
  }),

  read('boards/detail', async (call): Promise<{ readonly detail: Detail | null }> => {
    const board = await boardOf(call);
    if (board.detail === undefined) throw invalid('this board has no details');
    const detail = await told(async () => board.detail?.(call.inputs.text('table'), call.inputs.text('id')));
    return { detail: detail ?? null };
  }),

  change('boards/act', async (call): Promise<ActionResult> => {
    const board = await boardOf(call);
    const act = board.act?.bind(board);
    if (act === undefined) throw invalid('this board has no actions');
    const id = call.inputs.has('id') ? { id: call.inputs.text('id') } : {};
    try {
      return await told(() => act(call.inputs.text('action'), { inputs: givenInputs(call), ...id }));
    } finally {
      answersOf(call).clear();
    }
  }),
];

function kindsOf(discovery: Discovery): KindInfo[] {
  const counts = discovery.found.counts();
  return BOARD_KINDS.map(({ kind, title, about, prefix }) => {
    const { count = 0, isCut = false } = counts.get(kind) ?? {};
    return { kind, title, about, prefix, count, isCut };
  });
}

function kindOf({ inputs }: ApiCall): BoardKind {
  const name = inputs.text('kind');
  const kind = BOARD_KINDS.find((one) => one.kind === name);
  if (kind === undefined) throw invalid(`there is no component '${name}'`);
  return kind;
}

/** Which instance a request is about. */
function placeOf(call: ApiCall): {
  readonly kind: BoardKind;
  readonly prefix: string;
  readonly name: string;
} {
  const { inputs } = call;
  const kind = kindOf(call);
  const prefix = inputs.text('prefix', kind.prefix);
  const name = inputs.text('name');
  if (prefix === '' || /[{}]/.test(prefix)) throw invalid('`prefix` must be text without braces');
  if (name === '' || name.startsWith('}')) throw invalid("`name` must be text that does not begin with '}'");
  return { kind, prefix, name };
}

function idOf(call: ApiCall): string {
  const { kind, prefix, name } = placeOf(call);
  return JSON.stringify([kind.kind, prefix, name]);
}

async function boardOf(call: ApiCall): Promise<Board> {
  const { store, signal } = call;
  const { kind, prefix, name } = placeOf(call);
  const parts =
    kind.hasFixedParts === true ? [] : await discoveryOf(call).partsOf(store, prefix, name, signal);
  const place: BoardPlace = { prefix, name, parts };
  return kind.open(store, place);
}

const MAX_FIGURES = 8;

/** An instance that cannot be read does not keep the others from being listed. */
async function figuresOf(board: Board): Promise<readonly Figure[]> {
  try {
    return (await board.view()).figures.slice(0, MAX_FIGURES);
  } catch (error) {
    return [{ label: 'Error', value: error instanceof Error ? error.message : String(error), tone: 'bad' }];
  }
}

/** Refusals of a component are for the person. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof KitError) throw new ApiError(422, error.code, error.message);
    throw error;
  }
}

function givenInputs({ inputs }: ApiCall): Record<string, string> {
  const given = inputs.raw('inputs') ?? {};
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalid('`inputs` must be an object');
  }
  const entries = Object.entries(given).map(([name, value]) => {
    if (typeof value !== 'string') throw invalid(`\`inputs.${name}\` must be text`);
    return [name, value] as const;
  });
  return Object.fromEntries(entries);
}
