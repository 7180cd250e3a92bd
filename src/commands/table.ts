import type { Bytes } from '../bytes/bytes.js';
import type { Call } from './call.js';
import { CATEGORY, categoriesImplied, FLAG, KEY_FLAG, maskOf } from './flag.js';
import { NameIndex, type ReadonlyNameIndex } from './name-index.js';
import type { CommandRows, CommandSpec, KeySpec } from './row.js';

/** Runs a command whose arity has been checked. */
export type Handler = (call: Call) => void;

/** A row bound to its handler. What every call needs is computed in advance. */
export class Command {
  /** Dense over all commands of the process: an index into arrays of statistics and permissions. */
  readonly id: number;
  /** `get`; for a subcommand, only the part after the bar. */
  readonly name: string;
  /** `config|get` */
  readonly fullName: string;
  readonly spec: CommandSpec;
  readonly arity: number;
  readonly flagBits: number;
  readonly categoryBits: number;
  /** The keys as one range; 0, 0, 0 if there is no such range. A negative `lastKey` counts from the end. */
  readonly firstKey: number;
  readonly lastKey: number;
  readonly keyStep: number;
  /** The bits of `spec.keys[i].flags`. */
  readonly keyFlagBits: readonly number[];
  /** The effects on the keys depend on the arguments: only the row's search knows them. */
  readonly keyFlagsVary: boolean;
  /** Some argument can be a key. */
  readonly hasKeys: boolean;
  /** Some argument can be a key or a shard channel: what has a slot in a cluster. */
  readonly hasSlots: boolean;
  /** All keys are one range (`firstKey`, `lastKey`, `keyStep`) and have the same flags. */
  readonly hasPlainKeys: boolean;
  /** The positions of some keys depend on the arguments. */
  readonly movableKeys: boolean;
  readonly run: Handler;
  /** The container this is a subcommand of. */
  readonly parent: Command | undefined;
  /** For a container: its subcommands, by the second argument. */
  readonly subcommands: ReadonlyNameIndex<Command> | undefined;

  constructor(
    name: string,
    spec: CommandSpec,
    run: Handler,
    parent: Command | undefined,
    subcommands?: ReadonlyNameIndex<Command>,
  ) {
    this.id = nextId++;
    this.name = name;
    this.fullName = parent === undefined ? name : `${parent.name}|${name}`;
    this.spec = spec;
    this.arity = spec.arity;
    const keys = spec.keys ?? [];
    this.movableKeys = keys.some((key) => key.begin.type !== 'index' || key.find.type !== 'range');
    this.flagBits = maskOf(FLAG, spec.flags ?? []) | (this.movableKeys ? FLAG.movablekeys : 0);
    this.categoryBits = categoriesImplied(maskOf(CATEGORY, spec.categories ?? []), this.flagBits);
    this.keyFlagBits = keys.map((key) => maskOf(KEY_FLAG, key.flags));
    this.keyFlagsVary = this.keyFlagBits.some((flags) => (flags & KEY_FLAG.variable_flags) !== 0);
    this.hasKeys =
      spec.keysOtherwise !== undefined || this.keyFlagBits.some((flags) => (flags & KEY_FLAG.not_key) === 0);
    this.hasSlots = spec.keysOtherwise !== undefined || keys.length > 0;
    this.hasPlainKeys =
      keys.length === 1 && spec.keysOtherwise === undefined && isPlainRange(keys[0] as KeySpec);
    const range = legacyRange(keys);
    this.firstKey = range.first;
    this.lastKey = range.last;
    this.keyStep = range.step;
    this.run = run;
    this.parent = parent;
    this.subcommands = subcommands;
  }

  /** This command or, for a container, the subcommand that the second argument names; undefined if there is none. */
  resolve(args: readonly Bytes[], argc: number): Command | undefined {
    if (this.subcommands === undefined || argc < 2) return this;
    const { buf, start, end } = args[1] as Bytes;
    return this.subcommands.lookup(buf, start, end);
  }

  /** Whether the command takes this number of arguments, name included. */
  accepts(argumentCount: number): boolean {
    return this.arity >= 0 ? argumentCount === this.arity : argumentCount >= -this.arity;
  }
}

/** Whether the specification is a range that finds all keys. */
function isPlainRange({ begin, find, flags }: KeySpec): boolean {
  if (begin.type !== 'index' || find.type !== 'range' || find.limit !== 0) return false;
  return !flags.some((flag) => flag === 'not_key' || flag === 'incomplete' || flag === 'variable_flags');
}

/** Commands are created while modules are loaded, each family in its own module. */
let nextId = 0;

interface LegacyRange {
  readonly first: number;
  readonly last: number;
  readonly step: number;
}

/**
 * The keys as one range, as the old reply of COMMAND has them: adjacent ranges are joined; anything that is not a range,
 * or leaves a gap, is ignored.
 */
function legacyRange(keys: readonly KeySpec[]): LegacyRange {
  let joined: LegacyRange | undefined;
  for (const { begin, find } of keys) {
    if (begin.type !== 'index' || find.type !== 'range') continue;
    const last = find.last >= 0 ? begin.index + find.last : find.last;
    if (joined === undefined) joined = { first: begin.index, last, step: find.step };
    else if (find.step === 1 && joined.last === begin.index - 1) joined = { ...joined, last };
  }
  return joined ?? { first: 0, last: 0, step: 0 };
}

