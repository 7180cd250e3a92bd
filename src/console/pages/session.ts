import { serversOf } from '../../store/servers.js';
import { type ApiRoute, read } from '../frame/route.js';
import type { SessionInfo } from '../types/session.js';
import { infoOf } from './info.js';

export const sessionRoutes: readonly ApiRoute[] = [
  read('session', async ({ store, context, isReadOnly }): Promise<SessionInfo> => {
    const servers = serversOf(store);
    const info = await infoOf(servers[0]!, ['server']);
    return {
      title: context.title,
      kind: store.kind,
      readOnly: isReadOnly,
      servers: servers.map(({ name }) => name),
      product: info.has('sorrel_version')
        ? `Sorrel ${info.text('sorrel_version')}`
        : `Redis ${info.text('redis_version')}`,
    };
  }),
];
