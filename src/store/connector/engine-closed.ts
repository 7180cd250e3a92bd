import { StoreError } from '../store-error.js';

/** The engine that a client was connected to is closed for good: trying again does not help. */
export class EngineClosed extends StoreError {
  constructor() {
    super('CLOSED', 'The store that this client was connected to has been closed; open another one');
  }
}
