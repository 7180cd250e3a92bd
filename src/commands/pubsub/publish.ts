import type { Call } from '../call.js';

export function publish(call: Call): void {
  const receivers = call.engine.pubsub.publish('global', call.arg(1), call.arg(2));
  call.effects.forward(call.db, call.args, call.argc);
  call.reply.integer(receivers);
}

export function spublish(call: Call): void {
  const receivers = call.engine.pubsub.publish('shard', call.arg(1), call.arg(2));
  call.effects.forward(call.db, call.args, call.argc);
  call.reply.integer(receivers);
}
