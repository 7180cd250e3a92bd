/** Runs every feature and prints the results as JSON: true, or the error. */
import { components, embedded, onStore, others } from './features.mjs';

const place = JSON.parse(process.argv[2]);
const outcomes = {};

async function check(name, gives, run) {
  const result = await run().catch((error) => error.stack ?? String(error));
  outcomes[name] = result === gives || `gave ${result}`;
}

async function checkAll() {
  for (const [name, feature] of Object.entries({ ...embedded, ...components })) {
    await check(name, feature.gives, () => onStore(feature));
  }
  for (const [name, { gives, run }] of Object.entries(others)) await check(name, gives, () => run(place));
  process.stdout.write(JSON.stringify(outcomes), () => process.exit());
}

checkAll();