/**
 * The handlers for some rows: a function per command, for a container an object with a function per subcommand. A
 * container that also runs on its own (COMMAND) has that handler under `itself`.
 */
export type Handlers<Rows> = {
  readonly [Name in keyof Rows]?: Rows[Name] extends { readonly subcommands: infer Subcommands }
    ? Handlers<Subcommands> & { readonly itself?: Handler }
    : Handler;
};

/** The commands of one folder. */
export interface Family {
  readonly commands: readonly Command[];
  /** Full names of the rows without a handler. */
  readonly missing: readonly string[];
}

type AnyHandlers = { readonly [name: string]: Handler | AnyHandlers | undefined };

/** Binds rows to handlers. The compiler rejects a handler for which there is no row. */
export function family<const Rows extends CommandRows>(rows: Rows, handlers: Handlers<Rows>): Family {
  const commands: Command[] = [];
  const missing: string[] = [];
  for (const [name, spec] of Object.entries<CommandSpec>(rows)) {
    const handler = (handlers as AnyHandlers)[name];
    if (handler === undefined) missing.push(...fullNames(name, spec));
    else if (typeof handler === 'function') commands.push(new Command(name, spec, handler, undefined));
    else commands.push(container(name, spec, handler, missing));
  }
  return { commands, missing };
}

function container(name: string, spec: CommandSpec, handlers: AnyHandlers, missing: string[]): Command {
  const { itself } = handlers;
  const subcommands = new NameIndex<Command>();
  const run = typeof itself === 'function' ? itself : onlySubcommandsRun;
  const parent = new Command(name, spec, run, undefined, subcommands);
  for (const [subname, subspec] of Object.entries<CommandSpec>(spec.subcommands ?? {})) {
    const handler = handlers[subname];
    if (typeof handler !== 'function') missing.push(`${name}|${subname}`);
    else subcommands.add(subname, new Command(subname, subspec, handler, parent));
  }
  return parent;
}

function onlySubcommandsRun(): void {
  throw new Error('a container command was run without a subcommand');
}

function fullNames(name: string, spec: CommandSpec): string[] {
  return [name, ...Object.keys(spec.subcommands ?? {}).map((subname) => `${name}|${subname}`)];
}

/** `rename-command`: the command gets another name; an empty name removes it. */
export interface CommandRenaming {
  readonly from: string;
  readonly to: string;
}

/** The commands an engine knows. A table never changes, so that engines can share one. */
export class CommandTable {
  /** Every `Command.id` of the table is below this number: the size of arrays indexed by id. */
  readonly idLimit: number;
  /** The table before `rename-command`. */
  readonly original: CommandTable;
  readonly #index = new NameIndex<Command>();

  constructor(commands: Iterable<readonly [name: string, command: Command]>, original?: CommandTable) {
    let idLimit = 0;
    for (const [name, command] of commands) {
      this.#index.add(name, command);
      for (const { id } of [command, ...(command.subcommands ?? [])]) idLimit = Math.max(idLimit, id + 1);
    }
    this.idLimit = idLimit;
    this.original = original ?? this;
  }

  static of(families: Iterable<Family>): CommandTable {
    return new CommandTable([...families].flatMap(namedCommands));
  }

  /** A table with the commands of one more family. */
  with(family: Family): CommandTable {
    return new CommandTable([...this.#index.entries(), ...namedCommands(family)]);
  }

  /** The same commands, some under other names. Throws a RangeError if a command is unknown or a new name is taken. */
  renamed(renamings: readonly CommandRenaming[]): CommandTable {
    const byName = new Map(this.#index.entries());
    for (const { from, to } of renamings) {
      const command = byName.get(from.toLowerCase());
      if (command === undefined) throw new RangeError(`No such command in rename-command: '${from}'`);
      byName.delete(from.toLowerCase());
      if (byName.has(to.toLowerCase())) throw new RangeError(`Target command name already exists: '${to}'`);
      if (to !== '') byName.set(to.toLowerCase(), command);
    }
    return new CommandTable(byName, this.original);
  }

  /** The number of commands, not counting subcommands. */
  get size(): number {
    return this.#index.size;
  }

  /** The command whose name is `buffer[start..end)`, in any case. */
  lookup(buffer: Buffer, start: number, end: number): Command | undefined {
    return this.#index.lookup(buffer, start, end);
  }

  /** The command or subcommand that the arguments call; undefined if there is none. Does not check arity. */
  find(args: readonly Bytes[], argc: number): Command | undefined {
    const { buf, start, end } = args[0] as Bytes;
    return this.#index.lookup(buf, start, end)?.resolve(args, argc);
  }

  /** The command, or with `container|sub` the subcommand, of that full name, in any case. */
  byName(fullName: string): Command | undefined {
    const [name, subname, ...rest] = fullName.split('|');
    const command = this.#index.byName(name as string);
    if (subname === undefined) return command;
    return rest.length === 0 ? command?.subcommands?.byName(subname) : undefined;
  }

  /** Commands in the order of registration; subcommands are found in their containers. */
  [Symbol.iterator](): IterableIterator<Command> {
    return this.#index[Symbol.iterator]();
  }
}

function namedCommands({ commands }: Family): [string, Command][] {
  return commands.map((command) => [command.name, command]);
}
