/** `sorrel/kit/durable-write`: confirms that writes have reached replicas and disks. */
export { KitError } from '../foundation/index.js';
export {
  type Confirmation,
  type ConfirmOptions,
  type DiskState,
  type DurableWriteOptions,
  type DurableWrites,
  durableWrites,
} from './durable-write.js';
