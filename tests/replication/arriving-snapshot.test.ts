import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { seededRandom } from '../../src/bytes/random.js';
import { systemTimers } from '../../src/engine/timers.js';
import { ArrivingSnapshot } from '../../src/replication/arriving-snapshot.js';
import { loadReceived } from '../../src/replication/replica-loading.js';
import type { SimulatedServer } from '../simulation/simulated-server.js';
import { Simulation } from '../simulation/simulation.js';

const simulation = new Simulation(1);
after(() => simulation.close());

const master = simulation.addServer();
for (let i = 0; i < 300; i++) master.run('SET', `key:${i}`, 'x'.repeat(i));
for (let i = 0; i < 3000; i++) master.run('RPUSH', 'list', `element ${i}`.repeat(20));
for (let i = 0; i < 3000; i++) master.run('HSET', 'hash', `field ${i}`, `value ${i}`);
for (let i = 0; i < 1000; i++) master.run('XADD', 'stream', `${i + 1}-1`, 'field', `value ${i}`);
master.run('SET', 'large', 'abcdefgh'.repeat(100_000));
master.run('PEXPIREAT', 'large', 4_000_000_000_000);
master.run('FUNCTION', 'LOAD', "#!lua name=lib\nredis.register_function('f', function() return 1 end)");
master.save();
const BYTES = master.disk;

const FLOW = { pause() {}, resume() {} };

function replica(): SimulatedServer {
  const server = simulation.addServer();
  server.run('SET', 'own', 'value');
  return server;
}

function load(server: SimulatedServer, snapshot: ArrivingSnapshot, isAside = false): Promise<unknown> {
  const world = {
    ...server.replication.world,
    timers: systemTimers,
    sliceEnd: () => performance.now() + 0.1,
  };
  return loadReceived(server.engine, world, snapshot, isAside, { isWanted: () => true, replacing() {} });
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a snapshot that is loaded while it arrives', () => {
  for (const isAside of [false, true]) {
    it(`is complete, however it is cut into pieces${isAside ? ', beside the old data' : ''}`, async () => {
      for (const [seed, longest] of [
        [1, 40],
        [2, 5000],
        [3, BYTES.length],
      ] as const) {
        const random = seededRandom(seed);
        const server = replica();
        const snapshot = new ArrivingSnapshot(FLOW);
        const loading = load(server, snapshot, isAside);
        for (let at = 0, count = 0; at < BYTES.length; count++) {
          const end = Math.min(BYTES.length, at + 1 + random.integer(longest));
          snapshot.write(Buffer.from(BYTES.subarray(at, end)));
          at = end;
          if (count % 50 === 0) await turn();
        }
        await snapshot.finish();
        await loading;
        assert.equal(server.digest, master.digest);
        assert.equal(server.run('FCALL', 'f', '0'), ':1\r\n');
      }
    });
  }

  it('makes the sender wait while much of it is not loaded', async () => {
    const calls: string[] = [];
    const snapshot = new ArrivingSnapshot({
      pause: () => calls.push('pause'),
      resume: () => calls.push('resume'),
    });
    const piece = Buffer.alloc(1 << 20);
    for (let i = 0; i < 7; i++) snapshot.write(piece);
    assert.deepEqual(calls, []);
    snapshot.write(piece);
    assert.ok(snapshot.isPaused);
    await snapshot.arrival();
    assert.deepEqual(calls, ['pause', 'resume']);
  });

  it('does not wait for the sender before a long value is there', async () => {
    const calls: string[] = [];
    const server = replica();
    const origin = simulation.addServer();
    origin.run('SET', 'huge', 'x'.repeat(20 << 20));
    origin.run('CONFIG', 'SET', 'rdbcompression', 'no');
    origin.save();
    const snapshot = new ArrivingSnapshot({
      pause: () => calls.push('pause'),
      resume: () => calls.push('resume'),
    });
    const loading = load(server, snapshot);
    for (let at = 0; at < origin.disk.length; at += 1 << 20) {
      snapshot.write(Buffer.from(origin.disk.subarray(at, at + (1 << 20))));
      await turn();
    }
    await snapshot.finish();
    await loading;
    assert.equal(server.digest, origin.digest);
  });

  for (const isAside of [false, true]) {
    it(`that ends too early is not used${isAside ? ', and the old data stays' : ''}`, async () => {
      for (const [end, reason] of [
        ['lost', /the connection was lost/],
        ['complete', /ends in the middle/],
      ] as const) {
        const server = replica();
        const before = server.digest;
        const snapshot = new ArrivingSnapshot(FLOW);
        const loading = assert.rejects(load(server, snapshot, isAside), reason);
        snapshot.write(BYTES.subarray(0, BYTES.length / 2));
        await turn();
        if (end === 'lost') snapshot.discard();
        else await snapshot.finish();
        await loading;
        if (isAside) assert.equal(server.digest, before);
        else assert.equal(server.run('DBSIZE'), ':0\r\n');
      }
    });
  }

  it('is refused if a byte has changed', async () => {
    const damaged = Buffer.from(BYTES);
    const at = damaged.indexOf('abcdefgh');
    damaged[at < 0 ? damaged.length >> 1 : at] = 0x7a;
    const snapshot = new ArrivingSnapshot(FLOW);
    const loading = load(replica(), snapshot);
    snapshot.write(damaged);
    await snapshot.finish();
    await assert.rejects(loading);
  });
});
