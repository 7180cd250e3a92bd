import type { Writable } from 'node:stream';
import { type OpenOptions, open } from '../../store/index.js';
import { KitError, shown } from '../foundation/index.js';
import { type LogsOptions, logs } from './logs.js';

export interface TransportOptions extends LogsOptions {
  /**
   * The address of a server in another process, such as `redis://…`: pino blocks its process when it ends. For an embedded store
   * use `logs(store).stream()`.
   */
  readonly address: string;
  /** Options of `open`. */
  readonly open?: OpenOptions;
  /** The name under which lines are written that have none. Default `app`. */
  readonly name?: string;
}

/**
 * A transport for pino, which runs in a thread of its own.
 *
 * @example
 * import pino from 'pino';
 *
 * const log = pino({ name: 'shop', transport: { target: 'sorrel/kit/logs', options: { address: 'redis://localhost' } } });
 */
export default async function transport(options: TransportOptions): Promise<Writable> {
  const { address, open: openOptions = {}, name, ...limits } = withoutPinoOptions(options ?? {});
  if (typeof address !== 'string' || address === '') {
    throw new KitError(
      'OPTION',
      `the transport needs \`address\`, such as 'redis://localhost', not ${shown(address)}`,
    );
  }
  const store = await open(address, openOptions);
  const onEnd = (): Promise<void> => store.close();
  try {
    return logs(store, limits).stream(name === undefined ? { onEnd } : { name, onEnd });
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** pino adds `$context`, `pinoWillSendConfig` and the like. */
function withoutPinoOptions(options: TransportOptions): TransportOptions {
  const own = Object.entries(options).filter(([name]) => !/^(?:\$|pino)/.test(name));
  return Object.fromEntries(own) as unknown as TransportOptions;
}
