/** `sorrel/kit/locks`: locks across processes. */
export { type EvictionOptions, KitError } from '../foundation/index.js';
export type { Lock } from './lock.js';
export type { LockHolder, LockStatus } from './lock-scripts.js';
export { type Locks, locks, type ReadWriteLock } from './locks.js';
export {
  type MajorityLockOptions,
  type MajorityLocks,
  type MajorityLocksOptions,
  majorityLocks,
} from './majority.js';
export type { ForceReleaseOptions, LockOptions, LocksOptions } from './options.js';
export type { LockSet } from './several.js';
