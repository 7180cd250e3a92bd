import { CommandError } from '../commands/errors.js';

/** Why a server cannot be watched. */
export class InstanceRefused extends CommandError {}
