import type { Call } from '../call.js';
import { CommandError } from '../errors.js';
import { family } from '../table.js';
import { rows } from './rows.js';

const DISABLED = new CommandError('ERR This instance has cluster support disabled');

/** Clients use these commands to ask whether the server is part of a cluster; this error means no. */
function refuse(_call: Call): void {
  throw DISABLED;
}

export const cluster = family(rows, {
  asking: refuse,
  cluster: Object.fromEntries(Object.keys(rows.cluster.subcommands).map((name) => [name, refuse])),
  readonly: refuse,
  readwrite: refuse,
});
