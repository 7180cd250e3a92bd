import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedStore, StoreError } from '../store/index.js';
import { sharedStore } from './test-store.js';

/** The options of a node-redis client that are replaced. */
interface ClientOptions {
  readonly url?: string;
  readonly database?: number;
  readonly socket?: object;
}

interface Client {
  connect(): Promise<unknown>;
}

type Create = (options?: ClientOptions, ...rest: readonly unknown[]) => Client;

/** The parts of the module `redis` that are replaced. */
interface NodeRedis {
  readonly createClient: Create;
  readonly createClientPool?: Create;
}

/**
 * A replacement for the module `redis` (node-redis), for module mocks of test runners: `createClient(…)` and `createClientPool(…)`, whatever
 * the address, lead to a store in this process. They use a Unix socket, since node-redis makes its connections itself. `createCluster`
 * and `createSentinel` throw.
 *
 * @param actual the real module: `await importOriginal()` in Vitest, `jest.requireActual('redis')` in Jest
 * @param store default: `sharedStore()`
 *
 * @example
 * import * as redis from 'redis';
 * import { replaceNodeRedis, sharedStore } from 'sorrel/testing';
 *
 * const { createClient } = replaceNodeRedis(redis);
 * const client = await createClient({ url: 'redis://cache.example:6379' }).connect();
 * await client.set('greeting', 'hello');
 * await sharedStore().get('greeting'); // 'hello'
 */
export function replaceNodeRedis<Module extends object>(actual: Module, store?: EmbeddedStore): Module {
  const { createClient, createClientPool } = actual as unknown as NodeRedis;
  const local =
    (create: Create): Create =>
    (options = {}, ...rest) => {
      const { path, ready } = socketOf(store ?? sharedStore());
      const client = create(localOptions(options, path), ...rest);
      const connect = client.connect.bind(client);
      client.connect = async () => {
        await ready;
        return connect();
      };
      return client;
    };
  const replaced = {
    createClient: local(createClient),
    ...(createClientPool === undefined ? {} : { createClientPool: local(createClientPool) }),
    createCluster: refuse('createCluster'),
    createSentinel: refuse('createSentinel'),
  };
  const module = { ...actual, ...replaced };
  return { ...module, default: module } as unknown as Module;
}

function refuse(name: string): () => never {
  return () => {
    throw new StoreError(
      'MISUSE',
      `${name}: a store in this process is one server: use createClient in tests`,
    );
  };
}

/** The address and the password are for a server that is not used. */
function localOptions(options: ClientOptions, path: string): ClientOptions {
  const { url, socket, ...others } = options;
  const kept: Record<string, unknown> = { ...others };
  for (const name of ['username', 'password', 'credentialsProvider']) delete kept[name];
  const database = databaseIn(url);
  if (database !== undefined) kept['database'] = database;
  const { host: _host, port: _port, tls: _tls, ...socketOptions } = (socket ?? {}) as Record<string, unknown>;
  return { ...kept, socket: { ...socketOptions, path } };
}

/** `redis://host:6379/2` has database 2. */
function databaseIn(url: string | undefined): number | undefined {
  const [, number] = /^[^?#]*:\/\/[^/?#]*\/(\d+)/.exec(url ?? '') ?? [];
  return number === undefined ? undefined : Number(number);
}

/** Where the clients of a store connect. The path is known before anything listens there. */
interface LocalSocket {
  readonly path: string;
  readonly ready: Promise<unknown>;
}

const sockets = new WeakMap<EmbeddedStore, LocalSocket>();

function socketOf(store: EmbeddedStore): LocalSocket {
  let socket = sockets.get(store);
  if (socket === undefined) {
    const path = join(temporaryFolder(), 'socket');
    socket = { path, ready: store.listen({ path }) };
    sockets.set(store, socket);
  }
  return socket;
}

const folders: string[] = [];

/** A folder that only this user may enter, removed when the process ends. */
function temporaryFolder(): string {
  if (folders.length === 0) {
    process.once('exit', () => {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    });
  }
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-testing-'));
  folders.push(folder);
  return folder;
}
