import { ReplyFormat } from '../../resp/reply-reader.js';
import { CommandBatch, pick } from '../command-batch.js';
import type { CommandRunner, ReplyTransformer, WireCommand } from '../command-runner.js';
import { mixCommands } from '../commands/index.js';
import { HSCAN, keyScanWords, pairs, SCAN, SSCAN, scanPage, scanWords, scored, ZSCAN } from '../scanning.js';
import type { ScriptDefinition } from '../script.js';
import { compileScript, insteadOf } from '../script-binding.js';
import type { KeyScanOptions, ScanOptions } from '../store.js';
import { StoreError } from '../store-error.js';
import type { Reply, Request } from '../transport.js';
import type { Argument, Queued } from '../value.js';
import { commandNamed } from '../wire-command.js';

/** What synchronous calls need of a transport. An undefined reply means that CLIENT PAUSE delays the call. */
export interface SyncTransport {
  readonly client: {
    call(command: WireCommand, args: readonly Argument[], format: number): Reply | undefined;
  };
  assertOpen(): void;
  executeNow(requests: readonly Request[], format: number): readonly Reply[] | null | undefined;
  /** Writes changes to disk as the settings require. */
  flushNow(): void;
}

/** The `SyncStore` of an embedded store. It uses the same session as the store itself. */
export class SyncClient implements CommandRunner {
  readonly #transport: SyncTransport;
  readonly #client: SyncTransport['client'];
  readonly #format: number;

  constructor(transport: SyncTransport, format: number) {
    this.#transport = transport;
    this.#client = transport.client;
    this.#format = format;
  }

  get bytes(): SyncClient {
    return new SyncClient(this.#transport, this.#format | ReplyFormat.bytes);
  }

  get exact(): SyncClient {
    return new SyncClient(this.#transport, this.#format | ReplyFormat.exact);
  }

  run(command: WireCommand, args: readonly Argument[], transform?: ReplyTransformer): unknown {
    this.#transport.assertOpen();
    const reply = this.#client.call(command, args, this.#format);
    if (reply === undefined) throw paused();
    if (typeof reply === 'object' && reply instanceof StoreError) throw withOwnStack(reply);
    this.#transport.flushNow();
    return transform === undefined ? reply : transform(reply);
  }

  send(name: string, ...args: Argument[]): unknown {
    return this.run(commandNamed(name, args), args);
  }

  script(definition: ScriptDefinition): (inputs: Readonly<Record<string, unknown>>) => unknown {
    const { byDigest, parameters } = compileScript(definition);
    return (inputs) => {
      const args = parameters(inputs);
      try {
        return this.run(byDigest, args, definition.reply);
      } catch (error) {
        const instead = insteadOf(byDigest, args, error);
        if (instead === undefined) throw error;
        return this.run(instead.command, instead.args, definition.reply);
      }
    };
  }

  transaction(build: (queue: CommandBatch) => readonly Queued<unknown>[]): unknown[] {
    const batch = new CommandBatch();
    const queued = build(batch);
    if (batch.requests.length === 0) return [];
    this.#transport.assertOpen();
    const replies = this.#transport.executeNow(batch.requests, this.#format);
    if (replies === undefined) throw paused();
    this.#transport.flushNow();
    return pick(batch.results(replies ?? []), queued);
  }

  // ---- scanning ----

  *scan(options: KeyScanOptions = {}): Generator<Reply> {
    for (const page of this.#pages(SCAN, [], keyScanWords(options))) yield* page;
  }

  *hscan(key: Argument, options: ScanOptions = {}): Generator<readonly [Reply, Reply]> {
    for (const page of this.#pages(HSCAN, [key], scanWords('hscan', options))) yield* pairs(page);
  }

  *sscan(key: Argument, options: ScanOptions = {}): Generator<Reply> {
    for (const page of this.#pages(SSCAN, [key], scanWords('sscan', options))) yield* page;
  }

  *zscan(key: Argument, options: ScanOptions = {}): Generator<readonly [Reply, number]> {
    for (const page of this.#pages(ZSCAN, [key], scanWords('zscan', options))) yield* scored(page);
  }

  *#pages(
    command: WireCommand,
    key: readonly Argument[],
    words: readonly Argument[],
  ): Generator<readonly Reply[]> {
    let cursor = '0';
    do {
      const page = scanPage(this.run(command, [...key, cursor, ...words]));
      yield page.items;
      cursor = page.cursor;
    } while (cursor !== '0');
  }
}

mixCommands(SyncClient.prototype);

/** Gives the error the stack of the call. It was created where the reply was read. */
function withOwnStack(error: StoreError): StoreError {
  Error.captureStackTrace?.(error, SyncClient.prototype.run);
  return error;
}

export function paused(): StoreError {
  return new StoreError(
    'PAUSED',
    'CLIENT PAUSE delays the command: call it without `sync` to wait, or end the pause with CLIENT UNPAUSE',
  );
}
