import type { Store } from '../../store/index.js';
import {
  checkStore,
  EVICTION_RULES,
  EvictionGuard,
  type EvictionOptions,
  KitError,
  keyNaming,
  milliseconds,
  resolveOptions,
  shown,
  text,
} from '../foundation/index.js';
import { type Component, type ComponentOptions, ConfiguredComponent } from './component.js';
import { eitherOf, type Maintenance, maintenanceOf, WATCH_RULES } from './maintenance.js';
import { type RecordState, Records } from './records.js';

export interface ConfigurationOptions extends EvictionOptions {
  /** Prefix of all keys. Default `config`. */
  readonly prefix?: string;
  /** For how many ms a process uses its copy of a setting before it asks the server again. Default 1,000. */
  readonly maxAge?: number;
  /** For how many ms it uses its copy if the server cannot be reached. Default 300,000; 0: calls reject. */
  readonly staleFor?: number;
}

export interface WatchOptions {
  /** Ends the loop. */
  readonly signal?: AbortSignal;
}

export interface ConfigurationChange<T> {
  /** Undefined if the setting was removed, or does not exist yet. */
  readonly value: T | undefined;
  /** Increases with every change. */
  readonly version: number | undefined;
}

/** Settings that all processes of an application share. Made by `configuration`. */
export interface Configuration extends AsyncDisposable {
  /**
   * A setting; undefined if there is none. It is at most `maxAge` ms old, and frozen, since all callers get the same object.
   *
   * @example
   * const limits = await configuration(store).get<{ uploads: number }>('limits');
   */
  get<T = unknown>(name: string): Promise<T | undefined>;
  /** A setting as the server has it now: never a copy. Rejects if the server cannot be reached. */
  fetch<T = unknown>(name: string): Promise<T | undefined>;
  /** Writes a setting: any value that JSON can hold. Processes that watch it are told, unless it is equal to the old one. */
  set(name: string, value: unknown): Promise<void>;
  /**
   * Changes a setting depending on its old value. If another process changes it meanwhile, `change` is called again.
   *
   * @example
   * await configuration(store).update<string[]>('admins', (names = []) => [...names, 'ann']);
   */
  update<T>(name: string, change: (old: T | undefined) => T | Promise<T>): Promise<T>;
  /** Removes a setting. */
  remove(name: string): Promise<void>;
  /**
   * The setting now and after each change, with the newest value if there were several. Ends when the signal aborts.
   *
   * @example
   * for await (const { value } of configuration(store).watch<{ level: string }>('log')) console.log(value?.level);
   */
  watch<T = unknown>(name: string, options?: WatchOptions): AsyncIterableIterator<ConfigurationChange<T>>;
  readonly maintenance: Maintenance;
  /**
   * A part of the application with a connection of its own. The setting `name` is its address (`ConnectionSettings`);
   * `build` makes what the part needs of the connection, for example a component of the kit.
   *
   * @example
   * const visits = configuration(store).component('visits', (own) => counters(own));
   * await visits.use((hits) => hits.count('home'));
   */
  component(name: string): Component<Store>;
  component<T>(name: string, build: (store: Store) => T, options?: ComponentOptions): Component<T>;
  /** Closes the connections of all components and ends all watches. The store stays open. */
  close(): Promise<void>;
}

/**
 * Opens the configuration that is kept in a store.
 *
 * @example
 * import { open } from 'sorrel';
 * import { configuration } from 'sorrel/kit/configuration';
 *
 * await using store = await open();
 * await using settings = configuration(store);
 * await settings.set('limits', { uploads: 5 });
 * await settings.get('limits'); // { uploads: 5 }
 */
export function configuration(store: Store, options: ConfigurationOptions = {}): Configuration {
  checkStore('configuration', store);
  const { prefix, maxAge, staleFor, ...eviction } = resolveOptions('configuration', options, RULES);
  const keysOf = keyNaming('configuration', prefix, ['record', 'flag']);
  const guard = new EvictionGuard(store, 'configuration', eviction);
  const records = new Records(store, guard, { maxAge, staleFor, channel: `${prefix}:changes` });
  const components = new Set<Component<unknown>>();
  const closing = new AbortController();

  async function update<T>(name: string, change: (old: T | undefined) => T | Promise<T>): Promise<T> {
    if (typeof change !== 'function') {
      throw new KitError('OPTION', `update: the change must be a function, not ${shown(change)}`);
    }
    const { record } = keysOf(name);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const state = await records.fetch(record);
      const value = checked(await change(state?.value as T | undefined));
      if (await records.write(record, value, { expected: state?.version ?? 0 })) return value;
    }
    throw new KitError('CONFLICT', `update: '${name}' was changed by others ${MAX_ATTEMPTS} times in a row`);
  }

  const close = async (): Promise<void> => {
    closing.abort();
    await Promise.all([...components].map((component) => component.close()));
  };

  return {
    get: async <T>(name: string) => (await records.get(keysOf(name).record))?.value as T | undefined,
    fetch: async <T>(name: string) => (await records.fetchNow(keysOf(name).record))?.value as T | undefined,
    set: async (name, value) => {
      await records.write(keysOf(name).record, checked(value));
    },
    update,
    remove: async (name) => {
      await records.write(keysOf(name).record, undefined);
    },
    watch: <T>(name: string, given: WatchOptions = {}) => {
      const { signal } = resolveOptions('watch', given, WATCH_RULES);
      return changes<T>(records.watch(keysOf(name).record, eitherOf(closing.signal, signal)));
    },
    maintenance: maintenanceOf(records, keysOf('maintenance').flag, closing.signal),
    component: <T>(name: string, build?: (store: Store) => T, given: ComponentOptions = {}) => {
      const { record } = keysOf(name);
      if (build !== undefined && typeof build !== 'function') {
        throw new KitError('OPTION', `component: \`build\` must be a function, not ${shown(build)}`);
      }
      const made = build ?? ((own: Store) => own as T);
      const component = new ConfiguredComponent<T>(name, () => records.get(record), made, given);
      components.add(component);
      return component;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function* changes<T>(
  states: AsyncIterable<RecordState | undefined>,
): AsyncGenerator<ConfigurationChange<T>, void, undefined> {
  for await (const state of states) yield { value: state?.value as T | undefined, version: state?.version };
}

function checked<T>(value: T): T {
  if (value !== undefined) return value;
  throw new KitError('OPTION', 'a setting must not be undefined: use `remove`, or null');
}

/** Each failed attempt means that another process has succeeded. */
const MAX_ATTEMPTS = 100;

const RULES = {
  prefix: text('config'),
  maxAge: milliseconds(1_000),
  staleFor: milliseconds(300_000, { infinite: true }),
  ...EVICTION_RULES,
};
