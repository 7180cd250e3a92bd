import type { Call } from '../call.js';
import type { ChannelKind } from '../engine-port.js';

export function publish(call: Call): void {
  publishTo(call, 'global');
}

export function spublish(call: Call): void {
  publishTo(call, 'shard');
}

/** In a cluster nodes pass messages to each other; otherwise replicas get them in the stream of changes. */
function publishTo(call: Call, kind: ChannelKind): void {
  const { pubsub, cluster } = call.engine;
  const receivers = pubsub.publish(kind, call.arg(1), call.arg(2));
  if (cluster === undefined) call.effects.forward(call.db, call.args, call.argc);
  else cluster.publish(kind, call.arg(1), call.arg(2));
  call.reply.integer(receivers);
}
