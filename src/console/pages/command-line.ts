import { splitWords } from '../../bytes/quoting.js';
import { CATEGORY, FLAG, namesIn, printedFlags } from '../../commands/flag.js';
import { syntaxOf } from '../../commands/syntax.js';
import type { Command } from '../../commands/table.js';
import { commandTable } from '../../engine/running/command-table.js';
import { StoreError } from '../../store/index.js';
import { serversOf } from '../../store/servers.js';
import type { Reply } from '../../store/transport.js';
import { invalid, readOnly } from '../frame/api-error.js';
import type { Inputs } from '../frame/inputs.js';
import { type ApiCall, type ApiRoute, ask, read } from '../frame/route.js';
import type { CommandEntry, CommandResult } from '../types/commands.js';
import { commandOf, onlyReads, readsAlways } from './read-only.js';
import { shownReply } from './reply.js';

export const commandLineRoutes: readonly ApiRoute[] = [
  read('commands', async (): Promise<readonly CommandEntry[]> => commandEntries()),

  ask('commands/run', async (call): Promise<CommandResult> => {
    const words = wordsOf(call.inputs.text('line'));
    if (call.isReadOnly && !onlyReads(words)) throw readOnly();
    return timed(() => run(call, words));
  }),

  /** A script with named keys and arguments. With `readOnly` it is sent as EVAL_RO, which cannot write. */
  ask('commands/script', async (call): Promise<CommandResult> => {
    const { inputs, isReadOnly, store } = call;
    const keys = namedValues(inputs, 'keys');
    const args = namedValues(inputs, 'args');
    const script = store.bytes.script({
      keys: [...keys.keys()],
      args: [...args.keys()],
      lua: inputs.text('lua'),
      readOnly: isReadOnly || inputs.boolean('readOnly'),
      reply: (reply) => reply,
    });
    return timed(async () => (await script(Object.fromEntries([...keys, ...args]) as never)) as Reply);
  }),
];

let entries: readonly CommandEntry[] | undefined;

function commandEntries(): readonly CommandEntry[] {
  entries ??= [...commandTable]
    .flatMap((command) => [command, ...(command.subcommands ?? [])])
    .filter((command) => command.subcommands === undefined || command.fullName === 'command')
    .map(entryOf)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries;
}

function entryOf(command: Command): CommandEntry {
  const { summary, since, group, complexity = '' } = command.spec.docs;
  return {
    name: command.fullName.replace('|', ' ').toUpperCase(),
    syntax: syntaxOf(command),
    summary,
    since,
    group,
    complexity,
    flags: printedFlags(command.flagBits),
    isDangerous: namesIn(CATEGORY, command.categoryBits).includes('dangerous'),
    isReadOnly: readsAlways(command),
  };
}

/** The words of a line, as redis-cli splits it: quotes, and escapes such as \xff in double quotes. */
export function wordsOf(line: string): Buffer[] {
  const words = splitWords(Buffer.from(line).toString('latin1'));
  if (words === undefined) throw invalid('the quotes are not balanced');
  if (words.length === 0) throw invalid('enter a command');
  return words.map((word) => Buffer.from(word, 'latin1'));
}

/** On the server that the person chose, or on the one that has the keys. */
async function run({ store, inputs, signal }: ApiCall, words: readonly Buffer[]): Promise<Reply> {
  const [name, ...args] = words as [Buffer, ...Buffer[]];
  const chosen = inputs.text('server');
  if (chosen === '') return (await store.bytes.send(String(name), ...args)) as Reply;
  const server = serversOf(store).find((candidate) => candidate.name === chosen);
  if (server === undefined) throw invalid(`there is no server ${chosen}`);
  // The server's connection is shared: others would wait behind it.
  if (((commandOf(words)?.flagBits ?? 0) & FLAG.blocking) !== 0) {
    throw invalid('this command may wait for keys: choose the server that has the key');
  }
  return server.send(String(name), args, { signal });
}

/** An error of Redis is a reply like others; errors of the connection end the request. */
async function timed(work: () => Promise<Reply>): Promise<CommandResult> {
  const startedAt = performance.now();
  let reply: Reply;
  try {
    reply = await work();
  } catch (error) {
    if (!(error instanceof StoreError) || CONNECTION_CODES.has(error.code)) throw error;
    reply = error;
  }
  return { reply: shownReply(reply), ms: performance.now() - startedAt };
}

const CONNECTION_CODES: ReadonlySet<string> = new Set(['UNREACHABLE', 'CLOSED', 'ABORTED', 'TIMEOUT']);

function namedValues(inputs: Inputs, name: string): Map<string, Buffer> {
  const list = inputs.raw(name) ?? [];
  if (!Array.isArray(list) || list.length > 50)
    throw invalid(`\`${name}\` must be a list of at most 50 inputs`);
  return new Map(
    list.map((entry: unknown) => {
      const { name: input, value } = (entry ?? {}) as { name?: unknown; value?: unknown };
      if (typeof input !== 'string' || typeof value !== 'string') {
        throw invalid(`each of \`${name}\` must have a \`name\` and a \`value\``);
      }
      return [input, Buffer.from(value)];
    }),
  );
}
