import { Bytes } from '../../bytes/bytes.js';
import { globMatchText } from '../../bytes/glob.js';
import { FLAG } from '../../commands/flag.js';
import type { Command } from '../../commands/table.js';
import { commandTable } from '../../engine/running/command-table.js';

/**
 * Commands that are not flagged as reading, since they read no keys, and change nothing: neither data, nor settings, nor what other
 * clients see. ACL LIST and GETUSER are not among them: they return digests of passwords.
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
  'acl|help',
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

/** Settings that are passwords (`primaryauth` is Valkey's). A person who knows one can write by another connection. */
const PASSWORDS = [
  'requirepass',
  'masterauth',
  'primaryauth',
  'tls-key-file-pass',
  'tls-client-key-file-pass',
  'sentinel-pass',
];

/** Arguments that a read-only console refuses: of ACL LOG RESET, and patterns of CONFIG GET that match a password. */
const REFUSED_ARGUMENTS: Readonly<Record<string, (argument: string) => boolean>> = {
  'acl|log': (argument) => /^reset$/i.test(argument),
  'config|get': (pattern) => PASSWORDS.some((name) => globMatchText(pattern, name, true)),
};

/** The command of the table that these words call; undefined if there is none. */
export function commandOf(words: readonly Buffer[]): Command | undefined {
  return commandTable.find(
    words.map((word) => new Bytes(word)),
    words.length,
  );
}

/**
 * Whether a read-only console may run the command: the table flags it as reading, or it is known to change nothing. Scripts that can write
 * (EVAL) are not flagged so; EVAL_RO and FCALL_RO are. A command that is not in the table may do anything. Passwords are not told.
 */
export function onlyReads(words: readonly Buffer[]): boolean {
  const command = commandOf(words);
  if (command === undefined) return false;
  const refuses = REFUSED_ARGUMENTS[command.fullName];
  if (refuses !== undefined && words.slice(2).some((word) => refuses(word.toString('latin1')))) return false;
  return readsAlways(command);
}

export function readsAlways({ flagBits, fullName }: Command): boolean {
  const reads = (flagBits & FLAG.readonly) !== 0 && (flagBits & FLAG.write) === 0;
  return reads || HARMLESS.has(fullName);
}
