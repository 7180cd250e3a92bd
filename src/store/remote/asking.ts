import type { WireCommand } from '../command-runner.js';

/** Allows the next command or transaction to use a slot that is being moved to the server. */
export const ASKING: WireCommand = { words: ['ASKING'] };
