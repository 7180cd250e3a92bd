import { family } from '../table.js';
import { decr, decrby, incr, incrby, incrbyfloat } from './counter.js';
import { append, setrange } from './edit.js';
import { get, getdel, getex, getrange, mget, strlen } from './get.js';
import { lcs } from './lcs.js';
import { rows } from './rows.js';
import { getset, mset, msetnx, psetex, set, setex, setnx } from './set.js';

export const strings = family(rows, {
  append,
  decr,
  decrby,
  get,
  getdel,
  getex,
  getrange,
  getset,
  incr,
  incrby,
  incrbyfloat,
  lcs,
  mget,
  mset,
  msetnx,
  psetex,
  set,
  setex,
  setnx,
  setrange,
  strlen,
  substr: getrange,
});
