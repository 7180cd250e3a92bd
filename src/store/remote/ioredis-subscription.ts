import type { EventEmitter } from 'node:events';
import type { Cluster, Redis } from 'ioredis';
import { StoreError } from '../store-error.js';
import type { ChannelKind, Closable, MessageListener } from '../transport.js';
import type { Argument } from '../value.js';
import { errorOf, wireArgument } from './remote-values.js';

/** Connections that listen come back by themselves and take up their channels again: ioredis sees to it. */
export const SUBSCRIBER_OPTIONS = {
  lazyConnect: true,
  protocol: 2,
  autoResubscribe: true,
  commandTimeout: undefined,
} as const;

/** Subscribes the client, which is used for nothing else and closed with the subscription. */
export async function listenTo(
  client: Redis | Cluster,
  kind: ChannelKind,
  names: readonly Argument[],
  listener: MessageListener,
): Promise<Closable> {
  const channels = names.map(wireArgument);
  let isClosing = false;
  const events: EventEmitter = client;
  const subscriber: Subscriber = client;
  events.on('messageBuffer', (channel: Buffer, message: Buffer) => listener.message(channel, message, null));
  events.on('smessageBuffer', (channel: Buffer, message: Buffer) => listener.message(channel, message, null));
  events.on('pmessageBuffer', (pattern: Buffer | string, channel: Buffer, message: Buffer) =>
    listener.message(channel, message, Buffer.from(pattern)),
  );
  events.on('end', () => {
    if (!isClosing) listener.ended(new StoreError('UNREACHABLE', 'the connection that listened was lost'));
  });
  const close = async (): Promise<void> => {
    isClosing = true;
    client.disconnect();
  };
  try {
    if (kind === 'channel') await subscriber.subscribe(...channels);
    else if (kind === 'pattern') await subscriber.psubscribe(...channels);
    else await subscriber.ssubscribe(...channels);
  } catch (error) {
    await close();
    throw errorOf(error);
  }
  return { close };
}

interface Subscriber {
  subscribe(...channels: (string | Buffer)[]): Promise<unknown>;
  psubscribe(...patterns: (string | Buffer)[]): Promise<unknown>;
  ssubscribe(...channels: (string | Buffer)[]): Promise<unknown>;
}
