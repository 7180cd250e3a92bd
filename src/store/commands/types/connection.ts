/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { Argument, Outcome, Shape } from '../../value.js';
import type { AnyCase, OneOrMore } from '../options.js';

export type ClientKillOptions = {
  readonly id?: number | bigint | undefined;
  readonly type?: AnyCase<'normal' | 'master' | 'replica' | 'pubsub'> | undefined;
  readonly user?: Argument | undefined;
  readonly addr?: Argument | undefined;
  readonly laddr?: Argument | undefined;
  readonly skipMe?: AnyCase<'yes' | 'no'> | undefined;
};
export type ClientListOptions = {
  readonly type?: AnyCase<'normal' | 'master' | 'replica' | 'pubsub'> | undefined;
  readonly id?: OneOrMore<number | bigint> | undefined;
};

/** Commands of the group connection. `S` is the shape of replies: text or bytes; promised, synchronous or queued. */
export interface ConnectionCommands<S extends Shape> {
  /**
   * Get the current connection name.
   *
   * Sends CLIENT GETNAME. O(1).
   *
   * @example
   * await store.clientGetname(); // null
   */
  clientGetname(): Outcome<S, S['text'] | null>;

  /**
   * Returns the client ID for the current connection.
   *
   * Sends CLIENT ID. O(1).
   *
   * @example
   * await store.clientId();
   */
  clientId(): Outcome<S, S['integer']>;

  /**
   * Returns information about the current client connection.
   *
   * Sends CLIENT INFO. O(1).
   *
   * @example
   * await store.clientInfo();
   */
  clientInfo(): Outcome<S, Record<string, string>>;

  /**
   * Kill the connection of a client.
   *
   * Sends CLIENT KILL. O(N) where N is the number of client connections.
   *
   * @example
   * await store.clientKill({ id: 999_999_999 }); // 0
   */
  clientKill(options: ClientKillOptions): Outcome<S, S['integer']>;

  /**
   * Get the list of client connections.
   *
   * Sends CLIENT LIST. O(N) where N is the number of client connections.
   *
   * @example
   * await store.clientList({ type: 'normal' });
   */
  clientList(options?: ClientListOptions): Outcome<S, Record<string, string>[]>;

  /**
   * Stop processing commands from clients for some time.
   *
   * Sends CLIENT PAUSE. O(1).
   *
   * @example
   * await store.clientPause(0, 'write'); // 'OK'
   */
  clientPause(timeout: number | bigint, mode?: AnyCase<'write' | 'all'>): Outcome<S, 'OK'>;

  /**
   * Unblock a client blocked in a blocking command from a different connection.
   *
   * Sends CLIENT UNBLOCK. O(log N) where N is the number of client connections.
   *
   * @example
   * await store.clientUnblock(999_999_999, 'error'); // false
   */
  clientUnblock(clientId: number | bigint, how?: AnyCase<'timeout' | 'error'>): Outcome<S, boolean>;

  /**
   * Resume processing of clients that were paused.
   *
   * Sends CLIENT UNPAUSE. O(N) Where N is the number of paused clients.
   *
   * @example
   * await store.clientUnpause(); // 'OK'
   */
  clientUnpause(): Outcome<S, 'OK'>;

  /**
   * Echo the given string.
   *
   * Sends ECHO. O(1).
   *
   * @example
   * await store.echo('hello'); // 'hello'
   */
  echo(message: Argument): Outcome<S, S['text']>;

  /**
   * Ping the server.
   *
   * Sends PING. O(1).
   *
   * @example
   * await store.ping(); // 'PONG'
   */
  ping(message: Argument): Outcome<S, S['text']>;
  /** Ping the server. */
  ping(): Outcome<S, string>;
  /** Ping the server. */
  ping(message?: Argument): Outcome<S, string | S['text']>;
}
