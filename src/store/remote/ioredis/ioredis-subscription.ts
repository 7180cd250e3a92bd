import type { EventEmitter } from 'node:events';
import type { Redis } from 'ioredis';
import { StoreError } from '../../store-error.js';
import type { ChannelKind, Closable, MessageListener } from '../../transport.js';
import type { Argument } from '../../value.js';
import { HEARTBEAT_MS } from '../heartbeat.js';
import { errorOf, wireArgument } from '../remote-values.js';
import { disconnectClient } from './ioredis-connecting.js';

/** Subscribes the client, which is used for nothing else and closed with the subscription. */
export async function listenTo(
  client: Redis,
  kind: Exclude<ChannelKind, 'monitor'>,
  names: readonly Argument[],
  listener: MessageListener,
): Promise<Closable> {
  const channels = names.map(wireArgument);
  let isClosing = false;
  const events: EventEmitter = client;
  events.on('messageBuffer', (channel: Buffer, message: Buffer) => listener.message(channel, message, null));
  events.on('smessageBuffer', (channel: Buffer, message: Buffer) => listener.message(channel, message, null));
  events.on('pmessageBuffer', (pattern: Buffer | string, channel: Buffer, message: Buffer) =>
    listener.message(channel, message, Buffer.from(pattern)),
  );
  const heartbeat = probe(client);
  const stop = (): void => {
    isClosing = true;
    clearInterval(heartbeat);
    disconnectClient(client);
  };
  const lose = (text: string): void => {
    if (isClosing) return;
    stop();
    listener.ended(new StoreError('UNREACHABLE', text));
  };
  events.on('end', () => lose('the connection of the subscription was lost'));
  // The slot of the shard channels was moved to another server.
  events.on('moved', () => lose('the channels have moved to another server'));
  try {
    await subscribe(client, kind, channels);
  } catch (error) {
    stop();
    throw errorOf(error);
  }
  return { close: async () => stop() };
}

/** The published types of ioredis do not accept buffers as patterns. */
interface Subscriber {
  subscribe(...channels: (string | Buffer)[]): Promise<unknown>;
  psubscribe(...patterns: (string | Buffer)[]): Promise<unknown>;
  ssubscribe(...channels: (string | Buffer)[]): Promise<unknown>;
}

function subscribe(
  client: Subscriber,
  kind: Exclude<ChannelKind, 'monitor'>,
  names: (string | Buffer)[],
): Promise<unknown> {
  if (kind === 'channel') return client.subscribe(...names);
  return kind === 'pattern' ? client.psubscribe(...names) : client.ssubscribe(...names);
}

/** Sends PING regularly, and closes the connection if the previous one was not answered. */
function probe(client: Redis): NodeJS.Timeout {
  let isWaiting = false;
  const timer = setInterval(() => {
    if (isWaiting) {
      client.stream.destroy();
      return;
    }
    isWaiting = true;
    client.ping().then(
      () => {
        isWaiting = false;
      },
      () => {},
    );
  }, HEARTBEAT_MS);
  return timer.unref();
}
