import { Bytes, Engine, ManualClock, RespWriter, silentSink } from '../../src/engine/index.js';
import type { CommandRunner, ReplyTransformer, WireCommand } from '../../src/store/command-runner.js';
import { mixCommands } from '../../src/store/commands/index.js';
import type { RawReply } from '../../src/store/commands/replies.js';
import { StoreError } from '../../src/store/store-error.js';
import type { Argument } from '../../src/store/value.js';
import { type Protocol, RawClient, type Reply, ReplyReader } from '../oracle/support/index.js';

/** Sends words and gives the reply as it came. */
export type Exchange = (words: readonly Argument[]) => Promise<Reply>;

export interface WireForm {
  /** Strings as bytes. */
  readonly bytes?: boolean;
  /** Integers as bigint. */
  readonly exact?: boolean;
}

/**
 * The least that typed commands can be called on: each is sent by itself, and the reply, as the protocol has it, goes to
 * the method's own function with nothing in between.
 */
export class WireStore implements CommandRunner {
  readonly #exchange: Exchange;
  readonly #form: WireForm;

  constructor(exchange: Exchange, form: WireForm = {}) {
    this.#exchange = exchange;
    this.#form = form;
  }

  async run(
    { words }: WireCommand,
    args: readonly Argument[],
    transform: ReplyTransformer = (reply) => reply,
  ): Promise<unknown> {
    const reply = await this.#exchange([...words, ...args]);
    if (reply.type === 'error') throw StoreError.fromReply(reply.text);
    const takesAny: (reply: never) => unknown = transform;
    return takesAny(rawReply(reply, this.#form) as never);
  }

  refuse(error: StoreError): Promise<unknown> {
    return Promise.reject(error);
  }
}

mixCommands(WireStore.prototype);

function rawReply(reply: Reply, form: WireForm): RawReply {
  switch (reply.type) {
    case 'simple':
      return form.bytes === true ? Buffer.from(reply.text, 'latin1') : reply.text;
    case 'bulk':
    case 'verbatim':
      return form.bytes === true ? Buffer.from(reply.bytes) : reply.bytes.toString();
    case 'integer':
    case 'big-number':
      return form.exact === true ? reply.value : Number(reply.value);
    case 'double':
    case 'boolean':
      return reply.value;
    case 'null':
      return null;
    case 'map':
      return new Map(reply.entries.map(([name, value]) => [rawReply(name, form), rawReply(value, form)]));
    case 'set':
      return new Set(reply.items.map((item) => rawReply(item, form)));
    case 'array':
    case 'push':
      return reply.items.map((item) => rawReply(item, form));
    case 'attribute':
      return rawReply(reply.reply, form);
    default:
      return StoreError.fromReply(reply.text);
  }
}

/** An engine of its own, whose clock stands still. */
export function engineExchange(protocol: Protocol, startMs: number): Exchange & { close(): void } {
  const engine = new Engine({ clock: new ManualClock(startMs) });
  const session = engine.openSession(silentSink);
  session.protocol = protocol;
  const writer = new RespWriter();
  const exchange = async (words: readonly Argument[]): Promise<Reply> => {
    const args = words.map((word) => Bytes.of(bytesOf(word).toString('latin1')));
    writer.reset();
    engine.beginTurn();
    engine.execute(session, args, args.length, writer);
    const reader = new ReplyReader();
    reader.push(writer.copyFrom(0));
    engine.endTurn();
    const reply = reader.next();
    if (reply === undefined) throw new Error(`no reply to ${words.join(' ')}`);
    return reply;
  };
  return Object.assign(exchange, { close: () => engine.close() });
}

/** A connection to a server. */
export async function serverExchange(
  port: number,
  protocol: Protocol,
): Promise<Exchange & { close(): void }> {
  const client = await RawClient.connect(port, protocol);
  const exchange = (words: readonly Argument[]): Promise<Reply> => client.call(words.map(bytesOf));
  return Object.assign(exchange, { close: () => client.close() });
}

function bytesOf(word: Argument): Buffer {
  return word instanceof Uint8Array ? Buffer.from(word) : Buffer.from(String(word));
}
