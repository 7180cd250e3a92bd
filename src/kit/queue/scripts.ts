import type { ScriptDefinition, Store, StoreTime } from '../../store/index.js';
import { type EvictionGuard, keyNaming, readLua } from '../foundation/index.js';

/** The keys of a queue, all in one slot; what they hold is written in shared.lua. */
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

/** What scripts get as KEYS: all keys of the queue and, for those that keep one, the receipt. */
export function keyList(keys: QueueKeys, receipt?: string): readonly string[] {
  const list = PARTS.map((part) => keys[part]);
  return receipt === undefined ? list : [...list, receipt];
}

/** Where a worker of this kind is woken when tasks of it were set aside; named in shared.lua, too. */
export function wakeKindKey(keys: QueueKeys, kind: string): string {
  return `${keys.wake}:${kind}`;
}

/** Where the server keeps the outcome of this sender's last call. */
export function receiptKey(keys: QueueKeys, sender: string): string {
  return `${keys.meta.slice(0, -'meta'.length)}receipt:${sender}`;
}

/** Makes the keys local variables, by their names; on the first line, so that errors keep their line numbers. */
const PROLOGUE = `local ${[...PARTS, 'receipt'].join(', ')} = unpack(KEYS) `;

function script<const Args extends readonly string[]>(files: string | readonly string[], args: Args) {
  // Scripts that are called seldom always put off the end of the events.
  const prologue = args.includes('renews') ? PROLOGUE : `${PROLOGUE}local renews = '1' `;
  const lua = prologue + readLua(import.meta.url, 'shared.lua', ...[files].flat());
  return { keys: ['...keys'], args, lua } as const satisfies ScriptDefinition<readonly string[], Args>;
}

/** A script that does the same twice as once: it finds its receipt, or what it has done. */
function repeatable<const Args extends readonly string[]>(files: string | readonly string[], args: Args) {
  return { ...script(files, args), repeatable: true } as const;
}

const ADD = repeatable(['receipts.lua', 'add.lua'], ['call', 'sender', 'bound', 'renews', '...entries']);
const ADD_PLAIN = {
  keys: ['meta', 'tasks', 'waiting', 'wake', 'events'],
  args: ['call', 'sender', 'bound', 'renews', '...records'],
  repeatable: true,
  lua: readLua(import.meta.url, 'receipts.lua', 'add-plain.lua'),
} as const satisfies ScriptDefinition;
const ADVANCE = repeatable(
  ['take.lua', 'advance.lua'],
  [
    'worker',
    'step',
    'keepMs',
    'lease',
    'keep',
    'keepDead',
    'bound',
    'renews',
    'recoveries',
    'kinds',
    'count',
    'watched',
    'ended',
    '...settlements',
  ],
);
const RENEW = repeatable('renew.lua', ['lease', '...leases']);
const PROGRESS = repeatable('progress.lua', ['id', 'token', 'progress', 'bound']);
const SCHEDULE = repeatable('schedule.lua', ['name', 'specification', 'first']);
const UNSCHEDULE = script('unschedule.lua', ['name']);
const OCCUR = repeatable('occur.lua', ['name', 'due', 'following', 'record', 'priority', 'key', 'bound']);
const CONTROL = script('control.lua', ['verb', 'limit', 'per', 'bound']);
const DESCRIBE = repeatable('describe.lua', ['state', 'offset', 'limit']);
const COUNTS = repeatable('counts.lua', []);
const MOVE = script('move.lua', ['verb', 'id', 'bound']);
const OUTCOME = repeatable('outcome.lua', ['...ids']);

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
    move: store.script(MOVE),
    outcome: store.script(OUTCOME),
  };
}

export type QueueScripts = ReturnType<typeof bindScripts>;

/** How often, in ms, a program puts off the end of a queue's events, which is a day away. */
const RENEWAL_MS = 60_000;

/** Says when to put off the end of the events: not at each call, since that takes time. */
export class EventRenewal {
  readonly #time: StoreTime;
  #last = Number.NEGATIVE_INFINITY;

  constructor(time: StoreTime) {
    this.#time = time;
  }

  /** '1' if it is time to, as scripts take it. */
  next(): '0' | '1' {
    const now = this.#time.monotonic();
    if (now - this.#last < RENEWAL_MS) return '0';
    this.#last = now;
    return '1';
  }
}

/** What the parts of a queue have in common. */
export interface QueueCore {
  readonly store: Store;
  readonly name: string;
  readonly keys: QueueKeys;
  /** The same as scripts take them. */
  readonly keyList: readonly string[];
  readonly scripts: QueueScripts;
  readonly keepCompleted: number;
  readonly keepDead: number;
  readonly keepEvents: number;
  readonly recoveries: number;
  readonly eventRenewal: EventRenewal;
}
