import { family } from '../table.js';
import { commandHandlers } from './command.js';
import { rows } from './rows.js';

export const server = family(rows, { command: commandHandlers });
