import { ReplyFormat } from '../../resp/reply-reader.js';
import type { WireCommand } from '../command-runner.js';
import { StoreError } from '../store-error.js';
import type { ChannelKind, MessageListener, Reply } from '../transport.js';
import type { Argument } from '../value.js';
import { EmbeddedClient, readPush } from './embedded-client.js';
import type { EmbeddedEngine } from './embedded-engine.js';

const SUBSCRIBE: Readonly<Record<ChannelKind, WireCommand>> = {
  channel: { words: ['SUBSCRIBE'] },
  pattern: { words: ['PSUBSCRIBE'] },
  shard: { words: ['SSUBSCRIBE'] },
  monitor: { words: ['MONITOR'] },
};

/** Opens a session for a subscription. */
export function subscribeEmbedded(
  embedded: EmbeddedEngine,
  kind: ChannelKind,
  names: readonly Argument[],
  listener: MessageListener,
): EmbeddedClient {
  const client = new EmbeddedClient(embedded, 0);
  client.onLeave = embedded.stayAwake();
  client.onClose = () =>
    listener.ended(new StoreError('CLOSED', 'the subscription was closed by CLIENT KILL'));
  client.onPush = (bytes) => deliver(readPush(bytes, ReplyFormat.bytes), listener);
  const reply = client.callWaiting(SUBSCRIBE[kind], kind === 'monitor' ? [] : names, 0);
  if (reply instanceof StoreError) {
    client.leave();
    throw reply;
  }
  return client;
}

function deliver(push: Reply, listener: MessageListener): void {
  if (!Array.isArray(push)) {
    deliverMonitored(String(push), listener);
    return;
  }
  const [kind, ...fields] = push as readonly Buffer[];
  const name = String(kind);
  if (name === 'pmessage') {
    const [pattern, channel, message] = fields as [Buffer, Buffer, Buffer];
    listener.message(channel, message, pattern);
  } else if (name === 'message' || name === 'smessage') {
    const [channel, message] = fields as [Buffer, Buffer];
    listener.message(channel, message, null);
  }
}

/** A line of MONITOR: `1700000000.000000 [0 127.0.0.1:5000] "get" "key"`. */
function deliverMonitored(line: string, listener: MessageListener): void {
  const [, source = '', command = ''] = /^\S+ \[([^\]]*)\] (.*)$/s.exec(line) ?? [];
  listener.message(Buffer.from(source), Buffer.from(command), null);
}
