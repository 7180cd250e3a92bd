/**
 * Follows the log files of log-reader.test.ts until it is killed. Arguments: address, folder. Tells its parent about every line before it is
 * counted.
 */
import { logProcessor } from '../../src/kit/log-processing/index.js';
import { open } from '../../src/store/index.js';
import { openAnyway } from './open-anyway.js';

const [address = '', folder = ''] = process.argv.slice(2);
process.once('disconnect', () => process.exit(2));

const store = await openAnyway(open, address);
const logs = logProcessor(store, 'web', { folder, batch: 5 });
await logs.follow((line, tally) => {
  process.send?.('line');
  const [number = '', value = ''] = line.split(' ');
  tally.count('seen', number);
  tally.count('sums', 'value', Number(value));
});
