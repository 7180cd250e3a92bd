import fc from 'fast-check';
import { CATEGORY } from '../../../src/commands/flag.js';
import { commandTable } from '../../../src/engine/running/command-table.js';
import { normalLog, normalUser } from '../support/acl.js';
import { type Command, type GeneratedCommand, generated } from '../support/index.js';

/** Random rules, random commands: the same users, verdicts, errors and log entries as Redis. */

const commands = [...commandTable].flatMap((command) => [command, ...(command.subcommands ?? [])]);
const fullNames = commands.map(({ fullName }) => fullName);

/** A random one of several choices; `[weight, choice]` is drawn that many times as often. */
const weighted = <Value>(...choices: [number, fc.Arbitrary<Value>][]): fc.Arbitrary<Value> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
const word = fc.constantFrom;

const pattern = word('a', 'a*', '*', '*b', '?', '[ab]', '[^a]*', 'x\\1', '', 'a**b', 'ab', 'x?', '\xff*');
const name = word('a', 'b', 'ab', 'aab', 'x1', 'x', 'a1', '', '\xffa', 'a\0b');

const selectorRule: fc.Arbitrary<string> = weighted(
  [6, fc.tuple(word('+', '-'), word(...fullNames)).map((parts) => parts.join(''))],
  [6, fc.tuple(word('+@', '-@'), word(...Object.keys(CATEGORY))).map((parts) => parts.join(''))],
  [2, word('+@all', '-@all', 'allcommands', 'nocommands')],
  [2, word('allkeys', '~*', 'resetkeys', 'allchannels', '&*', 'resetchannels')],
  [6, fc.tuple(word('~', '~', '%R~', '%W~', '%RW~', '%w~'), pattern).map((parts) => parts.join(''))],
  [3, pattern.map((text) => `&${text}`)],
  [1, fc.tuple(word('get', 'select', 'set', 'debug', 'publish'), name).map((parts) => `+${parts.join('|')}`)],
);
const wrongRule = word(
  '+nosuch',
  '-@nosuch',
  '%~x',
  '%Rx~',
  '~a b',
  'x',
  '+config|nosuch',
  '+get|',
  ')',
  '(a',
);
const userRule: fc.Arbitrary<string> = weighted(
  [36, selectorRule],
  [9, fc.array(selectorRule, { maxLength: 5 }).map((rules) => `(${rules.join(' ')})`)],
  [3, word('on', 'clearselectors', 'sanitize-payload', 'skip-sanitize-payload', '>pw', '<pw', 'resetpass')],
  [1, wrongRule],
);

const setUser: fc.Arbitrary<GeneratedCommand> = fc
  .tuple(
    word(['resetkeys', 'resetchannels'], ['reset'], []),
    fc.array(userRule, { minLength: 1, maxLength: 8 }),
  )
  // The user always exists and needs no password: otherwise nothing would run as it.
  .map(([first, rules]) => ['ACL', 'SETUSER', 'u', ...first, ...rules, 'on', 'nopass']);
const getUser: fc.Arbitrary<GeneratedCommand> = fc.constant({
  send: 'ACL GETUSER u',
  normalise: normalUser,
});

/** Any command with any arguments, most of them names of keys. */
const argument = weighted(
  [6, name],
  [1, word('1', '2', 'GET', 'KEYS', 'STREAMS', 'STORE', 'BY', 'LEFT', '0', 'u8')],
);
const dryRun: fc.Arbitrary<GeneratedCommand> = fc
  .tuple(word(...commands), fc.array(argument, { maxLength: 5 }), fc.nat(3))
  .map(([{ fullName, arity }, args, more]) => {
    const words = fullName.split('|');
    const count = arity > 0 ? arity : -arity + more;
    const all = [...words, ...args, ...args, ...args].slice(0, Math.max(count, words.length));
    return ['ACL', 'DRYRUN', 'u', ...all];
  });

