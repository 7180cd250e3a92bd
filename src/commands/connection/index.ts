import { family } from '../table.js';
import { auth, hello } from './authentication.js';
import { echo, ping } from './ping.js';
import { rows } from './rows.js';
import { quit, reset } from './session-state.js';

export const connection = family(rows, { auth, hello, quit, reset, ping, echo });
