import type { Call } from '../call.js';
import { CommandError } from '../errors.js';
import { family } from '../table.js';
import { rows } from './rows.js';

const DISABLED = new CommandError('ERR This instance has cluster support disabled');

/** Clients ask a server whether it is part of a cluster, and take this for a no. */
function refuse(_call: Call): void {
  throw DISABLED;
}

export const cluster = family(rows, {
  asking: refuse,
  cluster: Object.fromEntries(Object.keys(rows.cluster.subcommands).map((name) => [name, refuse])),
  readonly: refuse,
  readwrite: refuse,
});
