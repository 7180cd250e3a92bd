import { describe, it } from 'node:test';
import { RecordedEngine } from './support.js';

/** The expected commands are those that redis-server 7.0.15 wrote to its append-only file. */

const NOW = 1_700_000_000_000;

describe('strings are recorded', () => {
  it('with absolute times, and without options that only affect the reply', () => {
    new RecordedEngine().check([
      ['SET k v', 'SET k v'],
      ['SET k v EX 4000', `SET k v PXAT ${NOW + 4_000_000}`],
      ['SET k v PX 4000', `SET k v PXAT ${NOW + 4000}`],
      ['SET k v EXAT 4102444800 NX'],
      ['SET k v EXAT 4102444800', 'SET k v PXAT 4102444800000'],
      ['SET k v PXAT 4102444800123 XX GET', 'SET k v PXAT 4102444800123'],
      ['set k w GET', 'set k w'],
      ['set k get get KEEPTTL XX', 'set k get KEEPTTL XX'],
      ['SET k 5 EX 5 GET', `SET k 5 PXAT ${NOW + 5000}`],
      ['SETEX k 4000 v', `SET k v PXAT ${NOW + 4_000_000}`],
      ['PSETEX k 4000 v', `SET k v PXAT ${NOW + 4000}`],
      ['SETNX n 1', 'SETNX n 1'],
      ['SETNX n 1'],
      ['GETSET k x', 'SET k x'],
      ['MSET a 1 b 2', 'MSET a 1 b 2'],
      ['MSETNX c 3 d 4', 'MSETNX c 3 d 4'],
      ['MSETNX c 3 e 4'],
    ]);
  });

  it('as the new state of the key', () => {
    new RecordedEngine().check([
      ['SET k v', 'SET k v'],
      ['GETEX k'],
      ['GETEX k EX 4000', `PEXPIREAT k ${NOW + 4_000_000}`],
      ['GETEX k PERSIST', 'PERSIST k'],
      ['GETEX k PERSIST'],
      ['GETEX k EXAT 1', 'DEL k'],
      ['INCRBYFLOAT f 0.1', 'SET f 0.1 KEEPTTL'],
      ['incrbyfloat f 0.2', 'SET f 0.3 KEEPTTL'],
      ['GETDEL f', 'DEL f'],
      ['GETDEL f'],
    ]);
  });

  it('as sent if they are deterministic, and only if something changed', () => {
    new RecordedEngine().check([
      ['APPEND a x', 'APPEND a x'],
      ['SETRANGE a 0 y', 'SETRANGE a 0 y'],
      ["SETRANGE a 0 ''"],
      ['INCR n', 'INCR n'],
      ['DECRBY n 4', 'DECRBY n 4'],
      ['INCR a'],
      ['SETBIT bits 3 1', 'SETBIT bits 3 1'],
      ['SETBIT bits 3 1'],
      ['BITFIELD bits GET u8 0'],
      [
        'BITFIELD bits SET u8 0 5 OVERFLOW FAIL INCRBY u2 0 4',
        'BITFIELD bits SET u8 0 5 OVERFLOW FAIL INCRBY u2 0 4',
      ],
      ['BITOP NOT o bits', 'BITOP NOT o bits'],
      ['BITOP AND o none', 'BITOP AND o none'],
      ['BITOP AND o none'],
    ]);
  });

  it('after the deletion of an expired key', () => {
    const recorded = new RecordedEngine();
    recorded.run('SET k 7 PX 5');
    recorded.clock.advance(6);
    recorded.check([['INCR k', 'DEL k', 'INCR k']]);
  });
});
