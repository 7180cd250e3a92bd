import { Bytes } from '../../bytes/bytes.js';
import { FLAG } from '../../commands/flag.js';
import type { Command } from '../../commands/table.js';
import { commandTable } from '../../engine/running/command-table.js';

/**
 * Commands that are not flagged as reading, since they read no keys, and change nothing: neither data, nor settings, nor what other
 * clients see.
 */
const HARMLESS = new Set([
  'ping',
  'echo',
  'time',
  'info',
  'lolwut',
  'role',
  'lastsave',
  'dbsize',
  'command',
  'command|count',
  'command|docs',
  'command|getkeys',
  'command|getkeysandflags',
  'command|help',
  'command|info',
  'command|list',
  'acl|cat',
  'acl|dryrun',
  'acl|getuser',
  'acl|help',
  'acl|list',
  'acl|log',
  'acl|users',
  'acl|whoami',
  'client|getname',
  'client|getredir',
  'client|help',
  'client|id',
  'client|info',
  'client|list',
  'client|trackinginfo',
  'cluster|countkeysinslot',
  'cluster|count-failure-reports',
  'cluster|getkeysinslot',
  'cluster|help',
  'cluster|info',
  'cluster|keyslot',
  'cluster|links',
  'cluster|myid',
  'cluster|nodes',
  'cluster|replicas',
  'cluster|shards',
  'cluster|slaves',
  'cluster|slots',
  'config|get',
  'config|help',
  'function|dump',
  'function|help',
  'function|list',
  'function|stats',
  'latency|doctor',
  'latency|graph',
  'latency|help',
  'latency|histogram',
  'latency|history',
  'latency|latest',
  'memory|doctor',
  'memory|help',
  'memory|malloc-stats',
  'memory|stats',
  'module|help',
  'module|list',
  'object|help',
  'pubsub|channels',
  'pubsub|help',
  'pubsub|numpat',
  'pubsub|numsub',
  'pubsub|shardchannels',
  'pubsub|shardnumsub',
  'script|exists',
  'script|help',
  'slowlog|get',
  'slowlog|help',
  'slowlog|len',
  'xinfo|help',
]);

/** Subcommands that change something with some arguments: ACL LOG RESET. */
const ARGUMENT_CHANGES: Readonly<Record<string, RegExp>> = { 'acl|log': /^reset$/i };

/** The command of the table that these words call; undefined if there is none. */
export function commandOf(words: readonly Buffer[]): Command | undefined {
  return commandTable.find(
    words.map((word) => new Bytes(word)),
    words.length,
  );
}

/**
 * Whether a read-only console may run the command: the table flags it as reading, or it is known to change nothing. Scripts that can write
 * (EVAL) are not flagged so; EVAL_RO and FCALL_RO are. A command that is not in the table may do anything.
 */
export function onlyReads(words: readonly Buffer[]): boolean {
  const command = commandOf(words);
  if (command === undefined) return false;
  const changes = ARGUMENT_CHANGES[command.fullName];
  if (changes !== undefined && words.slice(2).some((word) => changes.test(String(word)))) return false;
  return readsAlways(command);
}

export function readsAlways({ flagBits, fullName }: Command): boolean {
  const reads = (flagBits & FLAG.readonly) !== 0 && (flagBits & FLAG.write) === 0;
  return reads || HARMLESS.has(fullName);
}
