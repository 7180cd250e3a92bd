import { family } from '../table.js';
import { pfadd, pfcount, pfmerge } from './count.js';
import { pfdebug } from './debug.js';
import { rows } from './rows.js';
import { pfselftest } from './self-test.js';

export const hyperloglogs = family(rows, { pfadd, pfcount, pfdebug, pfmerge, pfselftest });
