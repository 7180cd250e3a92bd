/**
 * Counts, logs and records as fast as it can until its parent says stop. Arguments: address, number of the process. Tells its parent
 * about every round that the store has confirmed; ends with its parent.
 */
import { counters } from '../../../src/kit/counters/index.js';
import { logs } from '../../../src/kit/logs/index.js';
import { statistics } from '../../../src/kit/statistics/index.js';
import { open } from '../../../src/store/index.js';

const [address = '', number = ''] = process.argv.slice(2);
process.once('disconnect', () => process.exit(2));
let isStopped = false;
process.on('message', () => {
  isStopped = true;
});

const store = await open(address);
const hits = counters(store);
const log = logs(store);
const stats = statistics(store);

let rounds = 0;
while (!isStopped) {
  await Promise.all([
    hits.count('hits'),
    log.write('shop', `from ${number}`),
    stats.record('page', 'size', Number(number)),
  ]);
  process.send?.(++rounds);
}
await store.close();
process.disconnect();
