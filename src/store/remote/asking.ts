import type { WireCommand } from '../command-runner.js';

/** Lets the next command, or transaction, use a slot that is being moved to the server. */
export const ASKING: WireCommand = { words: ['ASKING'] };
