import { isDeepStrictEqual } from 'node:util';
import { type OpenOptions, open, type Store } from '../../store/index.js';
import { callback, checkWork, KitError, resolveOptions, shown } from '../foundation/index.js';
import type { RecordState } from './records.js';

/** The setting of a component's connection: the address of a store, or an address with options of `open`. */
export type ConnectionSettings = string | (OpenOptions & { readonly address: string });

export interface ComponentOptions {
  /** Opens a connection. Default: `open`. */
  readonly open?: (address: string, options: OpenOptions) => Promise<Store>;
}

/** A part of the application with a connection of its own, as the configuration says. Made by `configuration.component`. */
export interface Component<T> extends AsyncDisposable {
  readonly name: string;
  /**
   * Calls `work` with what was built on the connection. If the setting has changed, there is a new connection first. The old
   * one is closed when the last call that uses it has ended.
   */
  use<Result>(work: (built: T) => Result | Promise<Result>): Promise<Result>;
  /** Closes the connection. Calls that still use it reject with `CLOSED`; later ones open it again. */
  close(): Promise<void>;
}

/** One connection, and the number of calls that use it. */
interface Connection<T> {
  readonly settings: unknown;
  readonly opened: Promise<{ readonly store: Store; readonly built: T }>;
  users: number;
  isReplaced: boolean;
}

export class ConfiguredComponent<T> implements Component<T> {
  readonly name: string;
  readonly #settings: () => Promise<RecordState | undefined>;
  readonly #build: (store: Store) => T;
  readonly #open: NonNullable<ComponentOptions['open']>;
  #connection: Connection<T> | undefined;

  constructor(
    name: string,
    settings: () => Promise<RecordState | undefined>,
    build: (store: Store) => T,
    options: ComponentOptions,
  ) {
    this.name = name;
    this.#settings = settings;
    this.#build = build;
    this.#open = resolveOptions('component', options, RULES).open;
  }

  async use<Result>(work: (built: T) => Result | Promise<Result>): Promise<Result> {
    checkWork(work);
    const state = await this.#settings();
    if (state === undefined) {
      throw new KitError(
        'MISSING',
        `the component '${this.name}' has no setting: write its address, as in set('${this.name}', 'redis://…')`,
      );
    }
    const connection = this.#connectionFor(state.value);
    connection.users++;
    try {
      const { built } = await connection.opened;
      return await work(built);
    } finally {
      connection.users--;
      if (connection.isReplaced && connection.users === 0) await closed(connection);
    }
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection !== undefined) await closed(connection);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Equal settings mean the same connection, whatever their version. */
  #connectionFor(settings: unknown): Connection<T> {
    const old = this.#connection;
    if (old !== undefined && isDeepStrictEqual(old.settings, settings)) return old;
    const fresh: Connection<T> = { settings, opened: this.#opened(settings), users: 0, isReplaced: false };
    this.#connection = fresh;
    // An address that cannot be reached is tried again by the next call.
    fresh.opened.catch(() => {
      if (this.#connection === fresh) this.#connection = undefined;
    });
    if (old !== undefined) {
      old.isReplaced = true;
      if (old.users === 0) void closed(old);
    }
    return fresh;
  }

  async #opened(settings: unknown): Promise<{ store: Store; built: T }> {
    const { address, ...options } = addressOf(this.name, settings);
    const store = await this.#open(address, options);
    try {
      return { store, built: this.#build(store) };
    } catch (error) {
      await store.close();
      throw error;
    }
  }
}

async function closed<T>({ opened }: Connection<T>): Promise<void> {
  const { store } = await opened.catch(() => ({ store: undefined }));
  await store?.close();
}

function addressOf(name: string, settings: unknown): OpenOptions & { readonly address: string } {
  if (typeof settings === 'string') return { address: settings };
  const { address } = (settings ?? {}) as { readonly address?: unknown };
  if (typeof address === 'string') return settings as OpenOptions & { address: string };
  throw new KitError(
    'SETTING',
    `the setting of the component '${name}' must be an address or { address: 'redis://…', … }, not ${shown(settings)}`,
  );
}

const RULES = {
  open: callback<NonNullable<ComponentOptions['open']>>((address, options) => open(address, options)),
};
