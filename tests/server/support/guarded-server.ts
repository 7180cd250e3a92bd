import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { plain, RawClient, type Server, startSorrel } from '../../oracle/support/index.js';

/** The maximum time of a PING under attack: long, because the machine may be busy. */
const PROMPT_MS = 30_000;

/** A running server with a separate connection that repeatedly checks its health. */
export class GuardedServer {
  readonly server: Server;
  readonly #guard: RawClient;

  private constructor(server: Server, guard: RawClient) {
    this.server = server;
    this.#guard = guard;
  }

  static async start(...options: string[]): Promise<GuardedServer> {
    const server = await startSorrel(options);
    return new GuardedServer(server, await RawClient.connect(server.port));
  }

  async stop(): Promise<void> {
    this.#guard.close();
    await this.server.stop();
  }

  /** Sends a command on the separate connection. */
  async ask(command: string): Promise<string> {
    return String(plain(await this.#guard.call(command, PROMPT_MS)));
  }

  /** One field of INFO. */
  async figure(name: string): Promise<number> {
    const info = await this.ask('INFO');
    return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
  }

  /** Resident memory, in MB. */
  async residentMegabytes(): Promise<number> {
    return (await this.figure('used_memory_rss')) / (1 << 20);
  }

  /** Checks that the process runs, replies in time, and no command has failed with an internal error. */
  async assertWell(context: string): Promise<void> {
    assert.ok(this.server.running, `the server has ended (${context})\n${this.server.log()}`);
    assert.equal(await this.ask('PING'), 'PONG', context);
    assert.match(await this.ask('DBSIZE'), /^\d+$/, context);
    const defects = await this.figure('unexpected_error_replies');
    assert.equal(defects, 0, `internal errors (${context})\n${this.server.log()}`);
  }

  /** Waits until the condition holds, and sends a command for each check, so that the server gets turns. */
  async until(condition: () => Promise<boolean>, what: string, timeoutMs = 60_000): Promise<void> {
    const giveUpAt = Date.now() + timeoutMs;
    while (!(await condition())) {
      assert.ok(Date.now() < giveUpAt, `timed out: ${what}`);
    }
  }

  /** A connection that is not read until the test does so. */
  socket(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port: this.server.port, host: '127.0.0.1' });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        socket.on('error', () => {});
        resolve(socket);
      });
    });
  }
}
