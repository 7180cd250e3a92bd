import { Bytes } from '../../bytes/bytes.js';
import type { Command, CommandTable } from '../../commands/table.js';
import { findCommand } from '../../engine/running/command-lookup.js';
import type { WireCommand } from '../command-runner.js';

/** A cache of command lookups: a program calls the same few commands repeatedly. */
export class KnownCommands {
  readonly #table: CommandTable;
  readonly #known = new Map<WireCommand, KnownCommand>();
  #last: WireCommand | undefined;
  #lastKnown: KnownCommand | undefined;

  constructor(table: CommandTable) {
    this.#table = table;
  }

  of(command: WireCommand): KnownCommand {
    return command === this.#last ? (this.#lastKnown as KnownCommand) : this.#find(command);
  }

  #find(command: WireCommand): KnownCommand {
    let known = this.#known.get(command);
    if (known === undefined) {
      // Scripts and generated names create new command objects: the cache must stay bounded.
      if (this.#known.size >= MAX_KNOWN) this.#known.clear();
      known = new KnownCommand(command.words, this.#table);
      this.#known.set(command, known);
    }
    this.#last = command;
    this.#lastKnown = known;
    return known;
  }
}

/** The words of a command as the engine takes them, and the command that they name. */
export class KnownCommand {
  readonly words: readonly Bytes[];
  readonly #table: CommandTable;
  /** Undefined if there is no such command, or if the arguments decide which subcommand it is. */
  readonly #command: Command | undefined;

  constructor(words: readonly string[], table: CommandTable) {
    this.words = words.map((word) => new Bytes(Buffer.from(word)));
    this.#table = table;
    const [first, second] = words as [string, string | undefined];
    const command = table.byName(first);
    const { subcommands } = command ?? {};
    this.#command = subcommands === undefined || second === undefined ? command : subcommands.byName(second);
    if (this.#command?.subcommands !== undefined) this.#command = undefined;
  }

  /** The command or subcommand to run with these words and arguments; undefined if there is none. */
  withArguments(args: readonly Bytes[], argc: number): Command | undefined {
    const command = this.#command;
    if (command === undefined) return findCommand(this.#table, args, argc);
    return command.accepts(argc) ? command : undefined;
  }
}

const MAX_KNOWN = 2_000;
