import type { CommandRunner, ReplyTransformer, WireCommand } from './command-runner.js';
import { mixCommands } from './commands/index.js';
import type { ScriptDefinition } from './script.js';
import { compileScript } from './script-binding.js';
import { StoreError } from './store-error.js';
import type { Reply, Request } from './transport.js';
import type { Argument, Queued } from './value.js';
import { commandNamed } from './wire-command.js';

/** Collects the commands of a pipeline or transaction, and transforms their replies. */
export class CommandBatch implements CommandRunner {
  readonly requests: Request[] = [];
  readonly #transforms: (ReplyTransformer | undefined)[] = [];

  run(command: WireCommand, args: readonly Argument[], transform?: ReplyTransformer): Queued<never> {
    this.requests.push({ command, args });
    this.#transforms.push(transform);
    return { index: this.requests.length - 1 };
  }

  send(name: string, ...args: Argument[]): Queued<never> {
    return this.run(commandNamed(name, args), args);
  }

  script(definition: ScriptDefinition): (inputs: Readonly<Record<string, unknown>>) => Queued<never> {
    const script = compileScript(definition);
    return (inputs) => {
      const { command, args } = script.requestInFull(inputs);
      return this.run(command, args, definition.reply);
    };
  }

  /** The result of each command: its transformed reply or its error. */
  results(replies: readonly Reply[]): unknown[] {
    return replies.map((reply, index) => {
      const transform = this.#transforms[index];
      return reply instanceof StoreError || transform === undefined ? reply : transform(reply);
    });
  }
}

mixCommands(CommandBatch.prototype);

/** What a function returned that queues commands. Throws `MISUSE` unless it is a list. */
export function asQueued(returned: readonly Queued<unknown>[]): readonly Queued<unknown>[] {
  if (Array.isArray(returned)) return returned;
  throw new StoreError(
    'MISUSE',
    'the function must return an array of the commands it has queued: (queue) => [queue.get(key), …]; it cannot be async without `watch`',
  );
}

/** The results of the queued commands, in the order of `queued`. Throws the first error. */
export function pick(results: readonly unknown[], queued: readonly Queued<unknown>[]): unknown[] {
  const error = results.find((result) => result instanceof StoreError);
  if (error !== undefined) {
    const { code, message, mayHaveRun } = error;
    throw new StoreError(code, message, { cause: error, results, mayHaveRun });
  }
  return queued.map(({ index }) => results[index]);
}
