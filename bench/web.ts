/**
 * The components of a web application beside the algorithms of the guide, in alternating rounds: embedded, on redis-server, and on
 * a redis-server to which a round trip takes 0.27 and 48 ms longer. Each file of bench/web is a part.
 * Options: --parts=market,autocomplete (default: all) --rounds=3 --seconds=2 --latencies=0.27,48 (round trips in ms; 0 for none)
 * --ranges=1000000 (of IP addresses)
 */
import { readdirSync } from 'node:fs';
import { option, textOption } from './support/measure.js';
import { distantPlace, embeddedPlace, redisPlace } from './support/place.js';
import type { WebPart } from './support/web-part.js';

const folder = new URL('web/', import.meta.url);
const names = readdirSync(folder).map((file) => file.replace(/\.ts$/, ''));
const chosen = textOption('parts', names.join(',')).split(',');
const rounds = option('rounds', 3);
const seconds = option('seconds', 2);
const latencies = textOption('latencies', '0.27,48')
  .split(',')
  .map(Number)
  .filter((ms) => ms > 0);

const unknown = chosen.find((name) => !names.includes(name));
if (unknown !== undefined) {
  console.error(`There is no part named ${unknown}. Parts: ${names.join(', ')}`);
  process.exit(1);
}

for (const name of chosen) {
  const { part } = (await import(new URL(`${name}.ts`, folder).href)) as { readonly part: WebPart };
  console.log(`\n# ${name}: ${part.about}\n`);
  const places = [await embeddedPlace(), await redisPlace()];
  for (const ms of latencies) places.push(await distantPlace(ms));
  try {
    await part.run({ rounds, seconds, places });
  } finally {
    for (const place of places) await place.stop();
  }
}
