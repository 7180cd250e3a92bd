import { family } from '../table.js';
import { xautoclaim, xclaim } from './claim.js';
import { xgroup } from './group.js';
import { groupRows } from './group-rows.js';
import { xinfo } from './info.js';
import { xack, xpending } from './pending.js';
import { xlen, xrange, xrevrange } from './range.js';
import { xread, xreadgroup } from './read.js';
import { rows } from './rows.js';
import { xadd, xdel, xsetid, xtrim } from './write.js';

export const streams = family(
  { ...rows, ...groupRows },
  {
    xack,
    xadd,
    xautoclaim,
    xclaim,
    xdel,
    xgroup,
    xinfo,
    xlen,
    xpending,
    xrange,
    xread,
    xreadgroup,
    xrevrange,
    xsetid,
    xtrim,
  },
);
