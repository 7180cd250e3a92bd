import { type Console, type ConsoleOptions, console as serveConsole } from '../../../src/console/index.js';
import { open, type Store } from '../../../src/store/index.js';
import { startRedis, startRedisCluster } from '../../support/fleet/index.js';

/** A store with its console. */
export interface ConsoleSite extends AsyncDisposable {
  readonly store: Store;
  readonly served: Console;
}

/** Serves consoles for the three kinds of stores that the tests use. */
export const SITES: Readonly<Record<string, (options?: ConsoleOptions) => Promise<ConsoleSite>>> = {
  'an embedded store': async (options) => siteOf(await open(), options),
  'a redis-server': async (options) => {
    const server = await startRedis();
    return siteOf(await open(`redis://127.0.0.1:${server.port}`), options, () => server.stop());
  },
  'a Redis Cluster': async (options) => {
    const cluster = await startRedisCluster();
    const store = await open(`redis+cluster://127.0.0.1:${cluster.ports.join(',127.0.0.1:')}`);
    return siteOf(store, options, () => cluster.stop());
  },
};

export async function siteOf(
  store: Store,
  options: ConsoleOptions = {},
  stop: () => Promise<void> = async () => {},
): Promise<ConsoleSite> {
  const served = await serveConsole(store, { title: 'test store', ...options });
  return {
    store,
    served,
    [Symbol.asyncDispose]: async () => {
      await served.close();
      await store.close();
      await stop();
    },
  };
}
