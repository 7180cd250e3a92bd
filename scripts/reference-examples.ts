/** Examples of commands that no typed method of a store has. They are run when the reference is written, so their replies are true. */

import { Bytes } from '../src/bytes/bytes.js';
import { splitWords } from '../src/bytes/quoting.js';
import { formatReply } from '../src/cli/shell/format-reply.js';
import type { WireReply } from '../src/cli/wire/reply.js';
import { ReplyDecoder } from '../src/cli/wire/reply-decoder.js';
import { silentSink } from '../src/commands/session.js';
import type { Command } from '../src/commands/table.js';
import { Engine } from '../src/engine/engine.js';
import { RespWriter } from '../src/resp/resp-writer.js';

/** The commands of each example, separated by semicolons; or, after a `!`, the reason why there is none. */
const EXAMPLES: Readonly<Record<string, string>> = {
  auth: 'ACL SETUSER alice on >secret +@all ~*; AUTH alice secret; AUTH alice wrong',
  'client|caching': 'CLIENT CACHING YES; HELLO 3; CLIENT TRACKING ON OPTIN; CLIENT CACHING YES',
  'client|getredir': 'CLIENT GETREDIR',
  'client|no-evict': 'CLIENT NO-EVICT ON',
  'client|reply': 'CLIENT REPLY ON',
  'client|setname': 'CLIENT SETNAME worker-1; CLIENT GETNAME',
  'client|tracking': 'HELLO 3; CLIENT TRACKING ON BCAST PREFIX user:; CLIENT TRACKING OFF',
  'client|trackinginfo': 'CLIENT TRACKINGINFO',
  hello: 'HELLO 2; HELLO 9',
  quit: 'QUIT',
  reset: 'SELECT 3; RESET',
  select: 'SELECT 1; SELECT 99',
  migrate: '! It needs a second server: `MIGRATE 127.0.0.1 6380 key 0 1000`.',
  scan: 'SET greeting hello; SCAN 0 MATCH g* COUNT 100',
  hscan: 'HSET user name Ann city Oslo; HSCAN user 0 MATCH n*',
  sscan: 'SADD ids 1 2 3; SSCAN ids 0',
  zscan: 'ZADD board 10 ann 20 bob; ZSCAN board 0',
  pfdebug: 'PFADD visitors ann bob; PFDEBUG ENCODING visitors',
  pfselftest: 'PFSELFTEST',
  psubscribe: 'PSUBSCRIBE news.*',
  punsubscribe: 'PUNSUBSCRIBE news.*',
  subscribe: 'SUBSCRIBE news',
  ssubscribe: 'SSUBSCRIBE news',
  sunsubscribe: 'SUNSUBSCRIBE news',
  unsubscribe: 'SUBSCRIBE news; UNSUBSCRIBE news',
  'script|debug':
    '! The connection then belongs to the debugger: see [Debug a script](../tools.md#debug-a-script).',
  'acl|cat': 'ACL CAT hyperloglog',
  'acl|deluser': 'ACL SETUSER alice; ACL DELUSER alice bob',
  'acl|dryrun': 'ACL SETUSER alice +get ~user:*; ACL DRYRUN alice GET user:1; ACL DRYRUN alice SET user:1 x',
  'acl|genpass': '! The reply is a random text of 64 hexadecimal digits; `ACL GENPASS 32` has 32 bits.',
  'acl|getuser': 'ACL SETUSER alice on >secret +get ~user:*; ACL GETUSER alice',
  'acl|list': 'ACL SETUSER alice on nopass +get ~user:*; ACL LIST',
  'acl|load': 'ACL LOAD',
  'acl|log': 'ACL LOG',
  'acl|save': 'ACL SAVE',
  'acl|setuser': 'ACL SETUSER alice on >secret +@read ~user:*; ACL SETUSER alice +nosuch',
  'acl|users': 'ACL SETUSER alice; ACL USERS',
  'acl|whoami': 'ACL WHOAMI',
  debug: '! Its subcommands are for tests. They need `enable-debug-command`: `DEBUG SLEEP 0.1`.',
  failover: '! It needs replicas: `FAILOVER TO 127.0.0.1 6380 TIMEOUT 5000`.',
  'module|list': 'MODULE LIST',
  'module|load': 'MODULE LOAD /path/module.so',
  'module|loadex': 'MODULE LOADEX /path/module.so',
  'module|unload': 'MODULE UNLOAD name',
  monitor: 'MONITOR',
  psync: '! Replicas send it to their master.',
  replconf: '! Replicas send it to their master.',
  sync: '! Replicas send it to their master.',
  replicaof: '! It changes the role of a server: `REPLICAOF 127.0.0.1 6380`, `REPLICAOF NO ONE`.',
  slaveof: '! An old name of REPLICAOF.',
  'restore-asking':
    '! It is RESTORE for a key of a slot that is being imported: servers of a Cluster send it.',
  shutdown: '! It ends the server and does not reply.',
  multi: 'MULTI; SET greeting hello; GET greeting; EXEC',
  exec: 'MULTI; INCR hits; INCR hits; EXEC; EXEC',
  discard: 'MULTI; INCR hits; DISCARD; GET hits',
  watch: 'WATCH balance; MULTI; SET balance 10; EXEC',
  unwatch: 'WATCH balance; UNWATCH',
};

/** The lines of the reference about examples of a command without a typed method. */
export function transcriptOf(command: Command): string[] {
  const { fullName, subcommands, spec } = command;
  const example = EXAMPLES[fullName];
  if (subcommands !== undefined) return ['- example: see its subcommands'];
  if (spec.docs.group === 'cluster' && example === undefined)
    return ['- example: none. It is for servers of a Cluster.'];
  if (fullName.endsWith('|help')) return transcript(fullName.replace('|', ' ').toUpperCase(), HELP_LINES);
  if (example?.startsWith('! ') === true) return [`- example: none. ${example.slice(2)}`];
  if (example !== undefined) return transcript(example);
  throw new Error(`${fullName} has neither an example nor a reason why it has none`);
}

/** What a session at a prompt looks like. Of each reply at most `maxLines` lines are shown. */
function transcript(commands: string, maxLines = Number.POSITIVE_INFINITY): string[] {
  const engine = new Engine({ runId: '0'.repeat(40) });
  const session = engine.openSession(silentSink);
  session.address = '127.0.0.1:50000';
  const lines: string[] = [];
  for (const text of commands.split('; ')) {
    const words = (splitWords(text) ?? []).map((word) => Bytes.of(word));
    const writer = new RespWriter();
    engine.beginTurn();
    engine.execute(session, words, words.length, writer);
    engine.endTurn();
    const shown = repliesIn(writer).flatMap((reply) => formatReply(reply, STYLE).trimEnd().split('\n'));
    lines.push(`> ${text}`, ...shown.slice(0, maxLines), ...(shown.length > maxLines ? ['…'] : []));
  }
  engine.close();
  return ['- example:', '', '  ```', ...lines.map((line) => `  ${line}`.trimEnd()), '  ```'];
}

function repliesIn(writer: RespWriter): WireReply[] {
  const replies: WireReply[] = [];
  const decoder = new ReplyDecoder();
  decoder.push(Buffer.from(writer.buffer.subarray(0, writer.length)));
  for (let reply = decoder.next(); reply !== undefined; reply = decoder.next()) replies.push(reply);
  return replies;
}

const STYLE = { mode: 'standard', itemDelimiter: '\n', replyDelimiter: '\n' } as const;
const HELP_LINES = 5;
