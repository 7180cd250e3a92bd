import { family } from '../table.js';
import { hincrby, hincrbyfloat } from './increment.js';
import { hrandfield } from './random.js';
import { hexists, hget, hgetall, hkeys, hlen, hmget, hscan, hstrlen, hvals } from './read.js';
import { rows } from './rows.js';
import { hdel, hmset, hset, hsetnx } from './write.js';

export const hashes = family(rows, {
  hdel,
  hexists,
  hget,
  hgetall,
  hincrby,
  hincrbyfloat,
  hkeys,
  hlen,
  hmget,
  hmset,
  hrandfield,
  hscan,
  hset,
  hsetnx,
  hstrlen,
  hvals,
});
