import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bytes } from '../../src/bytes/bytes.js';
import type { Peer } from '../../src/commands/host-port.js';
import { dumpValue } from '../../src/rdb/dump.js';
import { RecordedEngine } from './support.js';

/** The expected commands are those that redis-server 7.0.15 wrote to its append-only file. */

const NOW = 1_700_000_000_000;

describe('key commands are recorded', () => {
  it('with absolute times', () => {
    new RecordedEngine().check([
      ['SET k v', 'SET k v'],
      ['EXPIRE k 4000', `PEXPIREAT k ${NOW + 4_000_000}`],
      ['expire k 5000 XX GT', `PEXPIREAT k ${NOW + 5_000_000} XX GT`],
      ['PEXPIRE k 5', `PEXPIREAT k ${NOW + 5}`],
      ['pexpireat k 4102444800123', 'pexpireat k 4102444800123'],
      ['PEXPIREAT k 4102444800123 LT'],
      ['EXPIREAT k 4102444800', 'PEXPIREAT k 4102444800000'],
      ['EXPIRE k 10 NX'],
      ['PERSIST k', 'PERSIST k'],
      ['PERSIST k'],
      ['EXPIRE k -1', 'DEL k'],
      ['EXPIRE k 100'],
    ]);
  });

  it('as sent if they are deterministic, and only if something changed', () => {
    new RecordedEngine().check([
      ['SET a 1', 'SET a 1'],
      ['TOUCH a'],
      ['RENAME a b', 'RENAME a b'],
      ['RENAME b b'],
      ['RENAMENX b c', 'RENAMENX b c'],
      ['MOVE c 1', 'MOVE c 1'],
      ['MOVE c 1'],
      ['SET a 1', 'SET a 1'],
      ['COPY a b', 'COPY a b'],
      ['COPY a b'],
      ['COPY a b REPLACE DB 2', 'COPY a b REPLACE DB 2'],
      ['UNLINK a b nothing', 'UNLINK a b nothing'],
      ['DEL nothing'],
      ['RPUSH l 3 1 2', 'RPUSH l 3 1 2'],
      ['SORT l STORE s', 'SORT l STORE s'],
      ['SORT nothing STORE s', 'SORT nothing STORE s'],
      ['SORT nothing STORE s'],
      ['SORT l'],
      ['SWAPDB 0 1', 'SWAPDB 0 1'],
      ['FLUSHDB', 'FLUSHDB'],
      ['FLUSHDB ASYNC', 'FLUSHDB ASYNC'],
      ['FLUSHALL', 'FLUSHALL'],
      ['FLUSHALL', 'FLUSHALL'],
    ]);
  });

  it('with the deletion of an expired key before the command that found it', () => {
    const recorded = new RecordedEngine();
    recorded.run('SET k v PX 10');
    recorded.run('SET l v PX 10');
    recorded.run('SET m v PX 10');
    recorded.clock.advance(11);
    assert.deepEqual(recorded.run('EXISTS k'), ['DEL k']);
    assert.deepEqual(recorded.run('RENAME l x'), ['DEL l']);
    recorded.engine.settings.configure('lazyfree-lazy-expire', 'yes');
    assert.deepEqual(recorded.run('TTL m'), ['UNLINK m']);
  });

  it('as separate deletions when a command without keys, such as SCAN, found expired keys', () => {
    for (const [line, isIndependent] of [
      ['SCAN 0', true],
      ['MGET a b c', false],
    ] as const) {
      const recorded = new RecordedEngine();
      for (const key of ['a', 'b', 'c']) recorded.run(`SET ${key} v PX 10`);
      recorded.clock.advance(11);
      const batches: [number, boolean][] = [];
      recorded.engine.keyspace.effects.subscribe({
        batch: (commands, independent) => batches.push([commands.length, independent]),
      });
      recorded.run(line);
      assert.deepEqual(batches, [[3, isIndependent]], line);
    }
  });

  it('with the time of RESTORE made absolute', () => {
    const recorded = new RecordedEngine();
    recorded.run('SET d x');
    const { keyspace } = recorded.engine;
    const db = recorded.engine.database(0);
    const payload = dumpValue(keyspace, db, db.find(Bytes.of('d')), true).toString();
    recorded.check([
      [`RESTORE r 0 ${payload}`, `RESTORE r 0 ${payload}`],
      [`RESTORE r 5000 ${payload} REPLACE`, `RESTORE r ${NOW + 5000} ${payload} REPLACE ABSTTL`],
      [
        `RESTORE r 4102444800123 ${payload} ABSTTL REPLACE IDLETIME 3`,
        `RESTORE r 4102444800123 ${payload} ABSTTL REPLACE IDLETIME 3`,
      ],
      [`RESTORE r 1 ${payload} REPLACE ABSTTL`, 'DEL r'],
      [`RESTORE r 1 ${payload} ABSTTL`],
    ]);
  });

  it('MIGRATE as the deletion of the transferred keys', () => {
    const recorded = new RecordedEngine();
    const { engine } = recorded;
    let lines: string[] = [];
    const exchange: Peer['exchange'] = () => ({ lines, failure: undefined, isTimeout: false });
    engine.attach({ host: { peer: () => ({ db: 0, exchange, close() {} }) } });
    recorded.run('MSET a 1 b 2 c 3');
    lines = ['+OK'];
    recorded.check([['MIGRATE host 1 a 0 100 COPY']]);
    lines = ['+OK', '-BUSYKEY Target key name already exists.'];
    recorded.check([["MIGRATE host 1 '' 0 100 KEYS a none b", 'DEL a'], ['EXISTS a'], ['DEL b', 'DEL b']]);
    lines = ['-ERR out of order'];
    recorded.check([['MIGRATE host 1 c 0 100'], ['MIGRATE host 1 none 0 100']]);
    lines = ['+OK'];
    recorded.check([['MIGRATE host 1 c 0 100', 'DEL c']]);
  });
});
