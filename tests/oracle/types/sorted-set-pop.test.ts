import { type Case, compareCases, on, receive, silent, start } from '../support/index.js';

/** Pops, with and without waiting. */

const LARGE: Case = 'CONFIG SET zset-max-listpack-entries 0';

function onBothEncodings(name: string, cases: readonly Case[]): void {
  compareCases(`${name} (listpack)`, cases);
  compareCases(`${name} (skiplist)`, [LARGE, ...cases]);
}

onBothEncodings('ZPOPMIN and ZPOPMAX', [
  'ZADD k 1 a 2 b 2 c 3.5 d inf e -inf f 4 17',
  'ZPOPMIN k',
  'ZPOPMAX k',
  'ZPOPMIN k 2',
  'ZPOPMAX k 1',
  'ZPOPMAX k 0',
  'ZPOPMIN k 100',
  'EXISTS k',
  'ZPOPMIN k',
  'ZPOPMIN k 5',
  'ZPOPMIN k 0',
  'ZADD k 1 a',
  'ZPOPMAX k',
  'EXISTS k',
  'SET string value',
  'ZPOPMIN string',
  'ZPOPMIN string 0',
  'ZPOPMIN string -1',
  'ZPOPMIN k -1',
  'ZPOPMIN k x',
  'ZPOPMIN k 1.5',
  'ZPOPMIN k 1 2',
  'ZPOPMAX k 99999999999999999999',
  'ZPOPMIN',
]);

onBothEncodings('ZMPOP', [
  'ZADD a 1 a 2 b 3 c',
  'ZADD b 1 x 2 y 3 z',
  'ZMPOP 1 a MIN',
  'ZMPOP 2 none b MAX',
  'ZMPOP 3 none a b min COUNT 5',
  'ZMPOP 2 a b max count 1',
  'ZMPOP 2 a b max count 10',
  'ZMPOP 2 a b MIN',
  'SET string value',
  'ZADD a 1 a',
  'ZMPOP 2 string a MIN',
  'ZMPOP 2 a string MIN',
  'ZMPOP 0 a MIN',
  'ZMPOP -1 a MIN',
  'ZMPOP x a MIN',
  'ZMPOP 1 a',
  'ZMPOP 2 a MIN',
  'ZMPOP 1 a FOO',
  'ZMPOP 1 a MIN COUNT',
  'ZMPOP 1 a MIN COUNT 0',
  'ZMPOP 1 a MIN COUNT -1',
  'ZMPOP 1 a MIN COUNT x',
  'ZMPOP 1 a MIN COUNT 1 COUNT 2',
  'ZMPOP 1 a MIN FOO 1',
  'ZMPOP 1 string FOO',
]);

compareCases('blocking pops reply immediately if there is a member', [
  'ZADD a 1 a 2 b 3 c 4 d',
  'ZADD b 5 x',
  'BZPOPMIN none a b 0',
  'BZPOPMAX b a 0',
  'BZPOPMAX b a 0.5',
  'BZMPOP 0 2 b a MIN',
  'BZMPOP 0 2 b a MAX COUNT 10',
  'EXISTS a b',
  'SET string value',
  'BZPOPMIN string 0',
  'BZPOPMIN none string 0',
  'BZPOPMIN none x',
  'BZPOPMIN none -1',
  'BZPOPMIN none inf',
  'BZPOPMIN none 1e30',
  'BZPOPMIN string x',
  'BZPOPMIN 0',
  'BZMPOP 0 1 string MIN',
  'BZMPOP x 1 string MIN',
  'BZMPOP x 0 string MIN',
  'BZMPOP -1 1 none MIN',
  'BZMPOP 0 1 none FOO',
  'BZMPOP 0 1 none MIN COUNT 0',
  'BZMPOP 0 2 none MIN',
  'BZMPOP 0 1 none',
  'BZPOPMIN none 0.01',
  'BZPOPMAX none 0.01',
  'BZMPOP 0.01 1 none MAX',
]);

compareCases('no client waits in a transaction', [
  'MULTI',
  'BZPOPMIN none 0',
  'BZPOPMAX none 0',
  'BZMPOP 0 1 none MIN COUNT 2',
  'ZADD k 1 a 2 b',
  'BZPOPMIN k 0',
  'EXEC',
]);

compareCases('waiting clients are served in order while there are members', [
  start('first', 'BZPOPMIN k 0'),
  start('second', 'BZPOPMAX k 0'),
  start('third', 'BZMPOP 0 1 k MIN COUNT 2'),
  start('fourth', 'BZPOPMIN k 0'),
  silent('first'),
  'ZADD k 1 a 2 b 3 c 4 d',
  receive('first'),
  receive('second'),
  receive('third'),
  silent('fourth'),
  'EXISTS k',
  'ZADD k 5 e 6 f',
  receive('fourth'),
  'ZRANGE k 0 -1 WITHSCORES',
]);

compareCases('a client that waits for several keys is served by the first one that is created', [
  start('one', 'BZPOPMIN x y z 0'),
  start('two', 'BZMPOP 0 3 z y x MAX COUNT 10'),
  'ZADD y 1 a 2 b',
  receive('one'),
  receive('two'),
  'EXISTS x y z',
  start('one', 'BZPOPMIN x y 0'),
  'MULTI',
  'ZADD y 1 late',
  'ZADD x 1 early',
  'DEL y',
  'EXEC',
  receive('one'),
  'EXISTS x y',
]);

compareCases('a key of another type does not serve clients that wait for a sorted set', [
  start('waiting', 'BZPOPMIN k 0'),
  'SADD k a',
  silent('waiting'),
  'DEL k',
  'RPUSH k a',
  silent('waiting'),
  'DEL k',
  'MULTI',
  'ZADD k 1 a',
  'DEL k',
  'EXEC',
  silent('waiting'),
  'ZADD k 1 a',
  receive('waiting'),
]);

compareCases('every command that creates a sorted set serves waiting clients', [
  'ZADD source 1 a 2 b 3 c',
  start('waiting', 'BZPOPMIN k 0'),
  'ZUNIONSTORE k 1 source',
  receive('waiting'),
  'DEL k',
  start('waiting', 'BZPOPMAX k 0'),
  'ZRANGESTORE k source 0 1',
  receive('waiting'),
  'DEL k',
  start('waiting', 'BZPOPMIN k 0'),
  'ZINCRBY k 5 x',
  receive('waiting'),
  start('waiting', 'BZPOPMIN k 0'),
  'RENAME source k',
  receive('waiting'),
  'RPUSH l x',
  start('waiting', 'BZPOPMIN m 0'),
  'ZINTERSTORE m 1 k',
  receive('waiting'),
]);

compareCases('a RESP3 client that waited gets the same reply as without waiting', [
  start('waiting', 'BZMPOP 0 1 k MAX COUNT 3'),
  'ZADD k 1 a 2.5 b',
  receive('waiting'),
  start('waiting', 'BZPOPMIN k 0'),
  'ZADD k inf a',
  receive('waiting'),
  on('waiting', 'PING'),
]);
