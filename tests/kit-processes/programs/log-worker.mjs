/**
 * Follows the log files of log-reader.test.ts until it is killed. Arguments: address, folder, and the modules of the store and of the component.
 * Tells its parent about every line before it is counted.
 */
const [address, folder, storeModule, logsModule] = process.argv.slice(2);
process.once('disconnect', () => process.exit(2));

const { open } = await import(storeModule);
const { logProcessor } = await import(logsModule);
const store = await open(address);
const logs = logProcessor(store, 'web', { folder, batch: 5 });
await logs.follow((line, tally) => {
  process.send('line');
  const [number, value] = line.split(' ');
  tally.count('seen', number);
  tally.count('sums', 'value', Number(value));
});
