import type { ScriptDefinition, Store, StoreTime } from '../../../store/index.js';
import { type EvictionGuard, keyNaming, readLua } from '../../foundation/index.js';
import type { Retention } from '../options.js';

/** The keys of a queue, all in one slot; shared.lua describes what they hold. */
const PARTS = [
  'meta',
  'tasks',
  'waiting',
  'prioritized',
  'aside',
  'delayed',
  'blocked',
  'active',
  'holders',
  'notes',
  'unique',
  'completed',
  'dead',
  'outcomes',
  'schedules',
  'occurrences',
  'wake',
  'events',
  'starts',
] as const;

export type QueueKeys = Readonly<Record<(typeof PARTS)[number], string>>;

export function keysOf(prefix: string, name: string): QueueKeys {
  return keyNaming('queue', prefix, PARTS)(name);
}

/** The KEYS of scripts: all keys of the queue and, for those that keep one, the receipt. */
export function keyList(keys: QueueKeys, receipt?: string): readonly string[] {
  const list = PARTS.map((part) => keys[part]);
  return receipt === undefined ? list : [...list, receipt];
}

/** The list that wakes a worker when tasks of this kind were set aside; shared.lua uses the same name. */
export function wakeKindKey(keys: QueueKeys, kind: string): string {
  return `${keys.wake}:${kind}`;
}

/** Where the server keeps the outcome of this sender's last call. */
export function receiptKey(keys: QueueKeys, sender: string): string {
  return `${keys.meta.slice(0, -'meta'.length)}receipt:${sender}`;
}

/** Makes the keys local variables; on the first line, so that errors keep their line numbers. */
const PROLOGUE = `local ${[...PARTS, 'receipt'].join(', ')} = unpack(KEYS) `;

function script<const Args extends readonly string[]>(
  files: string | readonly string[],
  args: Args,
  first: readonly string[] = [],
) {
  // Scripts that are rarely called always extend the expiry of the events.
  const prologue = args.includes('renews') ? PROLOGUE : `${PROLOGUE}local renews = '1' `;
  const lua = prologue + readLua(import.meta.url, ...first, 'shared.lua', ...[files].flat());
  return { keys: ['...keys'], args, lua } as const satisfies ScriptDefinition<readonly string[], Args>;
}

/** A script that is safe to repeat: it finds its receipt, or its own changes. */
function repeatable<const Args extends readonly string[]>(
  files: string | readonly string[],
  args: Args,
  first: readonly string[] = [],
) {
  return { ...script(files, args, first), repeatable: true } as const;
}

/** A script that does not write. */
function reading<const Args extends readonly string[]>(files: string | readonly string[], args: Args) {
  return { ...repeatable(files, args), readOnly: true } as const;
}

/** Files included before those that add, remove or settle tasks. */
const GROUPS = ['groups.lua'];
const WHOLE = [...GROUPS, 'outbox.lua', 'removal.lua'];

