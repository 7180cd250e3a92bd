import { StoreError } from '../../store/index.js';
import type { StoreServer } from '../../store/servers.js';
import type { CallOptions } from '../../store/transport.js';
import type { Warning } from '../types/overview.js';
import { pairsOf, type ServerInfo } from './info.js';

interface Facts {
  readonly info: ServerInfo;
  /** Settings by name; empty if the user may not read them. */
  readonly settings: ReadonlyMap<string, string>;
}

type Rule = (facts: Facts) => Omit<Warning, 'server'> | undefined;

const warn = (
  level: Warning['level'],
  text: string,
  values: Warning['values'] = {},
): Omit<Warning, 'server'> => ({ level, text, values });

const HALF_MINUTE = 30;
const MB = 1024 * 1024;

const RULES: readonly Rule[] = [
  ({ info, settings }) => {
    const policy = info.text('maxmemory_policy');
    return info.number('maxmemory') > 0 && policy.startsWith('allkeys') && settings.size > 0
      ? warn(
          'notice',
          'The policy {policy} evicts any key when memory is full: not for queues, locks or sessions.',
          { policy },
        )
      : undefined;
  },
  ({ info }) => {
    const used = info.number('used_memory');
    const max = info.number('maxmemory');
    return max > 0 && used > max * 0.9
      ? warn('serious', '{share} % of maxmemory is used.', { share: Math.round((used / max) * 100) })
      : undefined;
  },
  ({ info }) =>
    info.number('maxmemory') === 0 && info.number('total_system_memory') > 0
      ? warn('notice', 'maxmemory is not set: the server may use all memory of the machine.')
      : undefined,
  ({ info, settings }) =>
    settings.get('save') === '' && info.number('aof_enabled') === 0
      ? warn('notice', 'Nothing is written to disk: all data is lost when the server stops.')
      : undefined,
  ({ info }) =>
    info.text('rdb_last_bgsave_status') === 'err'
      ? warn('serious', 'The last snapshot could not be written to disk.')
      : undefined,
  ({ info }) =>
    info.text('aof_last_write_status') === 'err'
      ? warn('serious', 'The append-only file cannot be written.')
      : undefined,
  ({ info }) => {
    const resident = info.number('used_memory_rss');
    const used = info.number('used_memory');
    // The server has more in use than it has in physical memory.
    return info.text('redis_mode') !== '' &&
      !info.has('sorrel_version') &&
      used > 64 * MB &&
      resident < used * 0.8
      ? warn('serious', 'Part of the memory has been swapped out to disk: answers will be slow.')
      : undefined;
  },
  ({ info }) =>
    info.text('role') === 'slave' && info.text('master_link_status') !== 'up'
      ? warn('serious', 'The connection of this replica to its master is down: its data is stale.')
      : undefined,
  ({ info }) => {
    for (const [, text] of info.startingWith('slave')) {
      const { lag, ip, port } = pairsOf(text);
      if (Number(lag) > HALF_MINUTE) {
        return warn('serious', 'The replica {name} has not answered for {lag} s.', {
          name: `${ip}:${port}`,
          lag: Number(lag),
        });
      }
    }
    return undefined;
  },
  ({ info }) =>
    info.number('rejected_connections') > 0
      ? warn('notice', '{count} connections were refused because maxclients was reached.', {
          count: info.number('rejected_connections'),
        })
      : undefined,
  ({ info }) =>
    info.number('loading') === 1 ? warn('notice', 'The server is loading its data.') : undefined,
];

export async function warningsOf(
  server: StoreServer,
  info: ServerInfo,
  options: CallOptions,
): Promise<Warning[]> {
  const facts: Facts = { info, settings: await settingsOf(server, options) };
  return RULES.flatMap((rule) => {
    const found = rule(facts);
    return found === undefined ? [] : [{ server: server.name, ...found }];
  });
}

async function settingsOf(server: StoreServer, options: CallOptions): Promise<ReadonlyMap<string, string>> {
  try {
    const words = (await server.send('CONFIG GET', ['save'], options)) as readonly Buffer[];
    return new Map([[String(words[0]), String(words[1] ?? '')]]);
  } catch (error) {
    if (error instanceof StoreError && error.code !== 'UNREACHABLE') return new Map();
    throw error;
  }
}
