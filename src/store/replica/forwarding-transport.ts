import type { ReplyTransformer, WireCommand } from '../command-runner.js';
import type { EmbeddedEngine } from '../embedded/embedded-engine.js';
import { EmbeddedTransport } from '../embedded/embedded-transport.js';
import { StoreError } from '../store-error.js';
import type { CallOptions, Connection, Reply, Request, Transport } from '../transport.js';
import type { Argument } from '../value.js';
import { ForwardedCommands } from './forwarded-commands.js';
import { ASK_PLACE, placeIn } from './master-place.js';
import type { FollowedMaster } from './store-replication.js';

/**
 * The transport of an embedded replica with `writes: 'forward'`. Commands that only read run here. Others run on the master,
 * and their calls end when the change has come back, so that the program reads what it has written.
 */
export class ForwardingTransport extends EmbeddedTransport {
  override readonly sendsInFull = false;
  readonly #master: Transport;
  readonly #followed: FollowedMaster;
  readonly #forwarded: ForwardedCommands;

  constructor(embedded: EmbeddedEngine, database: number, master: Transport, followed: FollowedMaster) {
    super(embedded, database);
    this.#master = master;
    this.#followed = followed;
    this.#forwarded = new ForwardedCommands(embedded.engine.table);
  }

  override send(
    command: WireCommand,
    args: readonly Argument[],
    format: number,
    transform?: ReplyTransformer,
    options?: CallOptions,
  ): Promise<unknown> {
    if (!this.#isForMaster(command, args)) return super.send(command, args, format, transform, options);
    return this.#forward({ command, args }, format, options).then((reply) =>
      transform === undefined ? reply : transform(reply),
    );
  }

  async #forward(request: Request, format: number, options: CallOptions | undefined): Promise<Reply> {
    this.assertOpen();
    const askedAt = this.time.monotonic();
    const [reply, info] = await this.#master.sendMany([request, ASK_PLACE], format, options);
    if (reply instanceof StoreError) throw reply;
    await this.#followed.reached(placeIn(info as Reply), askedAt, options);
    return reply as Reply;
  }

  /** If one of the commands writes, all of them run on the master, in order. */
  override async sendMany(
    requests: readonly Request[],
    format: number,
    options?: CallOptions,
  ): Promise<readonly Reply[]> {
    if (!this.#areForMaster(requests)) return super.sendMany(requests, format, options);
    this.assertOpen();
    const askedAt = this.time.monotonic();
    const replies = await this.#master.sendMany([...requests, ASK_PLACE], format, options);
    await this.#followed.reached(placeIn(replies.at(-1) as Reply), askedAt, options);
    return replies.slice(0, -1);
  }

  override async execute(
    requests: readonly Request[],
    format: number,
    options?: CallOptions,
  ): Promise<readonly Reply[]> {
    if (!this.#areForMaster(requests)) return super.execute(requests, format, options);
    this.assertOpen();
    const replies = await this.#master.execute(requests, format, options);
    await this.#followed.catchUp(options);
    return replies;
  }

  override async sendBlocking(request: Request, format: number, options?: CallOptions): Promise<Reply> {
    if (!this.#isForMaster(request.command, request.args)) {
      return super.sendBlocking(request, format, options);
    }
    this.assertOpen();
    const reply = await this.#master.sendBlocking(request, format, options);
    await this.#followed.catchUp(options);
    return reply;
  }

  /** For WATCH: what is read and written belongs together, so all of it runs on the master. */
  override async connect(key?: Argument, options?: CallOptions): Promise<Connection> {
    this.assertOpen();
    const connection = await this.#master.connect(key ?? '', options);
    return {
      send: (request, format) => connection.send(request, format),
      execute: async (requests, format) => {
        const replies = await connection.execute(requests, format);
        await this.#followed.catchUp(options);
        return replies;
      },
      close: () => connection.close(),
    };
  }

  override async duplicate(): Promise<ForwardingTransport> {
    this.assertOpen();
    return new ForwardingTransport(this.embedded, this.database, this.#master, this.#followed);
  }

  #areForMaster(requests: readonly Request[]): boolean {
    return requests.some(({ command, args }) => this.#isForMaster(command, args));
  }

  #isForMaster(command: WireCommand, args: readonly Argument[]): boolean {
    return this.#forwarded.has(command, args);
  }
}
