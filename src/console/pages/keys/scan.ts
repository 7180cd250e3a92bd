import { serversOf } from '../../../store/servers.js';
import type { Argument } from '../../../store/value.js';
import { invalid } from '../../frame/api-error.js';
import { type ApiRoute, stream } from '../../frame/route.js';
import { toWire } from '../../frame/wire-bytes.js';
import type { ScanProgress } from '../../types/keys.js';
import { Pace } from '../pace.js';

const MAX_FOUND = 100_000;
const REPORT_MS = 100;

/** Looks through the keys of all servers, in small steps with pauses, until `limit` keys are found or the browser leaves. */
export const scanRoutes: readonly ApiRoute[] = [
  stream('keys/scan', async ({ store, inputs, signal }, emit) => {
    const limit = inputs.integer('limit', { min: 1, max: MAX_FOUND, default: 10_000 });
    const words = scanWords(inputs.text('match'), inputs.text('type'));
    const servers = serversOf(store);
    let place = startOf(inputs.text('cursor'));
    let found = 0;
    let batch: Buffer[] = [];
    let reportedAt = 0;
    const pace = new Pace(signal, inputs.oneOf('speed', ['gentle', 'brisk'], 'gentle'));
    const report = async (): Promise<void> => {
      if (batch.length > 0) await emit('keys', batch.map(toWire));
      batch = [];
      const progress: ScanProgress = {
        share: place === undefined ? 1 : (place.server + shareOf(place.cursor)) / servers.length,
        found,
        cursor: place === undefined ? null : `${place.server}:${place.cursor}`,
      };
      await emit('progress', progress);
      reportedAt = performance.now();
    };
    while (place !== undefined && found < limit && !signal.aborted) {
      const server = servers[place.server];
      if (server === undefined) throw invalid('`cursor` names a server that is no longer there: begin again');
      const step = [place.cursor, 'COUNT', pace.begin(), ...words];
      const [cursor, keys] = (await server.send('SCAN', step, { signal })) as [Buffer, Buffer[]];
      batch.push(...keys);
      found += keys.length;
      place = following(place, String(cursor), servers.length);
      if (performance.now() - reportedAt > REPORT_MS) await report();
      await pace.pause();
    }
    await report();
  }),
];

function scanWords(match: string, type: string): Argument[] {
  const words: Argument[] = [];
  if (match !== '') words.push('MATCH', match);
  if (type !== '') words.push('TYPE', type);
  return words;
}

interface Place {
  readonly server: number;
  readonly cursor: string;
}

function startOf(text: string): Place | undefined {
  if (text === '') return { server: 0, cursor: '0' };
  const [, server, cursor] = /^(\d{1,4}):(\d{1,20})$/.exec(text) ?? [];
  if (server === undefined || cursor === undefined)
    throw invalid('`cursor` must be one that a scan returned');
  return { server: Number(server), cursor };
}

function following({ server }: Place, cursor: string, servers: number): Place | undefined {
  if (cursor !== '0') return { server, cursor };
  return server + 1 < servers ? { server: server + 1, cursor: '0' } : undefined;
}

/**
 * The share of a server's table that is behind a cursor of SCAN. Cursors count with their bits reversed, so that the highest bit of
 * the position comes first; the size of the table is not needed.
 */
export function shareOf(cursor: string): number {
  let rest = BigInt(cursor);
  let share = 0;
  for (let weight = 0.5; rest > 0n && weight > 1e-9; weight /= 2) {
    if ((rest & 1n) === 1n) share += weight;
    rest >>= 1n;
  }
  return share;
}
