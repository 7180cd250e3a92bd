import assert from 'node:assert/strict';
import { after, afterEach, describe, it } from 'node:test';
import { LiveMove, type LiveMoveOptions } from '../../src/cli/copy/live-move.js';
import { open, type Store, StoreError } from '../../src/store/index.js';
import { ask, type Server, stopAllServers, whenRedisIsInstalled } from '../support/fleet/index.js';
import { Gateway } from '../support/outage/gateway.js';
import { type Kind, startServer, until } from './support.js';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
after(stopAllServers);

async function started(kind: Kind, ...options: string[]): Promise<Server> {
  const server = await startServer(kind, options);
  closing.push(() => server.stop());
  return server;
}

async function prepared(from: string, to: string, options: Partial<LiveMoveOptions> = {}): Promise<LiveMove> {
  const move = await LiveMove.open(from, to, {
    replace: false,
    pauseMs: 10_000,
    signal: new AbortController().signal,
    onReceived: () => {},
    onFollowing: () => {},
    ...options,
  });
  closing.push(() => move.close());
  return move;
}

/** Counts up, one key after the other, at the server that takes writes; notes what was acknowledged. */
class Writer {
  readonly acknowledged = new Map<string, number>();
  readonly #stores: readonly Store[];
  #isOver = false;
  /** How many writes each server has acknowledged. */
  readonly counts: number[] = [0, 0];
  #ended: Promise<void> | undefined;

  constructor(stores: readonly Store[]) {
    this.#stores = stores;
  }

  start(): void {
    this.#ended = this.#run();
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
  }

  async #run(): Promise<void> {
    let at = 0;
    for (let i = 0; !this.#isOver; i++) {
      const key = `counter ${i % 50}`;
      try {
        const value = await (this.#stores[at] as Store).incr(key);
        assert.equal(value, (this.acknowledged.get(key) ?? 0) + 1, key);
        this.acknowledged.set(key, value);
        (this.counts[at] as number)++;
      } catch (error) {
        const isRefused =
          error instanceof StoreError && ['READONLY', 'UNBLOCKED', 'MASTERDOWN'].includes(error.code);
        if (!isRefused) throw error;
        at = 1 - at;
        await new Promise(setImmediate);
      }
    }
  }
}

for (const [fromKind, toKind] of [
  ['redis', 'sorrel'],
  ['sorrel', 'redis'],
] as const) {
  describe(`a live move from ${fromKind} to ${toKind}`, whenRedisIsInstalled, () => {
    it('loses no acknowledged write, and can be reversed', async () => {
      const [from, to] = await Promise.all([
        started(fromKind, '--requirepass', 'old'),
        started(toKind, '--requirepass', 'new'),
      ]);
      const source = `redis://:old@127.0.0.1:${from.port}`;
      const target = `redis://:new@127.0.0.1:${to.port}`;
      const stores = await Promise.all([open(source), open(target)]);
      closing.push(() => Promise.all(stores.map((store) => store.close())));
      const [old, fresh] = stores as [Store, Store];
      await old.pipeline((queue) => Array.from({ length: 2000 }, (_, i) => queue.set(`key ${i}`, i)));
      await old.send(
        'FUNCTION',
        'LOAD',
        "#!lua name=lib\nredis.register_function('f', function() return 1 end)",
      );
      const behind: number[] = [];
      const move = await prepared(source, target, { onFollowing: (bytes) => behind.push(bytes) });
      const writer = new Writer(stores);
      writer.start();
      await move.follow();
      assert.equal(behind.at(-1), 0);
      // Clients write at the old server until the roles are exchanged.
      assert.equal(writer.counts[1], 0);
      await assert.rejects(fresh.set('key', 'no'), { code: 'READONLY' });
      // To repeat it changes nothing.
      await move.follow();
      const ms = await move.switchOver();
      assert.ok(ms < 10_000, `${ms} ms`);
      const before = writer.counts[1] as number;
      await until(
        'the new server takes writes',
        async () => writer.counts[1] as number,
        (count) => count > before + 100,
      );
      await writer.end();
      for (const [key, value] of writer.acknowledged) assert.equal(await fresh.get(key), String(value), key);
      assert.equal(await fresh.get('key 1999'), '1999');
      assert.equal(await fresh.send('FCALL', 'f', 0), 1);
      await assert.rejects(old.set('key', 'no'), { code: 'READONLY' });
      await assert.rejects(move.follow(), /roles are exchanged/);
      const back = await prepared(target, source);
      await back.follow();
      await back.switchOver();
      assert.equal(await old.set('back', 'again'), 'OK');
      for (const [key, value] of writer.acknowledged) assert.equal(await old.get(key), String(value), key);
    });
  });
}

describe('a live move', whenRedisIsInstalled, () => {
  it('refuses what it cannot move, and changes nothing', async () => {
    const [from, to, cluster] = await Promise.all([
      started('sorrel'),
      started('sorrel', '--databases', '4'),
      started('sorrel', '--cluster-enabled', 'yes'),
    ]);
    const [source, target] = [`redis://127.0.0.1:${from.port}`, `redis://127.0.0.1:${to.port}`];
    await ask(to.port, 'SET', 'a', '1');
    await assert.rejects((await prepared(source, target)).follow(), /is not empty: --replace/);
    await assert.rejects(
      (await prepared(source, `redis://127.0.0.1:${cluster.port}`)).follow(),
      /node of a Cluster/,
    );
    await assert.rejects(prepared(`${source}/2`, target), /moves all databases/);
    await assert.rejects(prepared('file:./data', target), /between two servers/);
    const replacing = await prepared(source, target, { replace: true, sourceAddress: 'nowhere' });
    await assert.rejects(replacing.follow(), /--source-address must be HOST:PORT/);
    await ask(from.port, 'EVAL', "redis.call('SELECT', 9) redis.call('SET', 'b', 2)", '0');
    await assert.rejects(
      (await prepared(source, target, { replace: true })).follow(),
      /database 9, .* has 4/,
    );
    await ask(from.port, 'FLUSHALL');
    await ask(from.port, 'REPLICAOF', '127.0.0.1', String(cluster.port));
    await assert.rejects((await prepared(source, target)).follow(), /is a replica of/);
    assert.equal(await ask(to.port, 'GET', 'a'), '1');
    assert.match(String(await ask(to.port, 'INFO', 'replication')), /role:master/);
  });

  it('leaves the source as master if the target does not catch up in time', async () => {
    const [from, to] = await Promise.all([started('sorrel'), started('redis')]);
    const gateway = await Gateway.before(from.port);
    closing.push(() => gateway.close());
    const move = await prepared(`redis://127.0.0.1:${from.port}`, `redis://127.0.0.1:${to.port}`, {
      pauseMs: 300,
      sourceAddress: `127.0.0.1:${gateway.port}`,
    });
    await move.follow();
    await gateway.set('silent');
    await ask(from.port, 'SET', 'late', '1');
    await assert.rejects(move.switchOver(), /did not take over within 300 ms, and .* continues as master/);
    assert.equal(await ask(from.port, 'SET', 'a', '1'), 'OK');
    await gateway.set('open');
    const again = await prepared(move.source.shown, move.target.shown, {
      sourceAddress: `127.0.0.1:${gateway.port}`,
    });
    await again.follow();
    await again.switchOver();
    assert.equal(await ask(to.port, 'GET', 'a'), '1');
  });
});
