import { rows as aclRows } from '../../src/commands/acl/rows.js';
import { rows as clusterRows } from '../../src/commands/cluster/rows.js';
import type { Command } from '../../src/commands/table.js';
import { commandTable } from '../../src/engine/running/command-table.js';
import type { MethodRow, MethodTable } from './row.js';
import * as keys from './table-keys.js';
import * as server from './table-server.js';

/** All typed methods, by the full names of their commands. */
export const methodTable: MethodTable = Object.assign({}, ...Object.values(keys), ...Object.values(server));

const WRAPPED = 'the store has a method for it';
const CONNECTION = 'changes the state of a connection, which the store manages';
const CONTAINER = 'only its subcommands can be run';
const PEOPLE = 'help text for an interactive prompt';
const INTERNAL = 'for tests of servers';
const REPLICATION = 'what master and replica say to each other';
const EACH_SERVER = 'each server has its own users, while a store may have several servers';
const ONE_NODE = 'about one server, while a store may have several';

/** Why some commands have no method. Most of them can be sent by name; a store refuses those that it wraps. */
export const untyped: Readonly<Record<string, string>> = {
  acl: CONTAINER,
  ...Object.fromEntries(Object.keys(aclRows.acl.subcommands).map((name) => [`acl|${name}`, EACH_SERVER])),
  asking: CONNECTION,
  auth: 'the password is part of the address or of the options of `open`',
  client: CONTAINER,
  'client|caching': CONNECTION,
  'client|getredir': CONNECTION,
  'client|help': PEOPLE,
  'client|no-evict': CONNECTION,
  'client|reply': CONNECTION,
  'client|setname': CONNECTION,
  'client|tracking': CONNECTION,
  'client|trackinginfo': CONNECTION,
  cluster: CONTAINER,
  ...Object.fromEntries(
    Object.keys(clusterRows.cluster.subcommands).map((name) => [`cluster|${name}`, ONE_NODE]),
  ),
  command: 'commandInfo returns the same',
  'command|help': PEOPLE,
  config: CONTAINER,
  'config|help': PEOPLE,
  debug: INTERNAL,
  discard: WRAPPED,
  exec: WRAPPED,
  failover: ONE_NODE,
  function: CONTAINER,
  'function|help': PEOPLE,
  hello: CONNECTION,
  hscan: WRAPPED,
  latency: CONTAINER,
  'latency|help': PEOPLE,
  memory: CONTAINER,
  'memory|help': PEOPLE,
  migrate: ONE_NODE,
  module: CONTAINER,
  'module|help': PEOPLE,
  'module|list': 'the engine has no modules',
  'module|load': 'the engine has no modules',
  'module|loadex': 'the engine has no modules',
  'module|unload': 'the engine has no modules',
  monitor: 'it has no single reply: it reports all commands from then on',
  multi: WRAPPED,
  object: CONTAINER,
  'object|help': PEOPLE,
  pfdebug: INTERNAL,
  pfselftest: INTERNAL,
  psubscribe: WRAPPED,
  psync: REPLICATION,
  pubsub: CONTAINER,
  'pubsub|help': PEOPLE,
  punsubscribe: WRAPPED,
  quit: WRAPPED,
  readonly: CONNECTION,
  readwrite: CONNECTION,
  replconf: REPLICATION,
  replicaof: ONE_NODE,
  reset: CONNECTION,
  'restore-asking': ONE_NODE,
  scan: WRAPPED,
  script: CONTAINER,
  'script|debug': CONNECTION,
  'script|help': PEOPLE,
  select: CONNECTION,
  shutdown: 'it ends the server before it can reply',
  slaveof: ONE_NODE,
  slowlog: CONTAINER,
  'slowlog|help': PEOPLE,
  sscan: WRAPPED,
  ssubscribe: WRAPPED,
  subscribe: WRAPPED,
  sunsubscribe: WRAPPED,
  sync: REPLICATION,
  unsubscribe: WRAPPED,
  unwatch: WRAPPED,
  watch: WRAPPED,
  xgroup: CONTAINER,
  'xgroup|help': PEOPLE,
  xinfo: CONTAINER,
  'xinfo|help': PEOPLE,
  zscan: WRAPPED,
};

/** Every command and subcommand. */
export function allCommands(): Command[] {
  return [...commandTable].flatMap((command) => [command, ...(command.subcommands ?? [])]);
}

/** Commands with their rows, by group, in the order of names. */
export function typedCommands(): Map<string, (readonly [Command, MethodRow])[]> {
  const groups = new Map<string, (readonly [Command, MethodRow])[]>();
  for (const command of allCommands().sort((a, b) => (a.fullName < b.fullName ? -1 : 1))) {
    const row = methodTable[command.fullName];
    if (row === undefined) continue;
    const { group } = command.spec.docs;
    groups.set(group, [...(groups.get(group) ?? []), [command, row]]);
  }
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}
