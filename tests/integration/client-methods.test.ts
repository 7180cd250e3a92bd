import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { FLAG } from '../../src/commands/flag.js';
import { commandTable } from '../../src/engine/running/command-table.js';
import { argumentsOf, DATA } from '../support/command-arguments.js';
import {
  type Server,
  startRedis,
  startSorrel,
  stopAllServers,
  whenRedisIsInstalled,
} from '../support/fleet/index.js';

/**
 * Every command method of ioredis and of node-redis is called once on redis-server and on ours, with arguments made from the
 * command table: the reply must be the same, or the error. Each call finds the same data.
 */

let servers: { readonly redis: Server; readonly sorrel: Server };
before(async () => {
  if (whenRedisIsInstalled.skip === false)
    servers = { redis: await startRedis([]), sorrel: await startSorrel([]) };
});
after(stopAllServers);

/** Commands that end or change the connection or the server, and why they are left out. */
const LEFT_OUT = new Set([
  ...['shutdown', 'debug', 'failover', 'replicaof', 'slaveof', 'sync', 'psync', 'replconf', 'migrate'],
  ...['monitor', 'quit', 'reset', 'hello', 'auth', 'select', 'multi', 'exec', 'discard', 'watch', 'acl'],
  ...['subscribe', 'psubscribe', 'ssubscribe', 'unsubscribe', 'punsubscribe', 'sunsubscribe', 'asking'],
  ...['client|pause', 'client|reply', 'client|kill', 'client|tracking', 'client|caching', 'client|no-evict'],
  ...[
    'config|rewrite',
    'module',
    'cluster',
    'readonly',
    'readwrite',
    'restore-asking',
    'script|debug',
    'bgsave',
    'bgrewriteaof',
  ],
]);

/** Replies that differ from server to server by their nature: only their type is compared. */
const DIFFERING = new Set([
  ...['info', 'time', 'lastsave', 'randomkey', 'lolwut', 'role', 'dump', 'object|idletime', 'object|freq'],
  ...['client|id', 'client|info', 'client|list', 'client|getname', 'memory', 'memory|usage', 'memory|stats'],
  ...['memory|doctor', 'memory|malloc-stats', 'memory|purge', 'latency', 'latency|histogram', 'slowlog|get'],
  ...[
    'command',
    'command|count',
    'command|list',
    'command|info',
    'command|docs',
    'xadd',
    'spop',
    'srandmember',
  ],
  ...['hrandfield', 'zrandmember', 'slowlog', 'slowlog|len', 'config|get', 'scan', 'keys', 'xinfo|consumers'],
  ...[
    'hgetall',
    'hkeys',
    'hvals',
    'smembers',
    'sdiff',
    'sunion',
    'sinter',
    'pfdebug',
    'object|encoding',
    'config',
  ],
  ...[
    'script|load',
    'function|stats',
    'function|dump',
    'latency|latest',
    'client',
    'object',
    'xinfo',
    'xinfo|stream',
  ],
]);

interface Called {
  readonly name: string;
  readonly container: string;
  readonly args: readonly string[];
  /** The next call needs the data again. */
  readonly changesData: boolean;
}

/** Commands and subcommands that can be called. */
function callable(): Called[] {
  return [...commandTable].flatMap((command) => {
    if (LEFT_OUT.has(command.name)) return [];
    const each = command.subcommands === undefined ? [command] : [...command.subcommands];
    return each
      .filter(({ fullName, name }) => !LEFT_OUT.has(fullName) && name !== 'help')
      .map((one) => ({
        name: one.fullName,
        container: command.name,
        args: argumentsOf(one),
        changesData: (one.flagBits & FLAG.readonly) === 0,
      }));
  });
}

/** A reply or an error, as it can be compared. */
async function outcomeOf(name: string, call: () => unknown): Promise<string> {
  try {
    const reply = await call();
    return DIFFERING.has(name)
      ? `a reply of type ${Array.isArray(reply) ? 'array' : typeof reply}`
      : JSON.stringify(reply);
  } catch (error) {
    return `error ${(error as Error).message}`;
  }
}

async function compareAll<Client>(
  methods: readonly (Called & { call(client: Client): unknown })[],
  clients: readonly [Client, Client],
  send: (client: Client, command: readonly string[]) => Promise<unknown>,
): Promise<void> {
  const differences: string[] = [];
  let answered = 0;
  let isChanged = true;
  for (const { name, args, changesData, call } of methods) {
    const outcomes = await Promise.all(
      clients.map(async (client) => {
        if (isChanged) await Promise.all(DATA.map((command) => send(client, command)));
        return outcomeOf(name, () => call(client));
      }),
    );
    isChanged = changesData;
    if (outcomes[0] !== outcomes[1])
      differences.push(
        `${name} ${args.join(' ')}\n  redis-server ${outcomes[0]}\n  sorrel       ${outcomes[1]}`,
      );
    if (!outcomes[0]?.startsWith('error')) answered++;
  }
  assert.deepEqual(differences, [], differences.join('\n'));
  // Otherwise the arguments are wrong and only errors are compared.
  assert.ok(answered > methods.length / 2, `${answered} of ${methods.length} calls were answered`);
}

test(
  'every method of ioredis gets the same reply or error from both servers',
  whenRedisIsInstalled,
  async () => {
    const clients = [servers.redis, servers.sorrel].map(({ port }) => new Redis({ port })) as [Redis, Redis];
    const methods = callable().map(({ name, container, args, changesData }) => {
      const words = name === container ? args : [name.slice(container.length + 1), ...args];
      return {
        name,
        container,
        args: words,
        changesData,
        call: (client: Redis): unknown => {
          const method = (client as unknown as Record<string, unknown>)[container];
          return typeof method === 'function'
            ? method.apply(client, words)
            : client.call(container, ...words);
        },
      };
    });
    try {
      await compareAll(methods, clients, (client, [name = '', ...args]) => client.call(name, ...args));
    } finally {
      for (const client of clients) client.disconnect();
    }
  },
);

type NodeRedis = ReturnType<typeof createClient>;

/** The commands that a method of node-redis may send: `HGETALL`, `CONFIG_GET`. */
function methodsOf(client: NodeRedis): Map<string, string> {
  const names = new Map<string, string>();
  for (
    let prototype: object | null = client;
    prototype !== null;
    prototype = Object.getPrototypeOf(prototype)
  ) {
    for (const name of Object.getOwnPropertyNames(prototype)) {
      if (/^[A-Z][A-Z_0-9]*$/.test(name)) names.set(name.toLowerCase().replaceAll('_', ''), name);
    }
  }
  return names;
}

test(
  'every method of node-redis gets the same reply or error from both servers',
  whenRedisIsInstalled,
  async () => {
    const connected = [servers.redis, servers.sorrel].map(({ port }) => createClient({ socket: { port } }));
    await Promise.all(connected.map((client) => client.connect()));
    const clients = connected as [NodeRedis, NodeRedis];
    const available = methodsOf(clients[0]);
    const methods = callable().flatMap((called) => {
      const method = available.get(called.name.replaceAll(/[|_-]/g, ''));
      if (method === undefined) return [];
      const call = (client: NodeRedis): unknown =>
        (client as unknown as Record<string, (...args: readonly string[]) => unknown>)[method]?.(
          ...called.args,
        );
      return [{ ...called, call }];
    });
    assert.ok(methods.length > 150, `${methods.length} methods`);
    try {
      await compareAll(methods, clients, (client, command) => client.sendCommand([...command]));
    } finally {
      for (const client of clients) client.destroy();
    }
  },
);
