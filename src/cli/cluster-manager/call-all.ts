import { formatText } from '../shell/format-reply.js';
import type { Manager } from './manager.js';

/** `call host:port command …`: the same command to all nodes, or to the masters or replicas. */
export async function callAll(
  manager: Manager,
  [place = '', ...command]: readonly string[],
): Promise<boolean> {
  const { report, options } = manager;
  await manager.load(manager.addressIn([place]));
  report.info('>>> Calling');
  report.print(`${command.map((word) => ` ${word}`).join('')}\n`);
  for (const node of manager.nodes) {
    if (options.only !== undefined && (options.only === 'replicas') !== node.isReplica) continue;
    const reply = await node.try(...command);
    report.print(`${node.place}: ${formatText(reply, RAW)}\n`);
  }
  return true;
}

const RAW = { mode: 'raw', itemDelimiter: '\n', replyDelimiter: '\n' } as const;
