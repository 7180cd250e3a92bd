import type { StoreServer } from '../../../store/servers.js';
import type { CallOptions, Reply } from '../../../store/transport.js';
import { type ApiRoute, change, read } from '../../frame/route.js';
import { toWire } from '../../frame/wire-bytes.js';
import type { ClientRow, SlowRow } from '../../types/server.js';
import { namedServer, onEach } from './each.js';

const MAX_SLOW = 128;
const MAX_WORD = 200;

export const clientRoutes: readonly ApiRoute[] = [
  read(
    'server/clients',
    (call): Promise<readonly ClientRow[]> =>
      onEach(call, async (server) =>
        clientsIn(server.name, String(await server.send('CLIENT LIST', [], call))),
      ),
  ),

  change('server/clients/kill', async (call) => {
    const id = call.inputs.integer('id', { min: 1 });
    const killed = await namedServer(call).send('CLIENT KILL', ['ID', id], call);
    return { killed: Number(killed) };
  }),

  read('server/slow', (call): Promise<readonly SlowRow[]> => onEach(call, (server) => slowOf(server, call))),

  change('server/slow/reset', async (call) => {
    await onEach(call, async (server) => [await server.send('SLOWLOG RESET', [], call)]);
  }),
];

function clientsIn(server: string, list: string): ClientRow[] {
  return list
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const fields = new Map(line.split(' ').map((pair) => splitOnce(pair)));
      const text = (name: string): string => fields.get(name) ?? '';
      return {
        server,
        id: text('id'),
        address: text('addr'),
        name: text('name'),
        user: text('user'),
        database: Number(text('db')),
        age: Number(text('age')),
        idle: Number(text('idle')),
        flags: text('flags'),
        command: text('cmd'),
        memory: Number(text('tot-mem')),
      };
    });
}

function splitOnce(pair: string): [string, string] {
  const at = pair.indexOf('=');
  return [pair.slice(0, at), pair.slice(at + 1)];
}

async function slowOf(server: StoreServer, options: CallOptions): Promise<SlowRow[]> {
  const reply = (await server.send('SLOWLOG GET', [MAX_SLOW], options)) as readonly Reply[];
  return (reply as unknown as [number, number, number, Buffer[], Buffer?][]).map(
    ([id, at, microseconds, words, client]) => ({
      server: server.name,
      id: Number(id),
      at: Number(at) * 1000,
      microseconds: Number(microseconds),
      words: words.map((word) => toWire(word.subarray(0, MAX_WORD))),
      client: client === undefined ? '' : String(client),
    }),
  );
}
