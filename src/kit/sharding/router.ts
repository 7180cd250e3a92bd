import type { Argument, ReplyTransformer, Store, StoreTime, WireCommand } from '../../store/index.js';
import { StoreError } from '../../store/index.js';
import { KitError, runsHere } from '../foundation/index.js';
import type { LeasedMap, MapLease } from './map-lease.js';
import { MoveKeys, RUN_HERE, RUN_THERE } from './move-scripts.js';

/** Calls `work` with the store of a shard. */
export type Connect = <T>(shard: string, work: (store: Store) => T | Promise<T>) => Promise<T>;

export interface RouterParts {
  readonly name: string;
  readonly prefix: string;
  readonly time: StoreTime;
  readonly lease: MapLease;
  readonly connect: Connect;
}

/** Lua's stack limits the words of a command that a script can run. */
const MAX_WORDS = 7_000;

/** How often a command is tried whose lease ends before it is sent. */
const ATTEMPTS = 5;

/** How often a call looks whether a move has ended, in parts of the lease. */
const LOOKS = 20;

/** Sends each command to the shard of its key, also while the key is being moved. */
export class Router {
  readonly #parts: RouterParts;
  readonly #keys: MoveKeys;

  constructor(parts: RouterParts) {
    this.#parts = parts;
    this.#keys = new MoveKeys(parts.prefix, parts.name);
  }

  async run(
    command: WireCommand,
    args: readonly Argument[],
    transform: ReplyTransformer | undefined,
  ): Promise<unknown> {
    const key = keyOf(args[0]);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#runOnce(key, command, args, transform);
      } catch (error) {
        // Connecting took longer than the lease. The command was not sent.
        if (!(error instanceof LeaseEnded) || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async #runOnce(
    key: string | Uint8Array,
    command: WireCommand,
    args: readonly Argument[],
    transform: ReplyTransformer | undefined,
  ): Promise<unknown> {
    const leased = await this.#parts.lease.current();
    const { table } = leased;
    const slot = table.slotOf(key);
    const target = table.target(slot);
    if (target === undefined) {
      return this.#on(table.owner(slot), leased, (store) => sent(store, command, args, transform));
    }
    const words: readonly Argument[] = [...command.words, ...args];
    if (words.length > MAX_WORDS) return this.use(key, (store) => sent(store, command, args, transform));
    const reply = await this.#runMoving(key, words, { leased, owner: table.owner(slot), target });
    if (reply instanceof Error) throw reply;
    return transform === undefined ? reply : transform(reply as never);
  }

  /** The old shard decides, in one step, whether the command runs there or on the new one. */
  async #runMoving(
    key: string | Uint8Array,
    words: readonly Argument[],
    { leased, owner, target }: { leased: LeasedMap; owner: string; target: string },
  ): Promise<unknown> {
    const { id } = leased.table.map.move as { readonly id: string };
    const keys = this.#keys;
    const [isMoved, result] = await this.#on(owner, leased, (store) =>
      store.script(RUN_HERE)({ key, gate: keys.gate(id), moved: keys.moved(id), words }),
    );
    if (isMoved === 0) return result;
    return this.#on(target, leased, async (store) => {
      if (result === '') return store.send(String(words[0]), ...words.slice(1));
      return store.script(RUN_THERE)({ key, copy: result as string, words });
    });
  }

  async use<T>(key: string | Uint8Array, work: (store: Store) => T | Promise<T>): Promise<T> {
    const { lease, time } = this.#parts;
    let leased = await lease.current();
    const { map } = leased.table;
    for (let look = 0; leased.table.target(leased.table.slotOf(key)) !== undefined; look++) {
      if (look === LOOKS) {
        throw new KitError('MOVING', `use: the slot of '${key.toString()}' is being moved: try again later`);
      }
      await time.sleep(map.lease / LOOKS);
      leased = await lease.fresh();
    }
    const { table, endsAt } = leased;
    return this.#parts.connect(table.owner(table.slotOf(key)), async (store) => {
      // Calls after the end of the lease must not succeed: the shard may have given the key away.
      const ending = new AbortController();
      const cancel = time.after(Math.max(0, endsAt - time.monotonic()), () => ending.abort(), {
        background: true,
      });
      try {
        return await work(store.with({ signal: ending.signal }));
      } finally {
        cancel();
      }
    });
  }

  /** Calls `work` for one command, which must not succeed after the end of the lease: the shard may have given the key away. */
  async #on<T>(shard: string, { endsAt }: LeasedMap, work: (store: Store) => T | Promise<T>): Promise<T> {
    const { connect, time } = this.#parts;
    return connect(shard, async (store) => {
      const left = endsAt - time.monotonic();
      if (left <= 0) {
        throw new LeaseEnded(shard);
      }
      if (runsHere(store)) return work(store);
      return work(store.with({ timeout: left }));
    });
  }
}

/** The lease has ended before a command was sent. */
class LeaseEnded extends KitError {
  constructor(shard: string) {
    super('TIMEOUT', `sharding: '${shard}' could not be reached before the shard map had to be renewed`);
  }
}

/** Typed methods run commands in the same way, but only a store's own methods can. */
interface Runs {
  run(command: WireCommand, args: readonly Argument[], transform?: ReplyTransformer): Promise<unknown>;
}

function sent(
  store: Store,
  command: WireCommand,
  args: readonly Argument[],
  transform: ReplyTransformer | undefined,
): Promise<unknown> {
  return (store as unknown as Runs).run(command, args, transform);
}

function keyOf(key: Argument | undefined): string | Uint8Array {
  if (typeof key === 'string' || key instanceof Uint8Array) return key;
  if (key === undefined) throw new StoreError('OPTION', 'sharding: the command needs a key');
  return String(key);
}
