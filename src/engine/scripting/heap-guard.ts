import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Beyond this share of the memory JavaScript may have, the process is in danger and not only the script: a table that
 * grows needs as much again while it is moved. The data is not there, so that hardly anybody but scripts uses it.
 */
const MOST_OF_HEAP = 0.5;

/** Whether scripts have used so much memory that the running one must end. */
export function isHeapExhausted(): boolean {
  if (!isAboveLimit()) return false;
  // Perhaps most of it is what earlier scripts have left.
  collectGarbage();
  return isAboveLimit();
}

function isAboveLimit(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > limit * MOST_OF_HEAP;
}

let collector: (() => void) | undefined;

/** V8 offers this only to those who ask before a context is made: so one is made. */
function collectGarbage(): void {
  if (collector === undefined) {
    setFlagsFromString('--expose-gc');
    collector = runInNewContext('gc') as () => void;
  }
  collector();
}
