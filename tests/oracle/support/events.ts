import { type Command, show } from './command.js';
import { compareLive, type LivePair } from './live.js';
import type { ConnectionPair } from './pair.js';
import type { RawClient } from './raw-client.js';
import { itemsOf, plain } from './reply.js';

const ALL_EVENTS = 'KEAmn';
const MARK = 'mark';

/** The events published since the last mark, as `key: event`, with the database unless it is 0. */
async function eventsUntilMark(subscriber: RawClient): Promise<string[]> {
  const events: string[] = [];
  for (;;) {
    const [, pattern, channel, message] = itemsOf(await subscriber.next()).map(plain);
    if (pattern === MARK) return events;
    const keyspace = /^__keyspace@(\d+)__:(.*)$/s.exec(String(channel));
    const keyevent = /^__keyevent@(\d+)__:(.*)$/s.exec(String(channel));
    if (keyspace !== null) events.push(`${keyspace[1]}|${keyspace[2]} ${message}`);
    else events.push(`event ${keyevent?.[1]}|${message} ${keyevent?.[2]}`);
  }
}

/** After each command the messages of both servers are compared. */
export class EventComparison {
  readonly #live: LivePair;
  readonly #subscriber: ConnectionPair;
  readonly #main: ConnectionPair;
  readonly #differences: string[] = [];

  private constructor(live: LivePair, subscriber: ConnectionPair, main: ConnectionPair) {
    this.#live = live;
    this.#subscriber = subscriber;
    this.#main = main;
  }

  static async start(live: LivePair, letters = ALL_EVENTS): Promise<EventComparison> {
    const subscriber = await live.connect(2);
    await live.sendBoth(['CONFIG', 'SET', 'notify-keyspace-events', letters]);
    await live.sendBoth(['PSUBSCRIBE', '__key*__:*'], { on: subscriber });
    await live.sendBoth(['PSUBSCRIBE', MARK], { on: subscriber });
    return new EventComparison(live, subscriber, await live.connect(2));
  }

  async run(command: Command): Promise<void> {
    const { redis, sorrel } = this.#main;
    await Promise.all([redis.call(command), sorrel.call(command)]);
    await this.#live.sendBoth(['PUBLISH', MARK, 'x']);
    const [expected, actual] = await Promise.all([
      eventsUntilMark(this.#subscriber.redis),
      eventsUntilMark(this.#subscriber.sorrel),
    ]);
    if (expected.join('\n') === actual.join('\n')) return;
    this.#differences.push(
      `${show(command)}\n    redis   ${expected.join(', ')}\n    sorrel  ${actual.join(', ')}`,
    );
  }

  finish(): void {
    if (this.#differences.length === 0) return;
    throw new Error(`${this.#differences.length} commands differ\n\n${this.#differences.join('\n\n')}\n`);
  }
}

/** Compares the events of commands, in order, and the place of each reply among them; replies are compared in other tests. */
export function compareEvents(name: string, commands: readonly Command[], letters = ALL_EVENTS): void {
  compareLive(`events of ${name}`, async (live) => {
    const comparison = await EventComparison.start(live, letters);
    for (const command of commands) await comparison.run(command);
    comparison.finish();
  });
  compareOrder(name, commands, letters);
}

/** The output to a RESP3 client for its command: the events of the command, and the place of the reply among them. */
async function orderUntilMark(client: RawClient): Promise<string[]> {
  const order: string[] = [];
  for (;;) {
    const reply = await client.next();
    if (reply.type === 'push') order.push(itemsOf(reply).map(plain).slice(2).join(' '));
    else if (plain(reply) === MARK) return order;
    else order.push('reply');
  }
}

/** For some commands, Redis sends the events in the middle of their replies, which no client can parse. */
function isWhole(command: Command): boolean {
  return !/^(B?ZM?POP|XCLAIM|XAUTOCLAIM)/.test(String(command));
}

/** Like `compareEvents`, but one client sends the commands and receives the events. */
function compareOrder(name: string, commands: readonly Command[], letters = ALL_EVENTS): void {
  compareLive(`replies among events of ${name}`, async (live) => {
    const client = await live.connect(3);
    await live.sendBoth(['CONFIG', 'SET', 'notify-keyspace-events', letters]);
    await live.sendBoth(['PSUBSCRIBE', '__key*__:*'], { on: client });
    const differences: string[] = [];
    for (const command of commands.filter(isWhole)) {
      for (const words of [command, ['ECHO', MARK]]) {
        client.redis.send(words);
        client.sorrel.send(words);
      }
      const [expected, actual] = await Promise.all([
        orderUntilMark(client.redis),
        orderUntilMark(client.sorrel),
      ]);
      if (expected.join() === actual.join()) continue;
      differences.push(
        `${show(command)}\n    redis   ${expected.join(', ')}\n    sorrel  ${actual.join(', ')}`,
      );
    }
    if (differences.length > 0)
      throw new Error(`${differences.length} differ\n\n${differences.join('\n\n')}\n`);
  });
}
