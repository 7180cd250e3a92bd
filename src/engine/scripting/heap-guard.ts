import { getHeapStatistics } from 'node:v8';

/**
 * The share of the JavaScript heap for lasting objects that may be in use. Above it the process may run out of memory: a table that
 * grows is copied, which doubles its memory. The data is not on this heap, so scripts are nearly its only users.
 */
const MAX_HEAP_SHARE = 0.5;

/** Bytes at most that V8 reserves for new objects, a part of its limit: 48 MB, from version 13 (Node 24) on 96 or 192 MB. */
const NEW_OBJECTS = (Number.parseInt(process.versions.v8, 10) < 13 ? 48 : 192) * 1024 * 1024;

/** Whether scripts have used so much memory that the running one must end. */
export function isHeapExhausted(): boolean {
  if (!isAboveLimit()) return false;
  // Most of it may be garbage of earlier scripts.
  collectGarbage();
  return isAboveLimit();
}

function isAboveLimit(): boolean {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used > (limit - Math.min(NEW_OBJECTS, limit / 2)) * MAX_HEAP_SHARE;
}

/**
 * Uses the inspector, which collects garbage before it searches for objects. This needs no V8 flag, and a library must not
 * change the flags of its host. Without the inspector, or before Node 20.16, garbage counts as used memory.
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
