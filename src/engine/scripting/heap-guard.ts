import { getHeapStatistics } from 'node:v8';

/**
 * Beyond this share of the memory JavaScript may have, the process is in danger and not only the script: a table that
 * grows needs as much again while it is moved. The data is elsewhere, so that scripts are nearly the only users of it.
 */
const MAX_HEAP_SHARE = 0.5;

/** Whether scripts have used so much memory that the running one must end. */
export function isHeapExhausted(): boolean {
  if (!isAboveLimit()) return false;
  // Perhaps most of it is garbage of earlier scripts.
  collectGarbage();
  return isAboveLimit();
}

function isAboveLimit(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > limit * MAX_HEAP_SHARE;
}

/**
 * Through the inspector, which collects all garbage before it looks for objects: that needs no flag of V8, and a library
 * must not change the flags of its host. A Node without inspector, or older than 20.16, counts the garbage, too.
 */
function collectGarbage(): void {
  const inspector = process.getBuiltinModule?.('node:inspector');
  if (inspector === undefined) return;
  const session = new inspector.Session();
  session.connect();
  session.post('Runtime.evaluate', { expression: '(class {}).prototype' }, (_, { result }) => {
    session.post('Runtime.queryObjects', { prototypeObjectId: result.objectId ?? '' });
  });
  session.disconnect();
}
