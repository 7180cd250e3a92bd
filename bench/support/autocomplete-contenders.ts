import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { COMPLETE, rangeOf } from '../../src/console/labs/listings/autocomplete.js';
import type * as kit from '../../src/kit/autocomplete/index.js';
import { compileScript } from '../../src/store/script-binding.js';
import { built } from './built.js';
import type { Place } from './place.js';

const { dictionary } = await built<typeof kit>('kit/autocomplete/index.js');

/** One client that completes prefixes; `onTry` is called for each attempt. */
export interface Completer {
  complete(prefix: string, onTry: () => void): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface AutocompleteContender {
  readonly name: string;
  /** Whether it returns all matches, also while others search. */
  readonly isExact: boolean;
  /** It finds nothing: what a call takes in any case. */
  readonly isFloor?: boolean;
  /** Puts the names into a dictionary of this name. */
  fill(place: Place, name: string, names: readonly string[]): Promise<void>;
  connect(place: Place, name: string): Promise<Completer>;
}

/** Two members around the names that begin with the prefix, as the guide's first version inserts them. */
function marksOf(prefix: string): readonly [string, string] {
  const id = randomUUID();
  const [start, end] = rangeOf(prefix);
  return [start + id, end + id];
}

async function fillSet(place: Place, name: string, names: readonly string[]): Promise<void> {
  const client = place.newClient();
  for (let at = 0; at < names.length; at += 500) {
    await client.zadd(name, ...names.slice(at, at + 500).flatMap((member) => [0, member]));
  }
  client.disconnect();
}

const watching: AutocompleteContender = {
  name: 'marks, WATCH',
  isExact: false,
  fill: fillSet,
  connect: async (place, name) => {
    const client = place.newClient();
    return {
      complete: (prefix, onTry) => completeWatching(client, name, prefix, onTry),
      close: async () => client.disconnect(),
    };
  },
};

async function completeWatching(
  client: Redis,
  name: string,
  prefix: string,
  onTry: () => void,
): Promise<string[]> {
  const [start, end] = marksOf(prefix);
  await client.zadd(name, 0, start, 0, end);
  for (;;) {
    onTry();
    await client.watch(name);
    const first = Number(await client.zrank(name, start));
    const last = Number(await client.zrank(name, end));
    const replies = await client
      .multi()
      .zrem(name, start, end)
      .zrange(name, `${first}`, `${Math.min(first + 9, last - 2)}`)
      .exec();
    if (replies === null) continue;
    const [, [, members]] = replies as [unknown, [unknown, string[]]];
    return members.filter((member) => !member.includes('{'));
  }
}

const script: AutocompleteContender = {
  name: 'marks, script',
  isExact: true,
  fill: fillSet,
  connect: async (place, name) => {
    const client = place.newClient();
    const digest = (await client.script('LOAD', compileScript(COMPLETE).source)) as string;
    return {
      complete: async (prefix, onTry) => {
        onTry();
        return (await client.evalsha(digest, 1, name, ...marksOf(prefix))) as string[];
      },
      close: async () => client.disconnect(),
    };
  },
};

const ours: AutocompleteContender = {
  name: 'ours',
  isExact: true,
  fill: async (place, name, names) => {
    await using store = await place.openStore();
    await dictionary(store, name).addAll(names);
  },
  connect: async (place, name) => {
    const store = await place.openStore();
    const words = dictionary(store, name);
    return {
      complete: async (prefix, onTry) => {
        onTry();
        return (await words.complete(prefix)).entries.map(({ text }) => text);
      },
      close: () => store.close(),
    };
  },
};

/** One round trip: no way that asks the server can be faster. */
const floor: AutocompleteContender = {
  name: 'an empty script',
  isExact: false,
  isFloor: true,
  fill: async () => {},
  connect: async (place, name) => {
    const store = await place.openStore();
    const call = store.script({ keys: ['names'], args: ['prefix'], lua: 'return 1' });
    return {
      complete: async (prefix, onTry) => {
        onTry();
        await call({ names: name, prefix });
        return [];
      },
      close: () => store.close(),
    };
  },
};

export const AUTOCOMPLETE_OURS = ours.name;
export const AUTOCOMPLETE_CONTENDERS: readonly AutocompleteContender[] = [watching, script, floor, ours];
