import { StoreError } from '../store-error.js';

/** The client's engine is closed. Retrying does not help. */
export class EngineClosed extends StoreError {
  constructor() {
    super('CLOSED', 'the engine that this client was connected to is closed; open another one');
  }
}

/** Whether this `Connector` class of ioredis belongs to an engine of this process that is closed. */
export function isEngineClosed(connector: unknown): boolean {
  return typeof connector === 'function' && (connector as { isClosed?: boolean }).isClosed === true;
}
