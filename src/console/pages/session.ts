import { StoreError } from '../../store/index.js';
import { type StoreServer, serversOf } from '../../store/servers.js';
import type { CallOptions } from '../../store/transport.js';
import { type ApiRoute, read } from '../frame/route.js';
import type { SessionInfo } from '../types/session.js';
import { infoOf, versionIn } from './info.js';

export const sessionRoutes: readonly ApiRoute[] = [
  read('session', async ({ store, context, isReadOnly, signal }): Promise<SessionInfo> => {
    const servers = serversOf(store);
    return {
      title: context.title,
      kind: store.kind,
      readOnly: isReadOnly,
      servers: servers.map(({ name }) => name),
      product: await productOf(servers[0], { signal }),
    };
  }),
];

async function productOf(server: StoreServer | undefined, options: CallOptions): Promise<string> {
  if (server === undefined) return '';
  try {
    return versionIn(await infoOf(server, ['server'], options));
  } catch (error) {
    // A user without INFO can still use the other pages.
    if (error instanceof StoreError && error.code === 'NOPERM') return '';
    throw error;
  }
}
