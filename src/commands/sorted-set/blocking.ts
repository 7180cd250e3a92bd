import type { Call } from '../call.js';
import { blockingMultiplePop, blockingPop } from '../pops.js';
import { sortedSetPops } from './pop.js';

export function bzpopmin(call: Call): void {
  blockingPop(call, sortedSetPops, 'min');
}

export function bzpopmax(call: Call): void {
  blockingPop(call, sortedSetPops, 'max');
}

export function bzmpop(call: Call): void {
  blockingMultiplePop(call, sortedSetPops);
}
