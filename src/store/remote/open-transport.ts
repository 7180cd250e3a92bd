import type { Address } from '../address.js';
import type { RemoteOptions } from '../options.js';
import { openServer } from './open-remote.js';
import { RemoteTransport } from './remote-transport.js';

/** A transport to the servers at the address. */
export async function openTransport(
  address: Exclude<Address, { kind: 'memory' | 'file' }>,
  options: RemoteOptions,
): Promise<RemoteTransport> {
  const { driver, commandTimeout } = await openServer(address, options);
  return new RemoteTransport(driver, { commandTimeout });
}
