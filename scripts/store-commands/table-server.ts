import { arg } from '../../src/commands/argument.js';
import { type MethodTable, method } from './row.js';

const events = ["xadd('events', '1-0', { type: 'login' })", "xadd('events', '2-0', { type: 'logout' })"];
const LOGIN = "{ id: '1-0', fields: { type: 'login' } }";
const LOGOUT = "{ id: '2-0', fields: { type: 'logout' } }";
const group = [...events, "xgroupCreate('events', 'mail', '0')"];
const delivered = [...group, "xreadgroup('mail', 'one', { events: '>' }, { count: 1 })"];
const clock = { onlyEmbedded: 'the clock of a server does not stand still' };
const embedded = (onlyEmbedded: string): { onlyEmbedded: string } => ({ onlyEmbedded });

/** How to trim: MAXLEN or MINID, exactly or with `approximate`. `xadd` and `xtrim` use the name `trim`. */
const trim = arg.block('trim', [], { optional: true });

export const streamRows: MethodTable = {
  xack: method('integer', "xack('events', 'mail', '1-0')", '1', delivered),
  xadd: method(
    'word',
    "xadd('events', '3-0', { type: 'login' }, { maxLen: 1000, approximate: true })",
    "'3-0'",
    events,
    {
      arguments: [
        arg.key('key'),
        arg.token('nomkstream', { optional: true }),
        trim,
        arg.string('id'),
        arg.block('field_value', [arg.string('field'), arg.string('value')], { multiple: true }),
      ],
      when: [[['noMkStream'], 'nullableWord']],
    },
  ),
  xautoclaim: method(
    'claimed',
    "xautoclaim('events', 'mail', 'two', 0, '0')",
    `{ next: '0-0', entries: [${LOGIN}], deleted: [] }`,
    delivered,
    { when: [[['justId'], 'claimedIds']] },
  ),
  xclaim: method(
    'streamEntries',
    "xclaim('events', 'mail', 'two', 0, '1-0', { retryCount: 3 })",
    `[${LOGIN}]`,
    delivered,
    {
      when: [[['justId'], 'words']],
    },
  ),
  xdel: method('integer', "xdel('events', '1-0', '9-0')", '1', events),
  'xgroup|create': method('ok', "xgroupCreate('events', 'mail', '$', { mkStream: true })", "'OK'"),
  'xgroup|createconsumer': method('boolean', "xgroupCreateconsumer('events', 'mail', 'one')", 'true', group),
  'xgroup|delconsumer': method('integer', "xgroupDelconsumer('events', 'mail', 'one')", '1', delivered),
  'xgroup|destroy': method('boolean', "xgroupDestroy('events', 'mail')", 'true', group),
  'xgroup|setid': method('ok', "xgroupSetid('events', 'mail', '1-0')", "'OK'", group),
  'xinfo|consumers': method(
    'consumerInfos',
    "xinfoConsumers('events', 'mail')",
    "[{ name: 'one', pending: 1, idle: 0 }]",
    delivered,
    clock,
  ),
  'xinfo|groups': method(
    'groupInfos',
    "xinfoGroups('events')",
    "[{ name: 'mail', consumers: 1, pending: 1, lastDeliveredId: '1-0', entriesRead: 1, lag: 1 }]",
    delivered,
  ),
  'xinfo|stream': method(
    'streamInfo',
    "xinfoStream('events')",
    `{ length: 2, radixTreeKeys: 1, radixTreeNodes: 2, lastGeneratedId: '2-0', maxDeletedEntryId: '0-0', entriesAdded: 2, recordedFirstEntryId: '1-0', groups: 0, firstEntry: ${LOGIN}, lastEntry: ${LOGOUT} }`,
    events,
    { when: [[['full'], 'fullStreamInfo']] },
  ),
  xlen: method('integer', "xlen('events')", '2', events),
  xpending: method(
    'pendingSummary',
    "xpending('events', 'mail')",
    "{ count: 1, first: '1-0', last: '1-0', consumers: [{ name: 'one', count: 1 }] }",
    delivered,
    { when: [[['options'], 'pendingDeliveries']] },
  ),
  xrange: method('streamEntries', "xrange('events', '-', '+', { count: 1 })", `[${LOGIN}]`, events),
  xread: method(
    'streams',
    "xread({ events: '1' }, { count: 10 })",
    `[{ key: 'events', entries: [${LOGOUT}] }]`,
    events,
    {
      blocks: 'BLOCK',
    },
  ),
  xreadgroup: method(
    'groupStreams',
    "xreadgroup('mail', 'one', { events: '>' }, { count: 1 })",
    `[{ key: 'events', entries: [${LOGIN}] }]`,
    group,
    { blocks: 'BLOCK' },
  ),
  xrevrange: method('streamEntries', "xrevrange('events', '+', '-')", `[${LOGOUT}, ${LOGIN}]`, events),
  xsetid: method('ok', "xsetid('events', '5-0')", "'OK'", events),
  xtrim: method('integer', "xtrim('events', { maxLen: 1 })", '1', events, {
    arguments: [arg.key('key'), { ...trim, optional: false }],
  }),
};

