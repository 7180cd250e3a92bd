import { asQueued, CommandBatch, pick } from './command-batch.js';
import type { CommandRunner, ReplyTransformer, WireCommand } from './command-runner.js';
import { mixCommands } from './commands/index.js';
import { checkFields } from './commands/options.js';
import type { ScriptDefinition } from './script.js';
import { compileScript } from './script-binding.js';
import type { WatchOptions } from './store.js';
import { StoreError } from './store-error.js';
import { checkSignal, throwIfAborted, unlessAborted } from './time.js';
import type { CallOptions, Connection, Transport } from './transport.js';
import type { Argument, Queued } from './value.js';
import { blocks, commandNamed } from './wire-command.js';

export type TransactionBuilder = (
  queue: CommandBatch,
  watched: WatchedCommands,
) => readonly Queued<unknown>[] | undefined | Promise<readonly Queued<unknown>[] | undefined>;

/** Runs commands on the connection that watches the keys. */
export class WatchedCommands implements CommandRunner {
  readonly #connection: Connection;
  readonly #format: number;

  constructor(connection: Connection, format: number) {
    this.#connection = connection;
    this.#format = format;
  }

  async run(command: WireCommand, args: readonly Argument[], transform?: ReplyTransformer): Promise<unknown> {
    if (blocks(command, args)) {
      const name = command.words.join(' ');
      throw new StoreError(
        'MISUSE',
        `${name} would block while keys are watched: call it outside the transaction`,
      );
    }
    const reply = await this.#connection.send({ command, args }, this.#format);
    return transform === undefined ? reply : transform(reply);
  }

  refuse(error: unknown): Promise<never> {
    return Promise.reject(error);
  }

  async send(name: string, ...args: Argument[]): Promise<unknown> {
    return this.run(commandNamed(name, args), args);
  }

  script(definition: ScriptDefinition): (inputs: Readonly<Record<string, unknown>>) => Promise<unknown> {
    const script = compileScript(definition);
    return async (inputs) => {
      const { command, args } = script.requestInFull(inputs);
      return this.run(command, args, definition.reply);
    };
  }
}

mixCommands(WatchedCommands.prototype);

const WATCH: WireCommand = { words: ['WATCH'] };
const UNWATCH: WireCommand = { words: ['UNWATCH'] };
const ATTEMPTS = 100;

/** Runs WATCH, `build`, MULTI … EXEC, and repeats this until no watched key has changed in between. */
export function runTransaction(
  view: StoreView,
  options: WatchOptions,
  build: TransactionBuilder,
): Promise<unknown[] | undefined> {
  checkFields('transaction', options, ['watch', 'attempts', 'signal']);
  const { signal = view.options?.signal } = options;
  checkSignal(signal);
  const running = tryUntilDone(view, options, signal, build);
  // The signal also ends the call while the server does not answer. The attempt stops at its next step.
  return signal === undefined ? running : unlessAborted(running, signal);
}

async function tryUntilDone(
  { transport, format, options }: StoreView,
  watching: WatchOptions,
  signal: AbortSignal | undefined,
  build: TransactionBuilder,
): Promise<unknown[] | undefined> {
  const { watch, attempts = ATTEMPTS } = watching;
  if (!Array.isArray(watch)) throw new StoreError('OPTION', '`watch` must be an array of keys');
  const [first] = watch;
  if (first === undefined) throw new StoreError('OPTION', '`watch` must name at least one key');
  if (!(attempts >= 1)) throw new StoreError('OPTION', '`attempts` must be at least 1');
  const connection = await transport.connect(first, { ...options, signal });
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      throwIfAborted(signal);
      await connection.send({ command: WATCH, args: watch }, 0);
      const batch = new CommandBatch();
      const returned = await build(batch, new WatchedCommands(connection, format));
      const queued = returned === undefined ? undefined : asQueued(returned);
      throwIfAborted(signal);
      if (queued === undefined || batch.requests.length === 0) {
        await connection.send({ command: UNWATCH, args: [] }, 0);
        return queued === undefined ? undefined : [];
      }
      const replies = await connection.execute(batch.requests, format);
      if (replies !== null) return pick(batch.results(replies), queued);
    }
  } finally {
    await connection.close();
  }
  throw new StoreError(
    'CONFLICT',
    `the watched keys changed during each of ${attempts} attempts: raise \`attempts\`, or use a script`,
  );
}

interface StoreView {
  readonly transport: Transport;
  readonly format: number;
  readonly options: CallOptions | undefined;
}