const ADD = repeatable(
  ['receipts.lua', ...WHOLE, 'add.lua'],
  ['call', 'sender', 'bound', 'renews', 'keepDead', 'parent', '...entries'],
);
const ADD_PLAIN = {
  keys: ['meta', 'tasks', 'waiting', 'wake', 'events'],
  args: ['call', 'sender', 'bound', 'renews', '...records'],
  repeatable: true,
  lua: readLua(import.meta.url, 'receipts.lua', 'add-plain.lua'),
} as const satisfies ScriptDefinition;
const ADVANCE = repeatable(
  [...WHOLE, 'take.lua', 'advance.lua'],
  [
    ...(['worker', 'step', 'keepMs', 'lease'] as const),
    ...(['keep', 'keepAge', 'keepDead', 'keepDeadAge', 'keepMetrics'] as const),
    ...(['bound', 'renews', 'recoveries', 'kinds', 'count', 'watched', 'ended', 'spent'] as const),
    '...settlements',
  ],
  ['advance-plain.lua'],
);
const RENEW = repeatable('renew.lua', ['lease', '...leases']);
const PROGRESS = repeatable('progress.lua', ['id', 'token', 'progress', 'bound']);
const UPDATE = repeatable('update.lua', ['given', 'token', 'kind', 'data', 'bound']);
const LOG = script('log.lua', ['id', 'token', 'line', 'keepLog']);
const READ_LOG = reading('read-log.lua', ['given']);
const SCHEDULE = repeatable('schedule.lua', ['name', 'expected', 'specification', 'first']);
const UNSCHEDULE = script('unschedule.lua', ['name']);
const OCCUR = repeatable([...GROUPS, 'occur.lua'], ['name', 'due', 'following', 'record', 'key', 'bound']);
const CONTROL = script([...GROUPS, 'control.lua'], ['verb', 'first', 'second', 'bound']);
const DESCRIBE = reading([...GROUPS, 'pages.lua', 'describe.lua'], ['state', 'offset', 'limit', '...known']);
const COUNTS = reading('counts.lua', []);
const LIST_GROUPS = reading([...GROUPS, 'list-groups.lua'], ['after', 'limit']);
const MOVE = script([...WHOLE, 'move.lua'], ['verb', 'given', 'bound']);
const RESCHEDULE = script([...WHOLE, 'reschedule.lua'], ['given', 'priority', 'delay', 'at', 'bound']);
const CLEAN = script([...WHOLE, 'pages.lua', 'clean.lua'], ['state', 'before', 'skip', 'limit', 'bound']);
const OBLITERATE = repeatable([...GROUPS, 'obliterate.lua'], ['force']);
const OUTCOME = repeatable('outcome.lua', ['...ids']);
const ARRIVE = repeatable(
  [...WHOLE, 'arrive.lua'],
  ['parent', 'child', 'result', 'problem', 'fate', 'keepDead', 'bound'],
);
const COLLECT = repeatable('collect.lua', ['again', 'limit']);
const DELIVERED = repeatable('delivered.lua', ['...numbers']);

/** The scripts of a queue, ready to be called on a store. */
export function bindScripts(store: Store, guard: EvictionGuard) {
  return {
    add: guard.before(store.script(ADD)),
    addPlain: guard.before(store.script(ADD_PLAIN)),
    advance: guard.before(store.script(ADVANCE)),
    renew: store.script(RENEW),
    progress: store.script(PROGRESS),
    schedule: guard.before(store.script(SCHEDULE)),
    unschedule: store.script(UNSCHEDULE),
    occur: store.script(OCCUR),
    control: store.script(CONTROL),
    describe: store.script(DESCRIBE),
    counts: store.script(COUNTS),
    listGroups: store.script(LIST_GROUPS),
    move: store.script(MOVE),
    reschedule: store.script(RESCHEDULE),
    outcome: store.script(OUTCOME),
    update: store.script(UPDATE),
    log: store.script(LOG),
    readLog: store.script(READ_LOG),
    clean: store.script(CLEAN),
    obliterate: store.script(OBLITERATE),
    arrive: guard.before(store.script(ARRIVE)),
    collect: store.script(COLLECT),
    delivered: store.script(DELIVERED),
  };
}

export type QueueScripts = ReturnType<typeof bindScripts>;

/** How often a program extends the expiry of a queue's events (a day), in ms. */
const RENEWAL_MS = 60_000;

/** Decides when to extend the expiry of the events: not at each call, to save time. */
export class EventRenewal {
  readonly #time: StoreTime;
  #last = Number.NEGATIVE_INFINITY;

  constructor(time: StoreTime) {
    this.#time = time;
  }

  /** '1' if it is time to do so: the argument of scripts. */
  next(): '0' | '1' {
    const now = this.#time.monotonic();
    if (now - this.#last < RENEWAL_MS) return '0';
    this.#last = now;
    return '1';
  }
}

/** State shared by the parts of a queue. */
export interface QueueCore {
  readonly store: Store;
  readonly name: string;
  readonly keys: QueueKeys;
  /** The same, as arguments of scripts. */
  readonly keyList: readonly string[];
  readonly scripts: QueueScripts;
  readonly prefix: string;
  readonly keepCompleted: Retention;
  readonly keepDead: Retention;
  readonly keepEvents: number;
  readonly keepLog: number;
  readonly keepMetrics: number;
  readonly recoveries: number;
  readonly eventRenewal: EventRenewal;
}

/** The server's time in ms. */
export async function serverTime({ store }: QueueCore): Promise<number> {
  const [seconds, micros] = (await store.send('TIME')) as readonly [string, string];
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}
