import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { SOURCE_OPTIONS, sourceProgram } from '../../scripts/transpiled.mjs';
import { type SocialNetwork, socialNetwork } from '../../src/kit/social/index.js';
import { open, type Store } from '../../src/store/index.js';
import { type Server, startRedis, whenRedisIsInstalled } from '../support/fleet/index.js';
import { NETWORK, SIZE, USERS } from './programs/social-plan.js';

/** Each round kills a process. */
const ROUNDS = Math.ceil(Number(process.env['SORREL_TORTURE_ROUNDS'] ?? 25) / 13);
const SEED = Number(process.env['SORREL_TORTURE_SEED'] ?? 1);

describe('A social network of several processes', { ...whenRedisIsInstalled, timeout: 600_000 }, () => {
  let server: Server;
  let store: Store;
  let network: SocialNetwork;
  const running = new Set<ChildProcess>();

  before(async () => {
    server = await startRedis();
    store = await open(`redis://127.0.0.1:${server.port}`);
    network = socialNetwork(store, NETWORK);
    for (const name of USERS) await network.signUp(name);
  });
  after(async () => {
    for (const child of running) child.kill('SIGKILL');
    await store?.close();
    await server?.stop();
  });

  function start(seed: number): ChildProcess {
    const script = sourceProgram(new URL('./programs/social-worker.ts', import.meta.url));
    const child = spawn(process.execPath, [...SOURCE_OPTIONS, script, `${server.port}`, `${seed}`], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    return child;
  }

  async function members(key: string): Promise<string[]> {
    return (await store.zrange(key, 0, -1)) as string[];
  }

  it('agrees with itself after they were killed in the middle of their work', async () => {
    const children = [start(SEED), start(SEED + 1)];
    for (let round = 0; round < ROUNDS; round++) {
      const child = children[round % 2] as ChildProcess;
      // As many changes as come; each round another number.
      for (let changes = 5 + ((SEED + 3 * round) % 7); changes > 0; changes--) await once(child, 'message');
      child.kill('SIGKILL');
      children[round % 2] = start(SEED + 2 + round);
    }
    for (const child of running) child.kill('SIGKILL');

    const worker = network.work();
    for (;;) {
      const { waiting, active, delayed, dead } = await network.queue.counts();
      assert.equal(dead, 0);
      if (waiting + active + delayed === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await worker.stop();

    const following = new Map<string, string[]>();
    const posts = new Map<string, string[]>();
    for (const name of USERS) {
      following.set(name, await members(`social:{${name}}:following`));
      posts.set(
        name,
        (await members(`social:{${name}}:posts`)).map((number) => `${name}/${number}`),
      );
      assert.equal(await store.exists(`social:{${name}}:pending`), 0);
    }
    assert.ok([...posts.values()].flat().length > 0);
    for (const name of USERS) {
      const expected = USERS.filter((other) => following.get(other)?.includes(name));
      assert.deepEqual((await members(`social:{${name}}:followers`)).sort(), expected.sort(), name);
      assert.equal((await network.user(name))?.followers, expected.length);
      const numberOf = (id: string): number => Number(id.split('/')[1]);
      const ideal = (following.get(name) ?? [])
        .flatMap((author) => posts.get(author) ?? [])
        .sort((one, other) => numberOf(other) - numberOf(one) || (one < other ? 1 : -1));
      const home = (await members(`social:{${name}}:home`)).reverse();
      assert.deepEqual(home, ideal.slice(0, home.length), `the home of ${name} is the newest part`);
      assert.ok(home.length >= Math.min(ideal.length, 0.75 * SIZE) && home.length <= SIZE, name);
    }
  });
});
