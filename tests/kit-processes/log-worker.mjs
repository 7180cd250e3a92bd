/**
 * Follows the log files of log-reader.test.ts until it is killed. Arguments: address, folder, and the package's modules: the folder and the ending of their
 * names. Tells its parent about every line before it is counted.
 */
const [address, folder, modules, ending] = process.argv.slice(2);
process.once('disconnect', () => process.exit(2));

const { open } = await import(`${modules}/store/index.${ending}`);
const { logProcessor } = await import(`${modules}/kit/log-processing/index.${ending}`);
const store = await open(address);
const logs = logProcessor(store, 'web', { folder, batch: 5 });
await logs.follow((line, tally) => {
  process.send('line');
  const [number, value] = line.split(' ');
  tally.count('seen', number);
  tally.count('sums', 'value', Number(value));
});
