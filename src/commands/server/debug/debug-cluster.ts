import type { Call } from '../../call.js';
import type { ClusterLinks } from '../../cluster-port.js';
import { CommandError, shownText, wrongSubcommandArguments } from '../../errors.js';

const NO_CLUSTER = new CommandError('ERR Debug option only available for cluster mode enabled setup!');

/** DEBUG DROP-CLUSTER-PACKET-FILTER type: packets of this type are not processed; -1 is none. */
export function debugDropPackets(call: Call): void {
  call.engine.cluster?.dropPackets(call.integer(2));
  call.reply.ok();
}

/** DEBUG CLUSTERLINK KILL to|from|all node-id */
export function debugClusterLink(call: Call): void {
  if (!call.arg(2).is('kill')) throw wrongSubcommandArguments(call.text(1), 'debug');
  const { cluster } = call.engine;
  if (cluster === undefined) throw NO_CLUSTER;
  const node = cluster.node(call.text(4));
  if (node === undefined) throw new CommandError(`ERR Unknown node ${shownText(call.text(4))}`);
  const direction = DIRECTIONS.find((each) => call.arg(3).is(each));
  if (direction === undefined) throw new CommandError(`ERR Unknown direction ${shownText(call.text(3))}`);
  cluster.closeLinks(node, direction);
  call.reply.ok();
}

const DIRECTIONS: readonly ClusterLinks[] = ['to', 'from', 'all'];
