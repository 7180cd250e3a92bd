import type { EventEmitter } from 'node:events';
import type { Cluster, Redis } from 'ioredis';
import { StoreError } from '../store-error.js';
import type { ChannelKind, Closable, MessageListener } from '../transport.js';
import type { Argument } from '../value.js';
import { errorOf, wireArgument } from './remote-values.js';

/**
 * Connections that listen come back by themselves. They take up their channels again in `listenTo`: where ioredis does
 * it, a connection that is closed or lost again at that moment ends the process with an unhandled rejection.
 */
export const SUBSCRIBER_OPTIONS = {
  lazyConnect: true,
  protocol: 2,
  autoResubscribe: false,
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
  const listen = async (): Promise<void> => {
    if (kind === 'channel') await subscriber.subscribe(...channels);
    else if (kind === 'pattern') await subscriber.psubscribe(...channels);
    else await subscriber.ssubscribe(...channels);
  };
  try {
    await listen();
  } catch (error) {
    await close();
    throw errorOf(error);
  }
  // If the connection is lost once more, it will be ready once more.
  events.on('ready', () => listen().catch(() => {}));
  return { close };
}

interface Subscriber {
  subscribe(...channels: (string | Buffer)[]): Promise<unknown>;
  psubscribe(...patterns: (string | Buffer)[]): Promise<unknown>;
  ssubscribe(...channels: (string | Buffer)[]): Promise<unknown>;
}
