import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { ManualClock } from '../../src/bytes/clock.js';
import { Settings } from '../../src/commands/config/settings.js';
import { Engine } from '../../src/engine/engine.js';
import { Server } from '../../src/server/server.js';
import { plain, type Reply, ReplyReader } from '../oracle/support/index.js';

/** A server in this process, reached through a Unix socket, with a clock that the test moves. */
export interface TestServer {
  readonly server: Server;
  readonly engine: Engine;
  readonly clock: ManualClock;
  readonly path: string;
  connect(): Promise<TestClient>;
}

/** Starts a server with these settings; it is closed after the test. */
export async function startServer(
  test: TestContext,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  const directory = mkdtempSync(join(tmpdir(), 'sorrel-server-'));
  const path = join(directory, 'socket');
  const values = new Settings();
  const all = { port: '0', unixsocket: path, loglevel: 'nothing', ...settings };
  for (const [name, text] of Object.entries(all)) values.configure(name, text);
  const clock = new ManualClock();
  const engine = new Engine({ settings: values, clock });
  const server = new Server(engine);
  await server.listen();
  // The check that runs once a second: the next one runs when the test moves the clock.
  engine.background.tick();
  test.after(async () => {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const clients = async (): Promise<TestClient> => {
    const client = new TestClient(connect(path));
    test.after(() => client.socket.destroy());
    await once(client.socket, 'connect');
    return client;
  };
  return { server, engine, clock, path, connect: clients };
}

/** A client that can stop reading. */
export class TestClient {
  readonly socket: Socket;
  readonly #reader = new ReplyReader();
  readonly #replies: Reply[] = [];
  #wake: (() => void) | undefined;
  isClosed = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#reader.push(chunk);
      for (let reply = this.#reader.next(); reply !== undefined; reply = this.#reader.next()) {
        this.#replies.push(reply);
      }
      this.#wake?.();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.isClosed = true;
      this.#wake?.();
    });
  }

  send(...words: (string | Buffer)[]): void {
    const parts: (string | Buffer)[] = [`*${words.length}\r\n`];
    for (const word of words) parts.push(`$${Buffer.byteLength(word)}\r\n`, word, '\r\n');
    this.socket.write(Buffer.concat(parts.map((part) => Buffer.from(part as string))));
  }

  /** The next reply, as plain values; undefined if the connection is closed. */
  async next(): Promise<unknown> {
    for (;;) {
      const reply = this.#replies.shift();
      if (reply !== undefined) return valueIn(reply);
      if (this.isClosed) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  call(...words: (string | Buffer)[]): Promise<unknown> {
    this.send(...words);
    return this.next();
  }

  async closed(): Promise<void> {
    this.socket.resume();
    while (!this.isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** Errors as their text. */
function valueIn(reply: Reply): unknown {
  const value = plain(reply);
  return value instanceof Error ? value.message : value;
}
