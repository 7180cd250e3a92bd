import { test } from 'node:test';
import { type Command, show } from './command.js';
import { agree, showOutcome, type Tolerance } from './comparison.js';
import { callerPlace, failure } from './failure.js';
import {
  type ConnectionPair,
  freshPair,
  nextOutcome,
  type ServerPair,
  whenRedisIsInstalled,
} from './pair.js';
import type { Protocol } from './raw-client.js';
import type { Reply } from './reply.js';

/** Both servers, for a test that cannot be written as a list of cases. */
export interface LivePair {
  readonly servers: Pick<ServerPair, 'redis' | 'sorrel'>;
  /** A new connection to both servers. */
  connect(protocol?: Protocol): Promise<ConnectionPair>;
  /** Sends to both on the main RESP2 connection (or the given one), fails if the replies differ, and returns them. */
  sendBoth(
    command: Command,
    options?: Tolerance & { on?: ConnectionPair },
  ): Promise<Record<'redis' | 'sorrel', Reply>>;
  /** Returns when both servers have processed everything sent so far on any connection. */
  settle(): Promise<void>;
}

/** A test written as a program: loops, conditions, many connections. Both servers are empty at the start. */
export function compareLive(name: string, body: (pair: LivePair) => Promise<void>): void {
  test(name, whenRedisIsInstalled, async () => {
    const pair = await freshPair();
    const main = await pair.connect();
    await body({
      servers: pair,
      connect: (protocol) => pair.connect(protocol),
      settle: () => pair.settle(),
      sendBoth: async (command, options = {}) => {
        const here = new Error();
        await pair.noteSettings(command);
        return sendBoth(options.on ?? main, command, options, here);
      },
    });
  });
}

async function sendBoth(
  connection: ConnectionPair,
  command: Command,
  tolerance: Tolerance,
  here: Error,
): Promise<Record<'redis' | 'sorrel', Reply>> {
  connection.redis.send(command);
  connection.sorrel.send(command);
  const [redis, sorrel] = await Promise.all([nextOutcome(connection.redis), nextOutcome(connection.sorrel)]);
  if ('reason' in redis || 'reason' in sorrel || !agree(sorrel, redis, tolerance)) {
    const lines = [
      show(command),
      `  ${callerPlace(here)}`,
      `    redis   ${showOutcome(redis)}`,
      `    sorrel  ${showOutcome(sorrel)}`,
    ];
    throw failure(lines.join('\n'));
  }
  return { redis, sorrel };
}
