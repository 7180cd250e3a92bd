import { family } from '../table.js';
import { dump, restore } from './dump.js';
import {
  expire,
  expireat,
  expiretime,
  persist,
  pexpire,
  pexpireat,
  pexpiretime,
  pttl,
  ttl,
} from './expire.js';
import { expireRows } from './expire-rows.js';
import { del, exists, keys, randomkey, touch, type } from './keys.js';
import { migrate } from './migrate.js';
import { copy, move, rename, renamenx } from './move.js';
import { object } from './object.js';
import { rows } from './rows.js';
import { scan } from './scan.js';
import { sort, sortReadonly } from './sort.js';
import { sortRows } from './sort-rows.js';
import { transferRows } from './transfer-rows.js';
import { wait } from './wait.js';

export const generic = family(
  { ...rows, ...expireRows, ...sortRows, ...transferRows },
  {
    copy,
    del,
    dump,
    exists,
    expire,
    expireat,
    expiretime,
    keys,
    migrate,
    move,
    object,
    persist,
    pexpire,
    pexpireat,
    pexpiretime,
    pttl,
    randomkey,
    rename,
    renamenx,
    restore,
    scan,
    sort,
    sort_ro: sortReadonly,
    touch,
    ttl,
    type,
    unlink: del,
    wait,
  },
);
