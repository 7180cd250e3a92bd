import { globMatchText } from '../../bytes/glob.js';
import type { Call } from '../call.js';
import type { ChannelKind } from '../engine-port.js';
import { wrongSubcommandArguments } from '../errors.js';
import { helpHandler } from '../help.js';

function listChannels(call: Call, kind: ChannelKind): void {
  if (call.argc > 3) throw wrongSubcommandArguments(call.text(1), 'pubsub');
  const pattern = call.argc === 3 ? call.text(2) : undefined;
  const names: string[] = [];
  for (const channel of call.engine.pubsub.channels(kind)) {
    if (pattern === undefined || globMatchText(pattern, channel)) names.push(channel);
  }
  call.reply.array(names.length);
  for (const name of names) call.reply.bulkText(name);
}

function countSubscribers(call: Call, kind: ChannelKind): void {
  call.reply.array((call.argc - 2) * 2);
  for (let i = 2; i < call.argc; i++) {
    call.reply.bulk(call.arg(i));
    call.reply.integer(call.engine.pubsub.subscribers(kind, call.text(i)));
  }
}

/** The handlers of PUBSUB's subcommands. */
export const pubsubHandlers = {
  channels: (call: Call): void => listChannels(call, 'global'),
  shardchannels: (call: Call): void => listChannels(call, 'shard'),
  numsub: (call: Call): void => countSubscribers(call, 'global'),
  shardnumsub: (call: Call): void => countSubscribers(call, 'shard'),
  numpat: (call: Call): void => call.reply.integer(call.engine.pubsub.patternCount),
  help: helpHandler([
    'CHANNELS [<pattern>]',
    "    Return the currently active channels matching a <pattern> (default: '*').",
    'NUMPAT',
    '    Return number of subscriptions to patterns.',
    'NUMSUB [<channel> ...]',
    '    Return the number of subscribers for the specified channels, excluding',
    '    pattern subscriptions(default: no channels).',
    'SHARDCHANNELS [<pattern>]',
    "    Return the currently active shard level channels matching a <pattern> (default: '*').",
    'SHARDNUMSUB [<shardchannel> ...]',
    '    Return the number of subscribers for the specified shard level channel(s)',
  ]),
} as const;
