import assert from 'node:assert/strict';
import type { Argument } from '../../../src/commands/argument.js';
import { FLAG } from '../../../src/commands/flag.js';
import type { Command as TableCommand } from '../../../src/commands/table.js';
import { commandTable } from '../../../src/engine/running/command-table.js';
import { argumentsOf, DATA } from '../../support/command-arguments.js';
import { type ConnectionPair, compareLive, itemsOf, type LivePair, printable } from '../support/index.js';

/**
 * Every command, by every path on which a command can run: a restricted user gets an error, the same as from Redis, and changes
 * nothing. Which commands have keys is taken from their documentation, not from the key specifications that the check uses.
 */

const all: readonly TableCommand[] = [...commandTable].flatMap((command) =>
  command.subcommands === undefined ? [command] : [...command.subcommands],
);
/** Redis allows AUTH, HELLO, QUIT and RESET to everyone. */
const checked = all.filter(({ flagBits }) => (flagBits & FLAG.no_auth) === 0);

/** The command with the arguments that it needs; those that are not documented (of DEBUG) are any word. */
function wordsOf(command: TableCommand): string[] {
  const words = [...command.fullName.split('|'), ...argumentsOf(command)];
  while (words.length < Math.abs(command.arity)) words.push('word');
  return words;
}

function namesKeyOrChannel({ type, name, optional, parts = [] }: Argument): boolean {
  if (optional === true) return false;
  return type === 'key' || /channel/.test(name) || parts.some(namesKeyOrChannel);
}

const withKeysOrChannels = checked.filter(
  ({ fullName, spec }) =>
    fullName === 'psubscribe' ||
    // What a client unsubscribes from is no channel that it reaches; CLUSTER's keys are hashed and never looked up.
    (!/unsubscribe|^cluster/.test(fullName) && (spec.docs.arguments ?? []).some(namesKeyOrChannel)),
);

const SCRIPT = 'return redis.call(unpack(ARGV))';
const LIBRARY = `#!lua name=attack\nredis.register_function('call', function(keys, args) return redis.call(unpack(args)) end)`;

/** The commands that lead to the attack by a path; all but MULTI must fail. */
const PATHS: Readonly<Record<string, (words: readonly string[]) => (readonly string[])[]>> = {
  'at once': (words) => [words],
  'in a transaction': (words) => [['MULTI'], words, ['EXEC']],
  'in a script': (words) => [['EVAL', SCRIPT, '0', ...words]],
  'in a function': (words) => [['FCALL', 'call', '0', ...words]],
};

/** Data to attack, and the function that one path needs. Returns the digest of the data. */
async function prepare({ sendBoth }: LivePair): Promise<string> {
  for (const command of DATA) await sendBoth([...command]);
  await sendBoth(['FUNCTION', 'LOAD', LIBRARY]);
  return digest({ sendBoth });
}

async function digest({ sendBoth }: Pick<LivePair, 'sendBoth'>): Promise<string> {
  const { sorrel } = await sendBoth('DEBUG DIGEST');
  return printable(sorrel.raw);
}

/** Takes every path as user `u`, and checks that each ends with an error. */
async function attack(
  { sendBoth }: LivePair,
  on: ConnectionPair,
  words: readonly string[],
  direct: RegExp,
): Promise<void> {
  for (const [path, commands] of Object.entries(PATHS)) {
    await sendBoth('RESET', { on });
    await sendBoth('AUTH u x', { on });
    for (const command of commands(words)) {
      const { sorrel } = await sendBoth([...command], { on });
      const text = printable(sorrel.raw);
      if (command[0] === 'MULTI' && text === '+OK\\r\\n') continue;
      assert.match(text, path === 'at once' ? direct : /^-/, `${words.join(' ')}, ${path}`);
    }
  }
}

compareLive('a user reaches no foreign key or channel by any command and path', async (pair) => {
  const before = await prepare(pair);
  const on = await pair.connect();
  await pair.sendBoth('ACL SETUSER u reset on nopass +@all ~mine &mine');
  assert.ok(withKeysOrChannels.length > 180, `${withKeysOrChannels.length} commands`);
  for (const command of withKeysOrChannels)
    await attack(pair, on, wordsOf(command), /^-NOPERM this user has/);
  assert.equal(await digest(pair), before);
});

compareLive('rights that were taken before EXEC do not count', async (pair) => {
  const before = await prepare(pair);
  const on = await pair.connect();
  const { sendBoth } = pair;
  let queued = 0;
  for (const command of withKeysOrChannels) {
    await sendBoth('ACL SETUSER u reset on nopass +@all ~* &*');
    await sendBoth('RESET', { on });
    await sendBoth('AUTH u x', { on });
    await sendBoth('MULTI', { on });
    const { sorrel } = await sendBoth(wordsOf(command), { on });
    await sendBoth('ACL SETUSER u resetkeys resetchannels');
    const { sorrel: result } = await sendBoth('EXEC', { on });
    if (!sorrel.raw.toString().startsWith('+QUEUED')) continue;
    queued++;
    assert.match(printable(itemsOf(result)[0]?.raw ?? result.raw), /^-NOPERM/, command.fullName);
  }
  assert.ok(queued > 150, `${queued} were queued`);
  assert.equal(await digest(pair), before);
});

/** MODULE is refused to every user, and EXEC says that the transaction is discarded. */
const REFUSED =
  /^-(EXECABORT Transaction discarded because of: )?(NOPERM this user has no permissions to run the|ERR MODULE command not allowed)/;

compareLive('a user runs no command that it may not run, by any path', async (pair) => {
  const before = await prepare(pair);
  const on = await pair.connect();
  for (const command of checked) {
    await pair.sendBoth(`ACL SETUSER u reset on nopass ~* &* +@all -${command.fullName}`);
    await attack(pair, on, wordsOf(command), REFUSED);
  }
  assert.equal(await digest(pair), before);
});
