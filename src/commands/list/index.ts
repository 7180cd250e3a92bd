import { family } from '../table.js';
import { blmove, blmpop, blpop, brpop, brpoplpush } from './blocking.js';
import { linsert, lrem, lset, ltrim } from './edit.js';
import { lmove, rpoplpush } from './move.js';
import { lmpop, lpop, rpop } from './pop.js';
import { lpush, lpushx, rpush, rpushx } from './push.js';
import { lindex, llen, lpos, lrange } from './read.js';
import { rows } from './rows.js';

export const lists = family(rows, {
  blmove,
  blmpop,
  blpop,
  brpop,
  brpoplpush,
  lindex,
  linsert,
  llen,
  lmove,
  lmpop,
  lpop,
  lpos,
  lpush,
  lpushx,
  lrange,
  lrem,
  lset,
  ltrim,
  rpop,
  rpoplpush,
  rpush,
  rpushx,
});