const script = '"return ARGV[1]"';
const library = [
  `functionLoad("#!lua name=lib\\nredis.register_function{ function_name = 'one', callback = function() return 1 end, flags = { 'no-writes' } }")`,
];

export const scriptingRows: MethodTable = {
  eval: method('value', `eval("return redis.call('GET', KEYS[1])", 'greeting')`, "'hello'", [
    "set('greeting', 'hello')",
  ]),
  eval_ro: method('value', `evalRo(${script}, [], ['a'])`, "'a'"),
  evalsha: method('value', "evalsha('098e0f0d1448c0a81dafe820f66d460eb09263da', [], 'a')", "'a'", [
    `scriptLoad(${script})`,
  ]),
  evalsha_ro: method('value', "evalshaRo('098e0f0d1448c0a81dafe820f66d460eb09263da', [], 'a')", "'a'", [
    `scriptLoad(${script})`,
  ]),
  fcall: method('value', "fcall('one')", '1', library),
  fcall_ro: method('value', "fcallRo('one')", '1', library),
  'function|delete': method('ok', "functionDelete('lib')", "'OK'", library),
  'function|dump': method('text', 'functionDump()', undefined, library, { check: 'result.length > 10' }),
  'function|flush': method('ok', 'functionFlush({ async: true })', "'OK'"),
  'function|kill': method('ok', 'functionKill()', "'OK'", [], { throws: 'NOTBUSY' }),
  'function|list': method(
    'libraries',
    "functionList({ libraryName: 'l*' })",
    "[{ name: 'lib', engine: 'LUA', functions: [{ name: 'one', description: null, flags: ['no-writes'] }] }]",
    library,
  ),
  'function|load': method(
    'word',
    `functionLoad("#!lua name=lib\\nredis.register_function('one', function() return 1 end)", { replace: true })`,
    "'lib'",
  ),
  'function|restore': method(
    'ok',
    "functionRestore(Buffer.from('0a005d9b5c400f7fa2da', 'hex'), { policy: 'replace' })",
    "'OK'",
  ),
  'function|stats': method(
    'functionStats',
    'functionStats()',
    '{ running: null, engines: { LUA: { libraries: 1, functions: 1 } } }',
    library,
  ),
  'script|exists': method('booleans', "scriptExists('098e0f0d1448c0a81dafe820f66d460eb09263da')", '[true]', [
    `scriptLoad(${script})`,
  ]),
  'script|flush': method('ok', 'scriptFlush()', "'OK'"),
  'script|kill': method('ok', 'scriptKill()', "'OK'", [], { throws: 'NOTBUSY' }),
  'script|load': method('word', `scriptLoad(${script})`, "'098e0f0d1448c0a81dafe820f66d460eb09263da'"),
};

export const pubsubRows: MethodTable = {
  publish: method('integer', "publish('news', 'rain')", '0'),
  'pubsub|channels': method('texts', "pubsubChannels('news*')", '[]'),
  'pubsub|numpat': method('integer', 'pubsubNumpat()', '0'),
  'pubsub|numsub': method('numberRecord', "pubsubNumsub('news', 'sport')", '{ news: 0, sport: 0 }'),
  'pubsub|shardchannels': method('texts', 'pubsubShardchannels()', '[]'),
  'pubsub|shardnumsub': method('numberRecord', "pubsubShardnumsub('news')", '{ news: 0 }'),
  spublish: method('integer', "spublish('news', 'rain')", '0'),
};

export const connectionRows: MethodTable = {
  'client|getname': method('nullableText', 'clientGetname()', 'null'),
  'client|id': method('integer', 'clientId()', undefined, [], { check: 'result > 0' }),
  'client|info': method('client', 'clientInfo()', undefined, [], { check: "result['db'] === '0'" }),
  'client|kill': method('integer', 'clientKill({ id: 999_999_999 })', '0', [], {
    needsOptions: true,
    arguments: [
      arg.integer('id', { token: 'ID', optional: true }),
      arg.oneof(
        'type',
        [arg.token('normal'), arg.token('master'), arg.token('replica'), arg.token('pubsub')],
        { token: 'TYPE', optional: true },
      ),
      arg.string('username', { token: 'USER', optional: true }),
      arg.string('address', { token: 'ADDR', optional: true }),
      arg.string('local', { token: 'LADDR', optional: true }),
      arg.oneof('skip', [arg.token('yes'), arg.token('no')], { token: 'SKIPME', optional: true }),
    ],
  }),
  'client|list': method('clients', "clientList({ type: 'normal' })", undefined, [], {
    check: 'result.length >= 1',
  }),
  'client|pause': method('ok', "clientPause(0, 'write')", "'OK'", [], { positional: ['mode'] }),
  'client|unblock': method('boolean', "clientUnblock(999_999_999, 'error')", 'false', [], {
    positional: ['timeout_error'],
  }),
  'client|unpause': method('ok', 'clientUnpause()', "'OK'"),
  echo: method('text', "echo('hello')", "'hello'"),
  ping: method('word', 'ping()', "'PONG'", [], { when: [[['message'], 'text']] }),
};

