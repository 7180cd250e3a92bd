/** Calls in one way, the first parameter, against the server on the port of the second, as often as it is asked to. */
import { type CommandName, fill, rateOf, WAYS } from './embedded-ways.js';

const [, , name = '', port = ''] = process.argv;
const make = WAYS[name];
if (make === undefined) throw new Error(`there is no way '${name}'`);
const way = await make(Number(port));
await fill(way);
process.on('message', async ({ command, milliseconds }: { command: CommandName; milliseconds: number }) => {
  process.send?.(await rateOf(way, command, milliseconds));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
