import { family } from '../table.js';
import { zadd, zincrby } from './add.js';
import { bzmpop, bzpopmax, bzpopmin } from './blocking.js';
import { zdiff, zdiffstore, zinter, zintercard, zinterstore, zunion, zunionstore } from './combine.js';
import { combineRows } from './combine-rows.js';
import { zmpop, zpopmax, zpopmin } from './pop.js';
import { popRows } from './pop-rows.js';
import { zrandmember } from './random.js';
import {
  zrange,
  zrangebylex,
  zrangebyscore,
  zrangestore,
  zrevrange,
  zrevrangebylex,
  zrevrangebyscore,
} from './range.js';
import { rangeRows } from './range-rows.js';
import { zcard, zcount, zlexcount, zmscore, zrank, zrevrank, zscore } from './read.js';
import { zrem, zremrangebylex, zremrangebyrank, zremrangebyscore } from './remove.js';
import { rows } from './rows.js';
import { zscan } from './scan.js';

export const sortedSets = family(
  { ...rows, ...combineRows, ...popRows, ...rangeRows },
  {
    bzmpop,
    bzpopmax,
    bzpopmin,
    zadd,
    zcard,
    zcount,
    zdiff,
    zdiffstore,
    zincrby,
    zinter,
    zintercard,
    zinterstore,
    zlexcount,
    zmpop,
    zmscore,
    zpopmax,
    zpopmin,
    zrandmember,
    zrange,
    zrangebylex,
    zrangebyscore,
    zrangestore,
    zrank,
    zrem,
    zremrangebylex,
    zremrangebyrank,
    zremrangebyscore,
    zrevrange,
    zrevrangebylex,
    zrevrangebyscore,
    zrevrank,
    zscan,
    zscore,
    zunion,
    zunionstore,
  },
);
