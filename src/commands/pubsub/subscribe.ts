import type { Call } from '../call.js';
import type { ChannelKind } from '../engine-port.js';
import { CommandError } from '../errors.js';

/**
 * Confirmations are not replies but messages, one per channel. A caller that needs exactly one reply per command, as
 * scripts do, cannot subscribe. Transactions can, for compatibility, except to shard channels.
 */
function refuseWithoutConnection(call: Call, name: string): void {
  if (!call.mayBlock) throw new CommandError(`ERR ${name} isn't allowed for a DENY BLOCKING client`);
}

function subscribeTo(call: Call, kind: ChannelKind): void {
  for (let i = 1; i < call.argc; i++) call.engine.pubsub.subscribe(call.session, kind, call.text(i));
}

function unsubscribeFrom(call: Call, kind: ChannelKind): void {
  const { pubsub } = call.engine;
  if (call.argc === 1) pubsub.unsubscribeFromAll(call.session, kind);
  for (let i = 1; i < call.argc; i++) pubsub.unsubscribe(call.session, kind, call.text(i));
}

export function subscribe(call: Call): void {
  if (call.session.queue === undefined) refuseWithoutConnection(call, 'SUBSCRIBE');
  subscribeTo(call, 'global');
}

export function ssubscribe(call: Call): void {
  refuseWithoutConnection(call, 'SSUBSCRIBE');
  subscribeTo(call, 'shard');
}

export function psubscribe(call: Call): void {
  if (call.session.queue === undefined) refuseWithoutConnection(call, 'PSUBSCRIBE');
  for (let i = 1; i < call.argc; i++) call.engine.pubsub.subscribePattern(call.session, call.text(i));
}

export function unsubscribe(call: Call): void {
  unsubscribeFrom(call, 'global');
}

export function sunsubscribe(call: Call): void {
  unsubscribeFrom(call, 'shard');
}

export function punsubscribe(call: Call): void {
  const { pubsub } = call.engine;
  if (call.argc === 1) pubsub.unsubscribeFromAllPatterns(call.session);
  for (let i = 1; i < call.argc; i++) pubsub.unsubscribePattern(call.session, call.text(i));
}