const memoryOnly = { throws: 'keeps its data in memory only', onlyEmbedded: 'a server writes files' };

export const serverRows: MethodTable = {
  bgrewriteaof: method(
    'word',
    'bgrewriteaof()',
    "'Background append only file rewriting started'",
    [],
    memoryOnly,
  ),
  bgsave: method('word', 'bgsave({ schedule: true })', "'Background saving started'", [], memoryOnly),
  'command|count': method('integer', 'commandCount()', undefined, [], { check: 'result > 200' }),
  'command|docs': method('valueRecord', "commandDocs('get')", undefined, [], { check: "'get' in result" }),
  'command|getkeys': method('texts', "commandGetkeys('MSET', 'a', 1, 'b', 2)", "['a', 'b']", [], {
    arguments: [arg.string('command'), arg.string('arg', { multiple: true })],
  }),
  'command|getkeysandflags': method(
    'keyAccesses',
    "commandGetkeysandflags('SET', 'a', 1)",
    "[{ key: 'a', flags: ['OW', 'update'] }]",
    [],
    { arguments: [arg.string('command'), arg.string('arg', { multiple: true })] },
  ),
  'command|info': method('value', "commandInfo('none')", '[null]'),
  'command|list': method('words', "commandList({ filterBy: { pattern: 'xre*group' } })", "['xreadgroup']"),
  'config|get': method('wordRecord', "configGet('maxmemory')", "{ maxmemory: '0' }", [
    "configSet('maxmemory', 0)",
  ]),
  'config|resetstat': method('ok', 'configResetstat()', "'OK'"),
  'config|rewrite': method('ok', 'configRewrite()', "'OK'", [], { throws: 'without a config file' }),
  'config|set': method('ok', "configSet({ maxmemory: '100mb', 'maxmemory-policy': 'allkeys-lru' })", "'OK'"),
  dbsize: method('integer', 'dbsize()', '1', ["set('greeting', 'hello')"]),
  flushall: method('ok', 'flushall({ async: true })', "'OK'"),
  flushdb: method('ok', 'flushdb()', "'OK'"),
  info: method('info', "info('server')", undefined, [], { check: "result['redis_version'] === '7.0.15'" }),
  lastsave: method('integer', 'lastsave()', undefined, [], { check: 'result > 0' }),
  'latency|doctor': method('word', 'latencyDoctor()', undefined, [], { check: "result.includes('Dave')" }),
  'latency|graph': method('word', "latencyGraph('command')", undefined, [], { throws: 'No samples' }),
  'latency|histogram': method(
    'latencyHistograms',
    "latencyHistogram('get')",
    undefined,
    ['configResetstat()', "get('greeting')"],
    {
      check: "result['get']?.calls === 1",
    },
  ),
  'latency|history': method('latencyHistory', "latencyHistory('command')", '[]'),
  'latency|latest': method('latencyEvents', 'latencyLatest()', '[]'),
  'latency|reset': method('integer', "latencyReset('command')", '0'),
  lolwut: method('word', 'lolwut()', undefined, [], { check: "result.includes('7.0')" }),
  'memory|doctor': method('word', 'memoryDoctor()', undefined, [], { check: "result.includes('Sam')" }),
  'memory|malloc-stats': method('word', 'memoryMallocStats()', undefined, [], {
    check: 'result.length > 10',
  }),
  'memory|purge': method('ok', 'memoryPurge()', "'OK'"),
  'memory|stats': method('memoryStats', 'memoryStats()', undefined, ["set('greeting', 'hello')"], {
    check: "result['keys.count'] === 1",
  }),
  'memory|usage': method('nullableInteger', "memoryUsage('none', { samples: 5 })", 'null'),
  role: method('value', 'role()', "['master', 0, []]", [], embedded('a server counts what it replicates')),
  save: method('ok', 'save()', "'OK'", [], memoryOnly),
  'slowlog|get': method('slowLog', 'slowlogGet(5)', '[]', [
    "configSet('slowlog-log-slower-than', -1)",
    'slowlogReset()',
  ]),
  'slowlog|len': method('integer', 'slowlogLen()', '0', [
    "configSet('slowlog-log-slower-than', -1)",
    'slowlogReset()',
  ]),
  'slowlog|reset': method('ok', 'slowlogReset()', "'OK'"),
  swapdb: method('ok', 'swapdb(0, 1)', "'OK'"),
  time: method(
    'serverTime',
    'serverTime()',
    '{ date: new Date(1_700_000_000_123), microseconds: 1_700_000_000_123_000 }',
    [],
    {
      ...clock,
      name: 'serverTime',
    },
  ),
};
