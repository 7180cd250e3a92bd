/** How long a round trip to each place takes, to compare the results of other parts with. */
import { median, printTable } from '../support/measure.js';
import type { Place } from '../support/place.js';
import { prove, type WebPart } from '../support/web-part.js';

const PINGS = 50;

export const part: WebPart = {
  about: 'how far away the places are',
  async run({ places }) {
    const rows: [string, string][] = [];
    for (const place of places) {
      const ms = await roundTrip(place);
      const added = Number(/, ([\d.]+) ms away/.exec(place.name)?.[1] ?? 0);
      prove(ms >= added, `${place.name} answers within ${ms} ms`);
      rows.push([place.name, ms.toFixed(3)]);
    }
    printTable(['place', 'round trip, ms (median)'], rows);
  },
};

async function roundTrip(place: Place): Promise<number> {
  await using store = await place.openStore();
  const taken: number[] = [];
  for (let i = 0; i < PINGS; i++) {
    const start = performance.now();
    await store.send('PING');
    taken.push(performance.now() - start);
  }
  return median(taken);
}
