import type { Reply } from '../../../store/transport.js';
import { type ApiRoute, read } from '../../frame/route.js';
import { toWire } from '../../frame/wire-bytes.js';
import type { GeoMember, PendingEntry, StreamGroup } from '../../types/keys.js';
import { callCut } from './cut.js';

const MAX_MAP = 1000;
const MAX_MEMBER = 256;

/** What some values are beside their type: streams with groups, places, counters of unique elements, bits. */
export const specialRoutes: readonly ApiRoute[] = [
  read('keys/groups', async ({ store, inputs }): Promise<readonly StreamGroup[]> => {
    const reply = await store.bytes.send('XINFO GROUPS', inputs.bytes('key'));
    return (reply as unknown as (Buffer | number | null)[][]).map((words) => {
      const field = fieldsOf(words);
      const lag = field.get('lag');
      return {
        name: toWire(field.get('name') as Buffer),
        consumers: Number(field.get('consumers')),
        pending: Number(field.get('pending')),
        lastDelivered: String(field.get('last-delivered-id')),
        lag: lag === null || lag === undefined ? null : Number(lag),
      };
    });
  }),

  read('keys/pending', async ({ store, inputs }): Promise<readonly PendingEntry[]> => {
    const from = inputs.text('cursor', '-');
    const reply = await store.bytes.send(
      'XPENDING',
      inputs.bytes('key'),
      inputs.bytes('group'),
      from,
      '+',
      100,
    );
    return (reply as unknown as [Buffer, Buffer, number, number][]).map(
      ([id, consumer, idle, deliveries]) => ({
        id: String(id),
        consumer: toWire(consumer),
        idle: Number(idle),
        deliveries: Number(deliveries),
      }),
    );
  }),

  read('keys/places', async ({ store, inputs }): Promise<readonly GeoMember[]> => {
    const key = inputs.bytes('key');
    const reply = (await callCut(
      store.bytes,
      MAX_MEMBER,
      key,
      'ZRANGE',
      key,
      0,
      MAX_MAP - 1,
    )) as readonly Reply[];
    // GEOPOS needs whole members: long ones are left out.
    const members = reply.filter((member): member is Buffer => Buffer.isBuffer(member));
    if (members.length === 0) return [];
    const places = (await store.bytes.send('GEOPOS', key, ...members)) as unknown as (
      | [Buffer, Buffer]
      | null
    )[];
    return places.flatMap((place, index) =>
      place === null
        ? []
        : [
            {
              member: toWire(members[index] as Buffer),
              longitude: Number(place[0]),
              latitude: Number(place[1]),
            },
          ],
    );
  }),

  read('keys/cardinality', async ({ store, inputs }) => ({
    count: Number(await store.send('PFCOUNT', inputs.bytes('key'))),
  })),

  read('keys/bits', async ({ store, inputs }) => {
    const key = inputs.bytes('key');
    const [set, first] = await store.pipeline((queue) => [
      queue.send('BITCOUNT', key),
      queue.send('BITPOS', key, 1),
    ]);
    return { set: Number(set), first: Number(first) };
  }),
];

function fieldsOf<Value>(words: readonly Value[]): ReadonlyMap<string, Value> {
  const fields = new Map<string, Value>();
  for (let i = 0; i + 1 < words.length; i += 2) fields.set(String(words[i]), words[i + 1] as Value);
  return fields;
}
