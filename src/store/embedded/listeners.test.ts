import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { Redis } from 'ioredis';
import { connectorTo } from '../connector/ioredis-connector.js';
import { LocalConnections } from '../connector/local-connections.js';
import { EmbeddedEngine } from './embedded-engine.js';
import { listen } from './listen.js';

const LIMIT = { timeout: 120_000 };

/** A server prepares scripting, which then stays part of the engine. */
function newEngine(): EmbeddedEngine {
  const embedded = new EmbeddedEngine({});
  embedded.engine.scripting.prepare();
  return embedded;
}

/** Lets clients connect to the engine: a port, or a connector within the process. */
interface Entrance {
  /** 0 for a connector. */
  readonly port: number;
  set(key: string): Promise<void>;
  close(): Promise<void>;
}

async function openPort(embedded: EmbeddedEngine): Promise<Entrance> {
  const listener = await listen(embedded, { port: 0 });
  const port = Number(new URL(listener.address).port);
  return { port, set: (key) => setOnce(new Redis({ port }), key), close: () => listener.close() };
}

async function openConnector(embedded: EmbeddedEngine): Promise<Entrance> {
  const connections = new LocalConnections(embedded.engine);
  const Connector = connectorTo(connections);
  return {
    port: 0,
    set: (key) => setOnce(new Redis({ Connector }), key),
    close: async () => connections.close(),
  };
}

async function setOnce(redis: Redis, key: string): Promise<void> {
  assert.equal(await redis.set(key, 'v'), 'OK');
  redis.disconnect();
  await once(redis, 'end');
}

function permutations(count: number): number[][] {
  if (count === 0) return [[]];
  return permutations(count - 1).flatMap((rest) =>
    Array.from({ length: count }, (_, at) => [...rest.slice(0, at), count - 1, ...rest.slice(at)]),
  );
}

/** Sends PING to new connections from another thread, while this one is busy. */
class OutsideClients {
  readonly #worker = new Worker(PINGS, { eval: true, execArgv: [] });

  /** The replies of these ports while a script keeps the engine busy; one of the clients kills the script. */
  async duringSlowScript(embedded: EmbeddedEngine, ports: readonly number[]): Promise<string[]> {
    const { port1, port2 } = new MessageChannel();
    this.#worker.postMessage({ ports, port: port2 }, [port2]);
    const { engine } = embedded;
    engine.settings.configure('busy-reply-threshold', '10');
    const client = new Redis({ Connector: connectorTo(new LocalConnections(engine)) });
    await assert.rejects(client.eval('while true do end', 0), /Script killed by user/);
    client.disconnect();
    const replies = receiveMessageOnPort(port1)?.message as string[];
    port1.close();
    return replies;
  }

  close(): Promise<number> {
    return this.#worker.terminate();
  }
}

const PINGS = `
const { connect } = require('node:net');
const { parentPort } = require('node:worker_threads');
const ask = (port, command) => new Promise((resolve, reject) => {
  const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(command));
  socket.on('error', reject);
  socket.once('data', (reply) => {
    socket.destroy();
    resolve(reply.toString().split(' ')[0].trim());
  });
});
parentPort.on('message', async ({ ports, port }) => {
  const replies = await Promise.all(ports.map(async (each) => {
    for (;;) {
      const reply = await ask(each, 'PING\\r\\n');
      if (reply === '-BUSY') return reply;
    }
  }));
  port.postMessage(replies);
  await ask(ports[0], 'SCRIPT KILL\\r\\n');
});
`;

const KINDS = {
  'three ports': [openPort, openPort, openPort],
  'ports and a connector': [openPort, openConnector, openPort],
};

describe('ports and connectors of one engine, opened and closed in every order', LIMIT, () => {
  let outside: OutsideClients;

  before(() => {
    outside = new OutsideClients();
  });

  after(() => outside.close());

  for (const [name, kinds] of Object.entries(KINDS)) {
    it(`${name}: each open one works, and none leaves anything behind`, async () => {
      const embedded = newEngine();
      const { engine } = embedded;
      const partsBefore = engine.parts.count;
      for (const opening of permutations(3)) {
        for (const closing of permutations(3)) {
          const open = new Map<number, Entrance>();
          for (const index of opening) open.set(index, await (kinds[index] as typeof openPort)(embedded));
          for (const index of closing) {
            for (const entrance of open.values()) await entrance.set('k');
            await open.get(index)?.close();
            open.delete(index);
          }
          assert.equal(engine.parts.count, partsBefore);
          assert.equal(engine.sessions.size, 0);
          assert.equal(engine.parts.clientMemory, 0);
        }
      }
      await embedded.close();
    });
  }

  /**
   * All sockets are opened, and every server has accepted during a script, before the first one closes: the threads that
   * accept then keep their descriptors until the process ends, and a thread that began later could get the same ones.
   */
  it('all open ones answer during a slow script', async () => {
    const groups = await Promise.all(
      permutations(3).map(async (closing) => {
        const embedded = newEngine();
        const ports = await Promise.all([openPort(embedded), openPort(embedded), openPort(embedded)]);
        return { embedded, ports, closing };
      }),
    );
    for (const { embedded, ports } of groups) await assertAllAnswer(embedded, new Set(ports));
    for (const { embedded, ports, closing } of groups) {
      const open = new Set(ports);
      for (const index of closing.slice(0, 2)) {
        const entrance = ports[index] as Entrance;
        await entrance.close();
        open.delete(entrance);
        await assertAllAnswer(embedded, open);
      }
    }
    for (const { embedded } of groups) await embedded.close();
  });

  async function assertAllAnswer(embedded: EmbeddedEngine, open: ReadonlySet<Entrance>): Promise<void> {
    const ports = [...open].map(({ port }) => port);
    const replies = await outside.duringSlowScript(embedded, ports);
    assert.deepEqual(
      replies,
      ports.map(() => '-BUSY'),
    );
  }

  it('leaves no listener of a setting behind', async () => {
    const embedded = newEngine();
    const { settings } = embedded.engine;
    const before = settings.listenerCount;
    for (const open of [openPort, openConnector]) await (await open(embedded)).close();
    assert.equal(settings.listenerCount, before);
    await embedded.close();
  });
});
