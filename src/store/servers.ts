import { ReplyFormat } from '../resp/reply-reader.js';
import type { Store } from './store.js';
import { StoreClient } from './store-client.js';
import { StoreError } from './store-error.js';
import type { CallOptions, Closable, Reply } from './transport.js';
import type { Argument } from './value.js';
import { commandNamed } from './wire-command.js';

/** One server of a store that has keys. Replies contain Buffers instead of strings. */
export interface StoreServer {
  /** `host:port`, the path of its socket, or `embedded`. */
  readonly name: string;
  send(words: string, args: readonly Argument[], options?: CallOptions): Promise<Reply>;
  /** Listens to all commands of the server (MONITOR), which slows it down: for a short time only. */
  monitor(listener: MonitorListener, options?: CallOptions): Promise<Closable>;
}

export interface MonitorListener {
  /** `source` is the database and the client; the words of the command are in quotes. */
  command(source: string, command: string): void;
  ended(error: StoreError): void;
}

/**
 * The servers behind a store: the masters of a Cluster, otherwise one. For what has to be asked of each server by itself, such as
 * SCAN with its cursors, INFO or SLOWLOG.
 */
export function serversOf(store: Store): readonly StoreServer[] {
  if (!(store instanceof StoreClient)) {
    throw new StoreError('MISUSE', 'the servers of a store are known only for stores that open() returned');
  }
  return store.transport.servers().map((server) => ({
    name: server.name,
    monitor: (listener, options) =>
      store.transport.subscribe(
        'monitor',
        [server.name],
        {
          message: (source, command) => listener.command(String(source), String(command)),
          ended: (error) => listener.ended(error),
        },
        options,
      ),
    send: async (words, args, options) =>
      (await server.send(commandNamed(words, args), args, ReplyFormat.bytes, undefined, options)) as Reply,
  }));
}
