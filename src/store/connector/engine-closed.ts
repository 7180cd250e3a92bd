import { StoreError } from '../store-error.js';

/** The engine that a client was connected to is closed for good: trying again does not help. */
export class EngineClosed extends StoreError {
  constructor() {
    super('CLOSED', 'the engine that this client was connected to is closed; open another one');
  }
}

/** Whether the class, given to ioredis as `Connector`, leads to an engine of this process that is closed. */
export function isEngineClosed(connector: unknown): boolean {
  return typeof connector === 'function' && (connector as { isClosed?: boolean }).isClosed === true;
}
