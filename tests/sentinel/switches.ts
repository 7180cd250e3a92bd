import assert from 'node:assert/strict';
import { Redis } from 'ioredis';
import { until } from '../replication/support.js';

/** Which changes of the master Sentinels tell their clients. */
export class Switches {
  readonly #told = new Map<number, string[]>();
  readonly #clients: Redis[] = [];

  /** Listens to the Sentinels on these ports. */
  static async listen(ports: readonly number[]): Promise<Switches> {
    const switches = new Switches();
    await Promise.all(ports.map((port) => switches.#listenTo(port)));
    return switches;
  }

  async #listenTo(port: number): Promise<void> {
    // A Sentinel that is killed is not called again.
    const client = new Redis(port, { retryStrategy: () => null }).on('error', () => {});
    this.#clients.push(client);
    const told: string[] = [];
    this.#told.set(port, told);
    client.on('message', (_channel: string, text: string) => void told.push(text));
    await client.subscribe('+switch-master');
  }

  /** Each of these Sentinels has told exactly one change, from the one port to the other; or none. */
  async check(ports: readonly number[], former: number, present = former): Promise<void> {
    const expected = present === former ? [] : [`${former} to ${present}`];
    const told = () =>
      ports.map((port) =>
        (this.#told.get(port) ?? []).map((text) => {
          const [, , from, , to] = text.split(' ');
          return `${from} to ${to}`;
        }),
      );
    await until(
      'every Sentinel has told its clients',
      async () => told().map((each) => each.length),
      (counts) => counts.every((count) => count >= expected.length),
    );
    for (const each of told()) assert.deepEqual(each, expected);
  }

  [Symbol.dispose](): void {
    for (const client of this.#clients) client.disconnect();
  }
}
