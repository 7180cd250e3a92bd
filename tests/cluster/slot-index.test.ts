import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../src/bytes/clock.js';
import { keySlot } from '../../src/bytes/crc16.js';
import { seededRandom } from '../../src/bytes/random.js';
import { SLOTS } from '../../src/cluster/slot-set.js';
import { Engine } from '../../src/engine/engine.js';
import { EngineClient } from '../support/engine-client.js';
import { FakeCluster } from './fake-cluster.js';

/** All commands that create, replace, rename or remove keys, with keys of few slots. */
function someCommand(draw: (choices: number) => number): string[] {
  const tag = `{${draw(3)}}`;
  const key = (): string => `${tag}${draw(12)}`;
  const commands: (() => string[])[] = [
    () => ['SET', key(), `${draw(5)}`],
    () => ['MSET', key(), '1', key(), '2'],
    () => ['DEL', key(), key()],
    () => ['UNLINK', key()],
    () => ['GETDEL', key()],
    () => ['RENAME', key(), key()],
    () => ['RENAMENX', key(), key()],
    () => ['COPY', key(), key(), 'REPLACE'],
    () => ['SADD', key(), 'a', 'b'],
    () => ['SPOP', key(), '2'],
    () => ['SMOVE', key(), key(), 'a'],
    () => ['SUNIONSTORE', key(), key(), key()],
    () => ['ZADD', key(), '1', 'a'],
    () => ['ZRANGESTORE', key(), key(), '0', '-1'],
    () => ['RPUSH', key(), 'x'],
    () => ['LMOVE', key(), key(), 'LEFT', 'RIGHT'],
    () => ['HSET', key(), 'f', 'v'],
    () => ['HDEL', key(), 'f'],
    () => ['XADD', key(), '*', 'f', 'v'],
    () => ['SORT', key(), 'ALPHA', 'STORE', key()],
    () => ['PFADD', key(), 'a'],
    () => ['SETEX', key(), `${1 + draw(3)}`, 'v'],
    () => ['PEXPIRE', key(), `${draw(3) - 1}`],
    () => ['EVAL', "redis.call('set', KEYS[1], 1) redis.call('del', KEYS[2]) return 1", '2', key(), key()],
    () => ['RESTORE', key(), '0', '\x00\xc0\x05\n\x00C\xe1\x8c\xc2\xd0\x05\x15$', 'REPLACE'],
    () => [draw(20) === 0 ? 'FLUSHALL' : 'PING'],
    () => [['MULTI', 'EXEC', 'EXEC', 'EXEC'][draw(4)] as string],
  ];
  return (commands[draw(commands.length)] as () => string[])();
}

describe('the keys by slot', () => {
  it('are those of the database after any command', () => {
    const random = seededRandom(5);
    const clock = new ManualClock(1_000_000);
    const engine = new Engine({ clock, random: seededRandom(6) });
    const cluster = new FakeCluster(engine, { id: 'a'.repeat(40), port: 1 });
    cluster.addSlots(Array.from({ length: SLOTS }, (_, slot) => slot));
    const client = new EngineClient(engine);
    const reader = new EngineClient(engine);
    const largest = [0, 0, 0];
    for (let step = 0; step < 6000; step++) {
      client.call(someCommand((choices) => random.integer(choices)));
      if (random.next() < 0.02) {
        clock.advance(1000);
        engine.background.tick();
      }
      const tag = random.integer(3);
      const slot = keySlot(Buffer.from(`${tag}`), 0, 1);
      const [count, ...inSlot] = reader.run(`CLUSTER GETKEYSINSLOT ${slot} 1000`).split('\r\n');
      const [, ...all] = reader.run(`KEYS {${tag}}*`).split('\r\n');
      // KEYS leaves out expired keys that are not deleted yet.
      engine.keyspace.expireDue(1000);
      assert.deepEqual(sorted(inSlot), sorted(all), `after step ${step}: ${count}`);
      largest[tag] = Math.max(largest[tag] as number, all.length);
    }
    assert.ok(largest.every((size) => size > 12));
    engine.close();
  });
});

function sorted(lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith('{')).sort();
}
