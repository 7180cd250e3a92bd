import { FLAG } from '../../commands/flag.js';
import type { Command, CommandTable } from '../../commands/table.js';
import type { WireCommand } from '../command-runner.js';
import type { Argument } from '../value.js';

/** The commands that a replica with `writes: 'forward'` sends to its master. */
export class ForwardedCommands {
  readonly #table: CommandTable;
  readonly #known = new WeakMap<WireCommand, boolean>();

  constructor(table: CommandTable) {
    this.#table = table;
  }

  has(command: WireCommand, args: readonly Argument[]): boolean {
    const known = this.#known.get(command);
    if (known !== undefined) return known;
    const [first = '', second] = command.words;
    const container = this.#table.byName(first);
    const isContainer = container?.subcommands !== undefined;
    const found = isContainer ? container.subcommands?.byName(second ?? String(args[0] ?? '')) : container;
    const writes = mayWrite(container, found);
    // Of a container, the arguments decide: `send('CONFIG', 'GET', …)`.
    if (!isContainer || second !== undefined) this.#known.set(command, writes);
    return writes;
  }
}

/** Whether the command, or a script it runs, may change data or publish; also if this engine does not know it. */
function mayWrite(container: Command | undefined, command: Command | undefined): boolean {
  if (container === undefined) return true;
  return command !== undefined && (command.flagBits & (FLAG.write | FLAG.may_replicate)) !== 0;
}
