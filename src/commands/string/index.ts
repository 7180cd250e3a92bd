import { family } from '../table.js';
import { get, set } from './basic.js';
import { rows } from './rows.js';

export const strings = family(rows, { get, set });
