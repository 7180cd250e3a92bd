import { FLAG } from '../../commands/flag.js';
import type { CommandTable } from '../../commands/table.js';
import type { ReplyTransformer, WireCommand } from '../command-runner.js';
import type { EmbeddedEngine } from '../embedded/embedded-engine.js';
import { EmbeddedTransport } from '../embedded/embedded-transport.js';
import { StoreError } from '../store-error.js';
import type { CallOptions, Connection, Reply, Request, Transport } from '../transport.js';
import type { Argument } from '../value.js';
import { commandNamed } from '../wire-command.js';
import type { FollowedMaster, Place } from './store-replication.js';

/** Asks a master for its place in its history. */
export const ASK_PLACE: Request = { command: commandNamed('INFO'), args: ['replication'] };

/**
 * The transport of an embedded replica with `writes: 'forward'`. Commands that only read run here. Others run on the master,
 * and their calls end when the change has come back, so that the program reads what it has written.
 */
export class ForwardingTransport extends EmbeddedTransport {
  readonly #master: Transport;
  readonly #followed: FollowedMaster;
  readonly #writes = new WeakMap<WireCommand, boolean>();

  constructor(embedded: EmbeddedEngine, database: number, master: Transport, followed: FollowedMaster) {
    super(embedded, database);
    this.#master = master;
    this.#followed = followed;
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
    const known = this.#writes.get(command);
    if (known !== undefined) return known;
    const writes = mayWrite(this.embedded.engine.table, command, args);
    // Of a container, the arguments decide: `send('CONFIG', 'GET', …)`.
    if (command.words.length > 1 || args.length === 0) this.#writes.set(command, writes);
    return writes;
  }
}

/** Whether the command, or a script it runs, may change data or publish; also if this engine does not know it. */
function mayWrite(table: CommandTable, { words }: WireCommand, args: readonly Argument[]): boolean {
  const [first = '', second = String(args[0] ?? '')] = words;
  const container = table.byName(first);
  if (container === undefined) return true;
  const command = container.subcommands === undefined ? container : container.subcommands.byName(second);
  return command !== undefined && (command.flagBits & (FLAG.write | FLAG.may_replicate)) !== 0;
}

/** The place in a master's reply to INFO replication. */
export function placeIn(info: Reply): Place {
  const text = String(info);
  const id = /^master_replid:(\w+)/m.exec(text)?.[1];
  const offset = /^master_repl_offset:(\d+)/m.exec(text)?.[1];
  if (!/^role:master/m.test(text) || id === undefined) {
    throw new StoreError('READONLY', 'the server that was asked is no master: a failover may be going on');
  }
  return { id, offset: Number(offset) };
}
