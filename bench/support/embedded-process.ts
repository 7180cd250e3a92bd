/** Makes calls in the way that the first parameter names, to the server on the port of the second parameter. */
import { type CommandName, fill, prove, rateOf, WAYS } from './embedded-ways.js';

const [, , name = '', port = ''] = process.argv;
const make = WAYS[name];
if (make === undefined) throw new Error(`there is no way '${name}'`);
const way = await make(Number(port));
await fill(way);
await prove(way);
process.on('message', async ({ command, milliseconds }: { command: CommandName; milliseconds: number }) => {
  const rate = await rateOf(way, command, milliseconds);
  await prove(way);
  process.send?.(rate);
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
