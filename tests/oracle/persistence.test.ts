import {
  type Case,
  compareCases,
  near,
  type Reply,
  receive,
  serveWith,
  silent,
  start,
} from './support/index.js';

serveWith('--enable-protected-configs', 'yes');

compareCases('SAVE and LASTSAVE', ['SET a 1', 'SAVE', near('LASTSAVE', 60), 'SAVE now', 'LASTSAVE now']);

compareCases('BGSAVE accepts only SCHEDULE', [
  'BGSAVE now',
  'BGSAVE SCHEDULE now',
  'BGSAVE SCHEDULE SCHEDULE',
]);

compareCases('saving in transactions', ['MULTI', 'SAVE', 'EXEC', 'MULTI', 'LASTSAVE', 'DISCARD']);

compareCases('DEBUG RELOAD restores all keys', [
  'SET string text',
  'SET number 12345678901',
  'RPUSH list a b 1 2',
  'SADD set a b c',
  'SADD integers 1 2 3',
  'HSET hash f v g w',
  'ZADD zset 1 a 2.5 b',
  'XADD stream 1-1 f v',
  'PEXPIREAT string 4000000000000',
  'SELECT 3',
  'SET other 1',
  'DEBUG DIGEST',
  'DEBUG RELOAD',
  'DEBUG DIGEST',
  'DBSIZE',
  'SELECT 0',
  'PEXPIRETIME string',
  'DUMP list',
  'DUMP zset',
  'DEBUG RELOAD NOSAVE',
  'DEBUG DIGEST',
  'DEBUG RELOAD NOSAVE NOFLUSH MERGE',
  'DEBUG DIGEST',
  'DEBUG RELOAD maybe',
]);

compareCases('DEBUG RELOAD unblocks readers of a group when their stream is not restored', [
  'XADD s 1-0 n 1',
  'XGROUP CREATE s g $',
  start('a', 'XREADGROUP GROUP g c BLOCK 0 STREAMS s >'),
  'DEBUG RELOAD',
  silent('a'),
  'FLUSHALL',
  receive('a'),
  'SAVE',
  'XADD s 1-0 n 1',
  'XGROUP CREATE s g $',
  start('b', 'XREADGROUP GROUP g c BLOCK 0 STREAMS s >'),
  'DEBUG RELOAD NOSAVE',
  receive('b'),
  'PING',
]);

compareCases('DEBUG RELOAD touches watched keys', [
  'SET key 1',
  'WATCH key',
  'DEBUG RELOAD',
  'MULTI',
  'GET key',
  'EXEC',
]);

compareCases('the settings of saving', [
  'CONFIG SET save "900 1"',
  'CONFIG GET save',
  'CONFIG SET save "900"',
  'CONFIG SET save "0 1"',
  'CONFIG SET save ""',
  'CONFIG GET save',
  'CONFIG SET dbfilename other.rdb',
  'CONFIG GET dbfilename',
  'CONFIG SET dbfilename a/b',
  'CONFIG SET dbfilename ""',
  'CONFIG GET dbfilename',
  'CONFIG SET dir /no/such/folder',
  'CONFIG SET dir /dev/null',
  'CONFIG SET dir /',
  'CONFIG GET dir',
  'CONFIG SET dir tmp',
  'CONFIG GET dir',
  'CONFIG SET rdbchecksum no',
  'CONFIG SET rdbcompression no',
  'CONFIG SET sanitize-dump-payload sometimes',
]);

const changes: Case = {
  send: 'INFO persistence',
  normalise: ({ raw }: Reply) => /rdb_changes_since_last_save:\d+/.exec(raw.toString())?.[0],
};

compareCases('FLUSHALL saves if automatic saving is configured', [
  'SAVE',
  'MSET a 1 b 2',
  'FLUSHALL',
  changes,
  'FLUSHALL',
  changes,
  'CONFIG SET save "3600 1"',
  'SET a 1',
  changes,
  'FLUSHALL',
  changes,
  'SET a 1',
  'DEBUG RELOAD NOSAVE',
  'DBSIZE',
]);
