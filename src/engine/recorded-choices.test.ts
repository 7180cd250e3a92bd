import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bytes } from '../bytes/bytes.js';
import { RespWriter } from '../resp/resp-writer.js';
import { Engine } from './engine.js';

/** Runs commands on a new engine; returns what each recorded for files and replicas. */
function recorded(...lines: string[]): string[][] {
  const engine = new Engine();
  const session = engine.openSession({ send() {}, close() {}, resume() {}, pending: 0 });
  const writer = new RespWriter();
  const batches: string[][] = [];
  engine.keyspace.effects.subscribe({
    batch: (commands) => {
      batches.push(commands.map(({ argv }) => argv.map((word) => word.toString('latin1')).join(' ')));
    },
  });
  engine.beginTurn();
  for (const line of lines) {
    const args = line.split(' ').map((word) => Bytes.of(word));
    engine.execute(session, args, args.length, writer);
  }
  engine.endTurn();
  return batches;
}

describe('the recorded effect of a command that chooses or computes', () => {
  it('is the member that SPOP took', () => {
    assert.deepEqual(recorded('SADD s 7', 'SPOP s', 'SPOP s').slice(1), [['SREM s 7']]);
  });

  it('is each member that SPOP took, for small and large counts', () => {
    for (const count of [2, 95]) {
      const members = Array.from({ length: 100 }, (_, i) => `m${i}`);
      const [, popped, rest] = recorded(`SADD s ${members.join(' ')}`, `SPOP s ${count}`, 'SPOP s 100');
      assert.equal(new Set(popped).size, count);
      for (const command of popped as string[]) assert.match(command, /^SREM s m\d+$/);
      assert.deepEqual(rest, ['DEL s']);
    }
  });

  it('is the sum that HINCRBYFLOAT computed', () => {
    const [, second] = recorded('HINCRBYFLOAT h f 0.1', 'HINCRBYFLOAT h f 0.2');
    assert.deepEqual(second, ['HSET h f 0.3']);
  });

  it('is the command itself if it is deterministic', () => {
    assert.deepEqual(recorded('SADD s a', 'SADD s a', 'SREM s b', 'SREM s a', 'HSET h f v', 'HDEL h g'), [
      ['SADD s a'],
      ['SREM s a'],
      ['HSET h f v'],
    ]);
  });
});
