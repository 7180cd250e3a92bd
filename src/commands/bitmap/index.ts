import { family } from '../table.js';
import { bitfield, bitfieldRo } from './bitfield.js';
import { bitop } from './bitop.js';
import { bitcount, bitpos, getbit, setbit } from './bits.js';
import { rows } from './rows.js';

export const bitmaps = family(rows, {
  bitcount,
  bitfield,
  bitfield_ro: bitfieldRo,
  bitop,
  bitpos,
  getbit,
  setbit,
});
