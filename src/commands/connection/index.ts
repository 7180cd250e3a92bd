import { family } from '../table.js';
import { echo, ping } from './ping.js';
import { rows } from './rows.js';

export const connection = family(rows, { ping, echo });
