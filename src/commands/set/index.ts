import { family } from '../table.js';
import { sdiff, sdiffstore, sinter, sintercard, sinterstore, sunion, sunionstore } from './combine.js';
import { sadd, scard, sismember, smembers, smismember, smove, srem, sscan } from './members.js';
import { spop, srandmember } from './random.js';
import { rows } from './rows.js';

export const sets = family(rows, {
  sadd,
  scard,
  sdiff,
  sdiffstore,
  sinter,
  sintercard,
  sinterstore,
  sismember,
  smembers,
  smismember,
  smove,
  spop,
  srandmember,
  srem,
  sscan,
  sunion,
  sunionstore,
});