/** Commands to run as the user: K is replaced by a key, C by a channel or pattern. */
const REAL = [
  'GET K',
  'SET K 1',
  'SET K 1 GET',
  'SET K 1 NX',
  'MGET K K',
  'MSET K 1 K 2',
  'DEL K K',
  'COPY K K',
  'RENAME K K',
  'RPUSH K 1 2',
  'LMOVE K K LEFT RIGHT',
  'LMPOP 2 K K LEFT',
  'SORT K',
  'SORT K BY nosort GET K*',
  'SORT K BY K* STORE K',
  'SORT_RO K GET #',
  'SADD K a b',
  'SINTERCARD 2 K K',
  'SINTERSTORE K K K',
  'ZADD K 1 a',
  'ZUNIONSTORE K 2 K K',
  'ZRANGESTORE K K 0 -1',
  'ZDIFF 1 K',
  'BITFIELD K GET u8 0',
  'BITFIELD K SET u8 0 1',
  'BITOP OR K K K',
  'PFADD K a',
  'PFCOUNT K K',
  'PFMERGE K K',
  'XADD K 1-1 f v',
  'XREAD STREAMS K K 0 0',
  'XLEN K',
  'OBJECT HELP',
  'OBJECT FREQ K',
  'EXISTS K K',
  'EXPIRE K 1000',
  'TYPE K',
  'STRLEN K',
  'GEOADD K 1 1 m',
  'GEOSEARCHSTORE K K FROMMEMBER m BYRADIUS 1 m',
  'GEORADIUS K 1 1 1 m STORE K',
  'EVAL return{KEYS[1],redis.pcall("set",ARGV[1],1)} 1 K K',
  'EVAL return(redis.call("get",ARGV[1])) 0 K',
  'EVAL return(redis.call("publish",ARGV[1],1)) 0 C',
  'EVAL return(redis.acl_check_cmd("set",ARGV[1],1)) 0 K',
  'EVAL_RO return(redis.call("mget",ARGV[1],KEYS[1])) 1 K K',
  'PUBLISH C x',
  'SPUBLISH C x',
  'SELECT 0',
  'SELECT 1',
  'ACL WHOAMI',
  'CONFIG GET hz',
  'COMMAND COUNT',
  'DBSIZE',
  'WATCH K',
  'UNWATCH',
  'MULTI',
  'DISCARD',
  'CLIENT GETNAME',
  'PING',
  'AUTH stranger x',
];
const real: fc.Arbitrary<GeneratedCommand> = fc
  .tuple(word(...REAL), fc.array(name, { minLength: 3, maxLength: 3 }))
  .map(([line, names]) => {
    let used = 0;
    return line
      .split(' ')
      .map((each) => (/^[KC]/.test(each) ? each.replace(/^./, names[used++] ?? 'a') : each));
  });

/** Becomes the default user again, which may change users. In a transaction the commands are queued. */
const asDefault: Command = 'AUTH default x';
const log: GeneratedCommand = { send: 'ACL LOG 20', normalise: normalLog };
/** ACL LOG may be queued. */
const exec: GeneratedCommand = { send: 'EXEC', normalise: normalLog };

const setup: Command[] = [
  asDefault,
  'ACL SETUSER u reset on nopass',
  'ACL LOG RESET',
  'MSET a 1 b 2 ab 3 x1 4',
];

for (const protocol of [2, 3] as const) {
  generated(
    'rules, and what ACL DRYRUN and ACL GETUSER tell',
    weighted([2, setUser], [1, getUser], [6, dryRun]),
    {
      runs: 40,
      steps: 150,
      protocol,
      setup,
    },
  );

  generated(
    'commands of restricted users',
    weighted(
      [4, setUser],
      [4, fc.constant<GeneratedCommand>(asDefault)],
      [4, fc.constant<GeneratedCommand>('AUTH u x')],
      [24, real],
      [1, fc.constant(exec)],
      [1, fc.constant(log)],
    ),
    { runs: 40, steps: 120, protocol, setup },
  );
}
