/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { Argument, Outcome, Shape } from '../../value.js';
import type { OneOrMore } from '../options.js';

/** Commands of the group pubsub. `S` is the shape of replies: text or bytes; promised, synchronous or queued. */
export interface PubsubCommands<S extends Shape> {
  /**
   * Post a message to a channel.
   *
   * Sends PUBLISH. O(N+M) where N is the number of clients subscribed to the receiving channel and M is the total number of subscribed patterns (by any client).
   *
   * @example
   * await store.publish('news', 'rain'); // 0
   */
  publish(channel: Argument, message: Argument): Outcome<S, S['integer']>;

  /**
   * List active channels.
   *
   * Sends PUBSUB CHANNELS. O(N) where N is the number of active channels, and assuming constant time pattern matching (relatively short channels and patterns).
   *
   * @example
   * await store.pubsubChannels('news*'); // []
   */
  pubsubChannels(pattern?: Argument): Outcome<S, S['text'][]>;

  /**
   * Get the count of unique patterns pattern subscriptions.
   *
   * Sends PUBSUB NUMPAT. O(1).
   *
   * @example
   * await store.pubsubNumpat(); // 0
   */
  pubsubNumpat(): Outcome<S, S['integer']>;

  /**
   * Get the count of subscribers for channels.
   *
   * Sends PUBSUB NUMSUB. O(N) for the NUMSUB subcommand, where N is the number of requested channels.
   *
   * @example
   * await store.pubsubNumsub('news', 'sport'); // { news: 0, sport: 0 }
   */
  pubsubNumsub(channels?: OneOrMore<Argument>, ...more: Argument[]): Outcome<S, Record<string, number>>;

  /**
   * List active shard channels.
   *
   * Sends PUBSUB SHARDCHANNELS. O(N) where N is the number of active shard channels, and assuming constant time pattern matching (relatively short shard channels).
   *
   * @example
   * await store.pubsubShardchannels(); // []
   */
  pubsubShardchannels(pattern?: Argument): Outcome<S, S['text'][]>;

  /**
   * Get the count of subscribers for shard channels.
   *
   * Sends PUBSUB SHARDNUMSUB. O(N) for the SHARDNUMSUB subcommand, where N is the number of requested shard channels.
   *
   * @example
   * await store.pubsubShardnumsub('news'); // { news: 0 }
   */
  pubsubShardnumsub(
    shardchannels?: OneOrMore<Argument>,
    ...more: Argument[]
  ): Outcome<S, Record<string, number>>;

  /**
   * Post a message to a shard channel.
   *
   * Sends SPUBLISH. O(N) where N is the number of clients subscribed to the receiving shard channel.
   *
   * @example
   * await store.spublish('news', 'rain'); // 0
   */
  spublish(shardchannel: Argument, message: Argument): Outcome<S, S['integer']>;
}
