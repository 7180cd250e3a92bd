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
 * command table: the reply must be the same, or the error. Each call finds the same data. Methods of commands that Redis 7.0 does
 * not have are called, too, and get an error.
 */

let servers: { readonly redis: Server; readonly sorrel: Server };
before(async () => {
  if (whenRedisIsInstalled.skip === false)
    servers = {
      redis: await startRedis(['--enable-debug-command', 'yes']),
      sorrel: await startSorrel(['--enable-debug-command', 'yes']),
    };
});
after(stopAllServers);

/** Not called: what follows is the stream of a replica, which no client of this kind can read (see tests/replication). */
const STREAMS = new Set(['sync', 'psync']);

/** Commands that change their connection, or end it: each is called on a new one. */
const CHANGE_CONNECTION = new Set([
  ...['quit', 'reset', 'hello', 'auth', 'select', 'multi', 'exec', 'discard', 'watch', 'monitor', 'replconf'],
  ...['subscribe', 'psubscribe', 'ssubscribe', 'unsubscribe', 'punsubscribe', 'sunsubscribe', 'asking'],
  ...['client|pause', 'client|reply', 'client|kill', 'client|tracking', 'client|caching', 'client|no-evict'],
  ...['client|setname', 'readonly', 'readwrite', 'script|debug'],
]);

/** Replies that differ from server to server by their nature: only their type is compared. */
const DIFFERING = new Set([
  ...['info', 'time', 'lastsave', 'lolwut', 'dump', 'object|idletime', 'hello', 'role'],
  ...['client|id', 'client|info', 'client|list', 'memory|usage', 'memory|stats', 'memory|doctor'],
  ...[
    'memory|malloc-stats',
    'latency|histogram',
    'latency|latest',
    'slowlog|get',
    'slowlog|len',
    'randomkey',
  ],
  ...['command|docs', 'config|get', 'xadd', 'xinfo|consumers', 'function|dump', 'acl|genpass', 'acl|log'],
  ...['client|kill', 'client|trackinginfo'],
]);

/** Replies without an order. */
const UNORDERED = new Set(['keys', 'scan', 'command', 'command|info', 'command|list', 'acl|cat']);

interface Called {
  readonly name: string;
  readonly container: string;
  readonly args: readonly string[];
  /** The next call needs the data again. */
  readonly changesData: boolean;
}

/** Arguments of commands that are not documented, or with which the server would become a replica. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  debug: ['SLEEP', '0'],
  replicaof: ['NO', 'ONE'],
  slaveof: ['NO', 'ONE'],
};

/** Commands and subcommands that can be called. */
function callable(): Called[] {
  return [...commandTable].flatMap((command) => {
    if (STREAMS.has(command.name) || command.name === 'shutdown') return [];
    const each = command.subcommands === undefined ? [command] : [...command.subcommands];
    return each.map((one) => ({
      name: one.fullName,
      container: command.name,
      args: ARGUMENTS[one.name] ?? argumentsOf(one),
      changesData: (one.flagBits & FLAG.readonly) === 0,
    }));
  });
}

/** A command that Redis 7.0 does not have. */
const unknownCommand = (name: string): Called => ({
  name,
  container: name,
  args: ['string', 'member', '1'],
  changesData: false,
});

/** A reply or an error, as it can be compared. */
async function outcomeOf(name: string, call: () => unknown): Promise<string> {
  try {
    const reply = await call();
    if (DIFFERING.has(name)) return `a reply of type ${Array.isArray(reply) ? 'array' : typeof reply}`;
    return JSON.stringify(UNORDERED.has(name) ? inOrder(reply) : reply);
  } catch (error) {
    return `error ${(error as Error).message}`;
  }
}

function inOrder(reply: unknown): unknown {
  if (reply instanceof Set) return inOrder([...reply]);
  if (Array.isArray(reply))
    return reply.map(inOrder).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof reply !== 'object' || reply === null) return reply;
  return Object.fromEntries(Object.entries(reply).map(([name, value]) => [name, inOrder(value)]));
}

/** Commands that a second background job refuses. */
const BACKGROUND = new Set(['bgsave', 'bgrewriteaof']);

async function backgroundEnd<Client>(client: Client, send: Methods<Client>['send']): Promise<void> {
  while (/_in_progress:1/.test(String(await send(client, ['INFO', 'persistence']))));
}

interface Methods<Client> {
  readonly all: readonly (Called & { call(client: Client): unknown })[];
  connect(server: Server): Promise<Client>;
  send(client: Client, command: readonly string[]): Promise<unknown>;
  close(client: Client): void;
}

async function compareAll<Client>({ all, connect, send, close }: Methods<Client>): Promise<void> {
  const both = [servers.redis, servers.sorrel];
  const shared = await Promise.all(both.map(connect));
  const differences: string[] = [];
  let answered = 0;
  let isChanged = true;
  for (const { name, args, changesData, call } of all) {
    const outcomes = await Promise.all(
      shared.map(async (client, i) => {
        if (isChanged) await Promise.all(DATA.map((command) => send(client, command)));
        if (!CHANGE_CONNECTION.has(name)) return outcomeOf(name, () => call(client));
        const own = await connect(both[i] as Server);
        try {
          return await outcomeOf(name, () => call(own));
        } finally {
          close(own);
        }
      }),
    );
    isChanged = changesData;
    if (BACKGROUND.has(name)) await Promise.all(shared.map((client) => backgroundEnd(client, send)));
    if (outcomes[0] !== outcomes[1])
      differences.push(
        `${name} ${args.join(' ')}\n  redis-server ${outcomes[0]}\n  sorrel       ${outcomes[1]}`,
      );
    if (!outcomes[0]?.startsWith('error')) answered++;
  }
  for (const client of shared) close(client);
  assert.deepEqual(differences, [], differences.join('\n'));
  // Otherwise the arguments are wrong and only errors are compared.
  assert.ok(answered > all.length / 2, `${answered} of ${all.length} calls were answered`);
}

