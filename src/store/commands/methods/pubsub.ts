/** Generated from the command table by `npm run store-commands`: change the table or the script, not this file. */
import type { WireCommand } from '../../command-runner.js';
import type { Argument, Shape } from '../../value.js';
import type { Methods, OneOrMore, Runner } from '../options.js';
import { append } from '../options.js';
import { list, numberRecord } from '../replies.js';
import type { PubsubCommands } from '../types/pubsub.js';

const PUBLISH: WireCommand = { words: ['PUBLISH'], blocks: false };
const PUBSUB_CHANNELS: WireCommand = { words: ['PUBSUB', 'CHANNELS'], blocks: false };
const PUBSUB_NUMPAT: WireCommand = { words: ['PUBSUB', 'NUMPAT'], blocks: false };
const PUBSUB_NUMSUB: WireCommand = { words: ['PUBSUB', 'NUMSUB'], blocks: false };
const PUBSUB_SHARDCHANNELS: WireCommand = { words: ['PUBSUB', 'SHARDCHANNELS'], blocks: false };
const PUBSUB_SHARDNUMSUB: WireCommand = { words: ['PUBSUB', 'SHARDNUMSUB'], blocks: false };
const SPUBLISH: WireCommand = { words: ['SPUBLISH'], blocks: false };

export const pubsubMethods = {
  publish(this: Runner, channel: Argument, message: Argument): unknown {
    return this.run(PUBLISH, [channel, message]);
  },

  pubsubChannels(this: Runner, pattern?: Argument): unknown {
    if (pattern === undefined) return this.run(PUBSUB_CHANNELS, [], list);
    return this.run(PUBSUB_CHANNELS, [pattern], list);
  },

  pubsubNumpat(this: Runner): unknown {
    return this.run(PUBSUB_NUMPAT, []);
  },

  pubsubNumsub(this: Runner, channels?: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (channels === undefined) return this.run(PUBSUB_NUMSUB, [], numberRecord);
    const args: Argument[] = [];
    if (channels !== undefined) append(args, channels, more);
    return this.run(PUBSUB_NUMSUB, args, numberRecord);
  },

  pubsubShardchannels(this: Runner, pattern?: Argument): unknown {
    if (pattern === undefined) return this.run(PUBSUB_SHARDCHANNELS, [], list);
    return this.run(PUBSUB_SHARDCHANNELS, [pattern], list);
  },

  pubsubShardnumsub(this: Runner, shardchannels?: OneOrMore<Argument>, ...more: Argument[]): unknown {
    if (shardchannels === undefined) return this.run(PUBSUB_SHARDNUMSUB, [], numberRecord);
    const args: Argument[] = [];
    if (shardchannels !== undefined) append(args, shardchannels, more);
    return this.run(PUBSUB_SHARDNUMSUB, args, numberRecord);
  },

  spublish(this: Runner, shardchannel: Argument, message: Argument): unknown {
    return this.run(SPUBLISH, [shardchannel, message]);
  },
} satisfies Methods<PubsubCommands<Shape>>;
