import type { ClientTls } from '../../commands/config/tls-options.js';
import type { Address as ServerAddress } from '../../replication/world.js';
import type { Address } from '../address.js';
import { openTransport } from '../remote/open-transport.js';
import { StoreError } from '../store-error.js';
import { commandNamed } from '../wire-command.js';

type MasterAddress = Extract<Address, { kind: 'standalone' | 'sentinel' }>;

const GET_MASTER = commandNamed('SENTINEL GET-MASTER-ADDR-BY-NAME');

/** A function that returns where the master is now: a fixed address, or what the Sentinels say. */
export function masterFinder(address: MasterAddress, certificates?: ClientTls): () => Promise<ServerAddress> {
  if (address.kind === 'standalone') {
    const { at } = address;
    const fixed = 'path' in at ? { host: at.path, port: 0 } : { host: at.host, port: at.port };
    return async () => fixed;
  }
  return () => askSentinels(address, certificates);
}

async function askSentinels(
  { hosts, name, query, tls }: Extract<Address, { kind: 'sentinel' }>,
  certificates: ClientTls | undefined,
): Promise<ServerAddress> {
  const { sentinelUsername, sentinelPassword } = query;
  let last: unknown;
  for (const at of hosts) {
    try {
      const sentinel = await openTransport(
        {
          kind: 'standalone',
          at,
          tls,
          query: {},
          ...(sentinelUsername === undefined ? {} : { username: sentinelUsername }),
          ...(sentinelPassword === undefined ? {} : { password: sentinelPassword }),
        },
        {
          connectTimeout: ASK_TIMEOUT_MS,
          commandTimeout: ASK_TIMEOUT_MS,
          ...(certificates && { tls: certificates }),
        },
      );
      try {
        const reply = (await sentinel.send(GET_MASTER, [name], 0)) as readonly string[] | null;
        if (reply !== null) return { host: String(reply[0]), port: Number(reply[1]) };
      } finally {
        await sentinel.close();
      }
    } catch (error) {
      last = error;
    }
  }
  throw new StoreError('UNREACHABLE', `no Sentinel knows the master '${name}'`, { cause: last });
}

const ASK_TIMEOUT_MS = 1000;