type MethodTable = Record<string, ((...args: unknown[]) => unknown) | undefined>;
const connectIoredis = async ({ port }: Server): Promise<Redis> => {
  const client = new Redis({ port, retryStrategy: () => null, lazyConnect: true });
  client.on('error', () => {});
  await client.connect();
  return client;
};

/** Methods of ioredis that do more than send the command. */
const IOREDIS: Readonly<Record<string, (client: Redis) => unknown>> = {
  multi: (client) => client.multi({ pipeline: false }),
  monitor: async (client) => {
    const monitor = await client.monitor();
    monitor.disconnect();
    return 'a monitor';
  },
};

test(
  'every method of ioredis gets the same reply or error from both servers',
  whenRedisIsInstalled,
  async () => {
    const known = callable().map((called) => {
      const { name, container, args } = called;
      const words = name === container ? args : [name.slice(container.length + 1), ...args];
      const call = (client: Redis): unknown => {
        const method = (client as unknown as MethodTable)[container];
        return (
          IOREDIS[name]?.(client) ?? method?.apply(client, [...words]) ?? client.call(container, ...words)
        );
      };
      return { ...called, args: words, call };
    });
    const ours = new Set([...commandTable].map(({ name }) => name));
    const unknown = new Redis({ lazyConnect: true })
      .getBuiltinCommands()
      .filter((name) => !ours.has(name))
      .map((name) => ({
        ...unknownCommand(name),
        call: (client: Redis) => (client as unknown as MethodTable)[name]?.('string', 'member', '1'),
      }));
    await compareAll<Redis>({
      all: [...known, ...unknown],
      connect: connectIoredis,
      send: (client, [name = '', ...args]) => client.call(name, ...args),
      close: (client) => client.disconnect(),
    });
  },
);

test('SHUTDOWN by ioredis ends both servers', whenRedisIsInstalled, async () => {
  const both = [await startRedis([]), await startSorrel([])];
  const outcomes = await Promise.all(
    both.map(async (server) => {
      const client = await connectIoredis(server);
      const closed = new Promise((resolve) => client.once('end', resolve));
      const outcome = await outcomeOf('shutdown', () => client.shutdown('NOSAVE'));
      await closed;
      return outcome;
    }),
  );
  assert.equal(outcomes[1], outcomes[0]);
});

type NodeRedis = ReturnType<typeof createClient>;

/** The methods of node-redis that send a command: `HGETALL`, `CONFIG_GET`, `HRANDFIELD_COUNT`. */
function methodsOf(client: NodeRedis): Set<string> {
  const names = new Set<string>();
  for (
    let prototype: object | null = client;
    prototype !== null;
    prototype = Object.getPrototypeOf(prototype)
  ) {
    for (const name of Object.getOwnPropertyNames(prototype)) {
      if (/^[A-Z][A-Z_0-9]*$/.test(name)) names.add(name);
    }
  }
  return names;
}

/** The command of a method, found by its longest beginning: that of `ZRANGE_WITHSCORES` is ZRANGE. */
function commandOf(method: string, known: ReadonlyMap<string, Called>): Called {
  const words = method.split('_');
  for (let length = words.length; length > 0; length--) {
    const called = known.get(words.slice(0, length).join('').toLowerCase());
    if (called !== undefined)
      return length === words.length ? called : { ...called, args: [...called.args, '1'] };
  }
  return unknownCommand(method.toLowerCase());
}

const listen = (): void => {};
/** Methods of node-redis that do more than send the command. */
const NODE_REDIS: Readonly<Record<string, (client: NodeRedis) => unknown>> = {
  MULTI: (client) => client.multi().ping().exec(),
  MONITOR: (client) => client.monitor(listen),
  SUBSCRIBE: (client) => client.subscribe('channel', listen),
  PSUBSCRIBE: (client) => client.pSubscribe('channel', listen),
  SSUBSCRIBE: (client) => client.sSubscribe('channel', listen),
  QUIT: (client) => client.close(),
};

test(
  'every method of node-redis gets the same reply or error from both servers',
  whenRedisIsInstalled,
  async () => {
    const known = new Map(callable().map((called) => [called.name.replaceAll(/[|_-]/g, ''), called]));
    const all = [...methodsOf(createClient())].map((method) => {
      const called = commandOf(method, known);
      const call = (client: NodeRedis): unknown =>
        NODE_REDIS[method]?.(client) ?? (client as unknown as MethodTable)[method]?.(...called.args);
      return { ...called, call };
    });
    assert.ok(all.length > 400, `${all.length} methods`);
    await compareAll<NodeRedis>({
      all,
      connect: async ({ port }) => {
        const client = createClient({ socket: { port, reconnectStrategy: false } });
        client.on('error', () => {});
        await client.connect();
        return client as NodeRedis;
      },
      send: (client, command) => client.sendCommand([...command]),
      close: (client) => client.destroy(),
    });
  },
);
