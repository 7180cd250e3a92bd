import { describe, it } from 'node:test';
import { RecordedEngine } from './support.js';

/** The expected commands are those that redis-server 7.0.15 wrote to its append-only file. */

describe('positions are recorded', () => {
  it('as scores, if something changed', () => {
    new RecordedEngine().check([
      [
        'GEOADD g NX CH 13.361389 38.115556 P 180 85.05112878 Q',
        'zadd g NX CH 3479099956230698 P 13510798882111488 Q',
      ],
      ['GEOADD g NX 1 1 P'],
    ]);
  });

  it('and searches as sent, if they stored or deleted a result', () => {
    new RecordedEngine().check([
      ['GEOADD g 13.361389 38.115556 P', 'zadd g 3479099956230698 P'],
      ['GEORADIUS g 13 38 100 km'],
      ['GEORADIUS g 13 38 100 km STORE d', 'GEORADIUS g 13 38 100 km STORE d'],
      [
        'GEOSEARCHSTORE d none FROMLONLAT 1 1 BYRADIUS 1 km',
        'GEOSEARCHSTORE d none FROMLONLAT 1 1 BYRADIUS 1 km',
      ],
      ['GEOSEARCHSTORE d none FROMLONLAT 1 1 BYRADIUS 1 km'],
    ]);
  });
});

describe('HyperLogLogs are recorded', () => {
  it('as sent, if something changed, even if only the estimate', () => {
    new RecordedEngine().check([
      ['PFADD h a b', 'PFADD h a b'],
      ['PFADD h a b'],
      ['PFCOUNT h', 'PFCOUNT h'],
      ['PFCOUNT h'],
      ['PFMERGE m h', 'PFMERGE m h'],
      ['PFDEBUG TODENSE h', 'PFDEBUG TODENSE h'],
      ['PFDEBUG TODENSE h'],
      ['PFCOUNT h m'],
    ]);
  });
});
