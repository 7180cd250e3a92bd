import { rows as pubsubRows } from '../../commands/pubsub/rows.js';
import { diagnosticsRows } from '../../commands/server/diagnostics-rows.js';
import { replicationRows } from '../../commands/server/replication-rows.js';
import { type Command, CommandTable, family } from '../../commands/table.js';
import { commandTable } from '../../engine/running/command-table.js';
import { info, publish, role, sentinelHandlers } from './handlers.js';
import { sentinelRows } from './rows.js';

/** Commands that are the same as on other servers. */
const COMMON = [
  'acl',
  'auth',
  'client',
  'command',
  'hello',
  'ping',
  'psubscribe',
  'punsubscribe',
  'shutdown',
  'subscribe',
  'unsubscribe',
];

const own = family(
  {
    ...sentinelRows,
    info: diagnosticsRows.info,
    publish: pubsubRows.publish,
    role: replicationRows.role,
  },
  { sentinel: sentinelHandlers, info, publish, role },
);

/** The commands of a Sentinel. */
export const sentinelTable = new CommandTable([
  ...COMMON.flatMap((name): [string, Command][] => {
    const command = commandTable.byName(name);
    return command === undefined ? [] : [[name, command]];
  }),
  ...own.commands.map((command): [string, Command] => [command.name, command]),
]);
