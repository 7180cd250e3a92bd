import {
  type Case,
  compareCases,
  ignore,
  near,
  on,
  type Reply,
  receive,
  silent,
  start,
  unordered,
} from '../support/index.js';

const evaluate = (script: string, ...rest: string[]): string[] => ['EVAL', script, '0', ...rest];

compareCases('a script gets keys and arguments, and its values become replies', [
  ['EVAL', 'return {KEYS[1],KEYS[2],ARGV[1],ARGV[2]}', '2', 'a', 'b', 'c', 'd'],
  ['EVAL', 'return {KEYS,ARGV}', '1', 'a'],
  ['EVAL', 'return #ARGV', '0', 'a', Buffer.from([0, 255, 10]), ''],
  ['EVAL', 'return ARGV[1]', '0', Buffer.from([0, 255, 13, 10, 200])],
  evaluate('return 1'),
  evaluate('return 3.99'),
  evaluate('return -3.99'),
  evaluate('return 0/0'),
  evaluate('return 1/0'),
  evaluate('return -1/0'),
  evaluate('return -0'),
  evaluate('return 2^53'),
  evaluate('return 2^53+2'),
  evaluate('return -2^63'),
  evaluate('return 2^63'),
  evaluate('return "abc"'),
  evaluate('return ""'),
  evaluate('return true'),
  evaluate('return false'),
  evaluate('return nil'),
  evaluate('return'),
  evaluate(''),
  evaluate('return print'),
  evaluate('return tostring'),
  evaluate('return {1,2,{3,"four",{true,false,5}}}'),
  evaluate('return {1,nil,3}'),
  evaluate('return {nil,2}'),
  evaluate('return {}'),
  evaluate('return {a=1,2}'),
  evaluate('return {ok="fine"}'),
  evaluate('return {ok="a\\r\\nb"}'),
  evaluate('return {err="a\\r\\nb"}'),
  evaluate('return {ok=5}'),
  evaluate('return {err="MY mistake"}'),
  evaluate('return {err="mistake"}'),
  evaluate('return {err=5, 1}'),
  evaluate('return {1, {err="inner one"}, {ok="inner"}}'),
  evaluate('return 1,2,3'),
  evaluate('return cjson.null'),
  evaluate('return coroutine.create(function() end)'),
]);

compareCases('scripts can return RESP3 types', [
  evaluate('return {double=3.5}'),
  evaluate('return {double=1e300}'),
  evaluate('return {double=3}'),
  evaluate('return {double="3"}'),
  evaluate('return {map={a=1}}'),
  evaluate('return {map={}}'),
  evaluate('return {map={a={map={b={set={c=true}}}}}}'),
  evaluate('return {set={a=true}}'),
  evaluate('return {set={}}'),
  evaluate('return {set={1,2,3}}'),
  evaluate('return {map={1,2,3}}'),
  evaluate('return {map=1}'),
  evaluate('return {big_number="12345678901234567890"}'),
  evaluate('return {verbatim_string={format="txt",string="hello"}}'),
  evaluate('return {verbatim_string={format="t",string="hello"}}'),
  evaluate('return {verbatim_string={format="longer",string="hello"}}'),
  evaluate('return {verbatim_string={string="hello"}}'),
  evaluate('redis.setresp(3) return {true, false, nil}'),
  evaluate('redis.setresp(3) return {true, false}'),
  evaluate('redis.setresp(2) return {true, false}'),
  evaluate('return {err="e x", ok="o"}'),
  evaluate('return {ok="o", double=1}'),
  evaluate('return {double=1, map={}}'),
]);

const DESCRIBE = `
local function d(v)
  local t = type(v)
  if t ~= "table" then return t .. ":" .. tostring(v) end
  local keys = {}
  for k, e in pairs(v) do keys[#keys + 1] = d(k) .. "=" .. d(e) end
  table.sort(keys)
  return "{" .. table.concat(keys, ",") .. "}"
end
`;
const described = (call: string): string[] => evaluate(`${DESCRIBE} return d(${call})`);
const describedIn3 = (call: string): string[] => evaluate(`${DESCRIBE} redis.setresp(3) return d(${call})`);

const REPLIES = [
  'redis.call("set", "s", "v")',
  'redis.call("get", "s")',
  'redis.call("get", "missing")',
  'redis.call("strlen", "s")',
  'redis.call("incr", "n")',
  'redis.call("set", "big", "9007199254740993")',
  'redis.call("incr", "big")',
  'redis.call("rpush", "l", "a", "b")',
  'redis.call("lrange", "l", 0, -1)',
  'redis.call("lrange", "missing", 0, -1)',
  'redis.call("hset", "h", "f", "v")',
  'redis.call("hgetall", "h")',
  'redis.call("hgetall", "missing")',
  'redis.call("hmget", "h", "f", "missing")',
  'redis.call("hrandfield", "h", 1, "withvalues")',
  'redis.call("sadd", "set", "a")',
  'redis.call("smembers", "set")',
  'redis.call("zadd", "z", 1.5, "a", 2, "b")',
  'redis.call("zscore", "z", "a")',
  'redis.call("zscore", "z", "missing")',
  'redis.call("zmscore", "z", "a", "missing")',
  'redis.call("zrange", "z", 0, -1, "withscores")',
  'redis.call("zadd", "z", "incr", 1, "a")',
  'redis.call("zpopmin", "z")',
  'redis.call("blpop", "missing", 0)',
  'redis.call("bzpopmin", "missing", 0)',
  'redis.call("blmove", "missing", "x", "left", "left", 0)',
  'redis.call("xread", "block", 0, "streams", "missing", "$")',
  'redis.call("xadd", "x", "1-1", "f", "v")',
  'redis.call("xrange", "x", "-", "+")',
  'redis.call("xread", "streams", "x", "0")',
  'redis.call("exists", "s", "l")',
  'redis.call("type", "s")',
  'redis.call("ping")',
  'redis.call("ping", "me")',
  'redis.call("echo", "me")',
  'redis.call("dbsize")',
  'redis.call("object", "encoding", "s")',
  'redis.call("object", "help")',
  'redis.call("memory", "nosuch")',
  'redis.call("config", "get", "maxmemory")',
  'redis.call("geoadd", "g", 13.361389, 38.115556, "p")',
  'redis.call("geopos", "g", "p", "missing")',
  'redis.call("geodist", "g", "p", "p")',
  'redis.call("sort", "l", "alpha")',
  'redis.call("scan", 0, "match", "nothing*", "count", 1000)',
  'redis.call("lolwut", "version", "9")',
  'redis.pcall("incr", "l")',
  'redis.pcall("nosuch", "l")',
  'redis.pcall("incr")',
  'redis.pcall("config", "nosuch")',
  'redis.pcall("eval", "return 1", 0)',
  'redis.pcall()',
  'redis.pcall({})',
  'redis.pcall("get", true)',
  'redis.pcall("get", nil)',
  'redis.pcall("subscribe", "c")',
  'redis.pcall("multi")',
  'redis.pcall("watch", "a")',
  'redis.pcall("xgroup", "create", "missing", "g", "$")',
  'redis.pcall("setex", "s", 0, "v")',
];

compareCases('replies of commands as scripts see them', REPLIES.map(described));
compareCases('replies of commands as scripts see them after setresp(3)', REPLIES.map(describedIn3));

compareCases('numbers as arguments have 17 digits', [
  evaluate(
    'return redis.call("rpush", "l", 1, 0.1, 1e15, 1e16, 1e17, 1e18, 123456789012, -5, 1/3, 2^53, 1e100, 0/0, 1/0, -1/0, 1e-5, 0.0001)',
  ),
  'LRANGE l 0 -1',
  evaluate('return redis.call("set", "a", 10) '),
  evaluate('return redis.call("incrby", "a", "5")'),
  evaluate('return redis.call("incrby", "a", 5.0)'),
  evaluate('return redis.call("incrby", "a", 5.5)'),
]);

compareCases('errors name the script and the line', [
  evaluate('return redis.call("nosuch")'),
  evaluate('\n\nreturn redis.call("incr")'),
  evaluate('redis.call("set", "s", "x")\nreturn redis.call("incr", "s")'),
  evaluate('return redis.call()'),
  evaluate('return redis.call({})'),
  evaluate('return redis.pcall("incr", "s")'),
  evaluate('return {redis.pcall("incr", "s")}'),
  evaluate('local function f() return redis.call("incr", "s") end\nlocal a = f()\nreturn a'),
  evaluate('return {pcall(redis.call, "incr", "s")}'),
  evaluate('return {pcall(function() return redis.call("incr", "s") end)}'),
  evaluate('local ok, e = pcall(redis.call, "incr", "s") return type(e)'),
  evaluate(
    'local ok, e = xpcall(function() redis.call("incr", "s") end, function(e) return e end) return type(e)',
  ),
  evaluate('local ok, e = pcall(error, {err="X y"}) return {tostring(ok), e}'),
  evaluate('local ok, e = pcall(error, {foo="X y"}) return {tostring(ok), e.foo}'),
  evaluate('return {pcall(function() error("x") end)}'),
  evaluate('return {pcall(function() error("x", 0) end)}'),
  evaluate('return {pcall(function() error("x", 2) end)}'),
  evaluate('error("hi")'),
  evaluate('error("hi", 0)'),
  evaluate('error("hi", 2)'),
  evaluate('error()'),
  evaluate('error(nil)'),
  evaluate('error(5)'),
  evaluate('error(true)'),
  evaluate('error({err="MY own"})'),
  evaluate('error({err="MY own", source="s", line=7})'),
  evaluate('error(redis.error_reply("MY own"))'),
  evaluate('return error'),
  evaluate('local x = nil\nreturn x.y'),
  evaluate('return 1 + {}'),
  evaluate('return #5'),
  evaluate('assert(false)'),
  evaluate('assert(false, "because")'),
  evaluate('return string.rep()'),
  evaluate('local t = setmetatable({}, {__index=function(t,k) error("no "..k) end})\nreturn t.x'),
  evaluate('return redis.error_reply("abc")'),
  evaluate('return redis.error_reply("ABC def")'),
  evaluate('return redis.error_reply("-ABC def")'),
  evaluate('return redis.error_reply("-abc")'),
  evaluate('return redis.error_reply("")'),
  evaluate('return redis.error_reply()'),
  evaluate('return redis.error_reply(1)'),
  evaluate('return redis.error_reply("a", "b")'),
  evaluate('return redis.status_reply("fine")'),
  evaluate('return redis.status_reply()'),
  evaluate('return redis.status_reply(5)'),
  evaluate('x x'),
  evaluate('return ('),
  'EVAL "return 1"',
  'EVAL "return 1" x',
  'EVAL "return 1" 1',
  'EVAL "return 1" -1',
  'EVAL "return 1" 1.5',
  'EVAL "return (" 5',
  'INFO errorstats',
]);

compareCases('functions of the table redis', [
  evaluate('return redis.sha1hex("")'),
  evaluate('return redis.sha1hex("abc")'),
  evaluate('return redis.sha1hex(12)'),
  evaluate('return redis.sha1hex()'),
  evaluate('return redis.sha1hex(nil)'),
  evaluate('return redis.sha1hex("a", "b")'),
  evaluate('return redis.log(redis.LOG_DEBUG, "x", 1)'),
  evaluate('return redis.log(redis.LOG_DEBUG)'),
  evaluate('return redis.log("x", "y")'),
  evaluate('return redis.log(9, "y")'),
  evaluate('return redis.setresp()'),
  evaluate('return redis.setresp(4)'),
  evaluate('return redis.setresp("3")'),
  evaluate('return redis.setresp(2)'),
  evaluate('return redis.set_repl(redis.REPL_ALL)'),
  evaluate('return redis.set_repl(redis.REPL_NONE)'),
  evaluate('return redis.set_repl()'),
  evaluate('return redis.set_repl(8)'),
  evaluate('return redis.replicate_commands()'),
  evaluate('return redis.breakpoint()'),
  evaluate('return redis.debug("x")'),
  evaluate('return redis.acl_check_cmd("get", "x")'),
  evaluate('return redis.acl_check_cmd("nosuch", "x")'),
  evaluate('return redis.acl_check_cmd()'),
  evaluate('return {redis.REDIS_VERSION, redis.REDIS_VERSION_NUM}'),
  evaluate('return {redis.LOG_DEBUG, redis.LOG_VERBOSE, redis.LOG_NOTICE, redis.LOG_WARNING}'),
  evaluate('return {redis.REPL_NONE, redis.REPL_AOF, redis.REPL_SLAVE, redis.REPL_REPLICA, redis.REPL_ALL}'),
  evaluate('return redis.nosuch'),
  evaluate('return server.call("ping")'),
  evaluate('local t = {} for k in pairs(redis) do t[#t+1] = k end table.sort(t) return t'),
  evaluate('local t = {} for k in pairs(_G) do t[#t+1] = k end table.sort(t) return t'),
]);

compareCases('the sandbox isolates scripts', [
  evaluate('x = 1'),
  evaluate('return x'),
  evaluate('_G.x = 1'),
  evaluate('return _G.x'),
  evaluate('return _G["x"]'),
  evaluate('return _G[1]'),
  evaluate('rawset(_G, "x", 1)'),
  evaluate('return rawget(_G, "x")'),
  evaluate('setmetatable(_G, {})'),
  evaluate('setmetatable(_G, nil)'),
  evaluate('getmetatable(_G).__index = nil'),
  evaluate('function f() end'),
  evaluate('local function f() return 1 end return f()'),
  evaluate('redis.call = nil'),
  evaluate('redis.x = 1'),
  evaluate('string.rep = nil'),
  evaluate('table.insert(table, 1)'),
  evaluate('getmetatable("").__index = nil'),
  evaluate('cjson.x = 1'),
  evaluate('KEYS = 1'),
  evaluate('KEYS[1] = "x" return KEYS[1]'),
  evaluate('ARGV.x = 1 return ARGV.x', 'a'),
  evaluate('return print'),
  evaluate('print("x")'),
  evaluate('return require'),
  evaluate('return dofile'),
  evaluate('return loadfile'),
  evaluate('return os'),
  evaluate('return os.clock'),
  evaluate('return io'),
  evaluate('return debug'),
  evaluate('return package'),
  evaluate('return getfenv'),
  evaluate('return setfenv'),
  evaluate('return newproxy'),
  evaluate('return module'),
  evaluate('return loadstring("return 1+1")()'),
  evaluate('return loadstring("return x")()'),
  evaluate('return loadstring("x = 1")()'),
  evaluate('return {loadstring("x x")}'),
  evaluate('math.randomseed(7) return {math.random(1000), math.random(1000)}'),
]);

compareCases('scripts are cached by hash', [
  'SCRIPT LOAD "return 1"',
  'SCRIPT LOAD "return 1"',
  'SCRIPT LOAD "return ("',
  'SCRIPT LOAD "#!lua\nreturn 5"',
  'SCRIPT LOAD "#!lua"',
  'EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0',
  'EVALSHA E0E1F9FABFC9D4800C877A703B823AC0578FF8DB 0',
  'EVALSHA_RO e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0',
  'EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8dc 0',
  'EVALSHA short 0',
  'EVALSHA short x',
  'EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db x',
  'EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8dc x',
  'SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db nosuch E0E1F9FABFC9D4800C877A703B823AC0578FF8DB',
  'SCRIPT EXISTS',
  'SCRIPT FLUSH SOON',
  'SCRIPT FLUSH SYNC x',
  'SCRIPT FLUSH',
  'SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db',
  'EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8db 0',
  'EVAL "return 1" 0',
  'SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db',
  'SCRIPT FLUSH ASYNC',
  'SCRIPT FLUSH sync',
  'SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db',
  'SCRIPT KILL',
  'SCRIPT DEBUG NO',
  'SCRIPT DEBUG maybe',
  'SCRIPT HELP',
  'SCRIPT',
  'SCRIPT NOSUCH',
  'SCRIPT LOAD',
]);

compareCases('the first line sets the flags of a script', [
  ['EVAL', '#!lua\nreturn redis.call("set", "a", 1)', '0'],
  ['EVAL', '#!lua flags=no-writes\nreturn redis.call("set", "a", 1)', '0'],
  ['EVAL', '#!lua flags=no-writes\nreturn redis.call("get", "a")', '0'],
  ['EVAL', '#!lua flags=no-writes,allow-oom,allow-stale,no-cluster,allow-cross-slot-keys\nreturn 1', '0'],
  ['EVAL', '#!lua flags=\nreturn 1', '0'],
  ['EVAL', '#!lua flags=nosuch\nreturn 1', '0'],
  ['EVAL', '#!lua flags=no-writes,\nreturn 1', '0'],
  ['EVAL', '#!lua name=x\nreturn 1', '0'],
  ['EVAL', '#!python\nreturn 1', '0'],
  ['EVAL', '#!\nreturn 1', '0'],
  ['EVAL', '#! lua\nreturn 1', '0'],
  ['EVAL', '#!LUA\nreturn 1', '0'],
  ['EVAL', '#!lua return 1', '0'],
  ['EVAL', '#!lua\nreturn 1', '0'],
  ['EVAL', '#!lua "x\nreturn 1', '0'],
  ['EVAL', '#!lua\n\nerror("third line")', '0'],
  ['EVAL', '#!lua\nreturn x', '0'],
]);

compareCases('read-only scripts cannot write', [
  'SET a 1',
  ['EVAL_RO', 'return redis.call("get", KEYS[1])', '1', 'a'],
  ['EVAL_RO', 'return redis.call("set", KEYS[1], 2)', '1', 'a'],
  ['EVAL_RO', 'return redis.pcall("del", KEYS[1])', '1', 'a'],
  ['EVAL_RO', 'return redis.call("publish", "c", "m")', '0'],
  ['EVAL_RO', 'return redis.call("pfcount", "c")', '0'],
  ['EVAL_RO', '#!lua\nreturn 1', '0'],
  ['EVAL_RO', '#!lua flags=no-writes\nreturn 1', '0'],
  'GET a',
  'EVAL_RO "return 1"',
]);

compareCases('a script selects its own database', [
  evaluate('redis.call("select", 5) return redis.call("set", "k", "five")'),
  'GET k',
  'SELECT 5',
  'GET k',
  evaluate('return redis.call("get", "k")'),
  'FLUSHALL',
]);

compareCases('a script in a transaction', [
  'MULTI',
  evaluate('return redis.call("incr", "n")'),
  evaluate('return redis.call("nosuch")'),
  evaluate('return redis.call("blpop", "none", 0)'),
  'EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8dc 0',
  'EXEC',
  'WATCH n',
  evaluate('return redis.call("incr", "n")'),
  'MULTI',
  'PING',
  'EXEC',
]);

compareCases('waiting clients are served when the script ends', [
  start('a', 'BLPOP l 0'),
  start('b', 'BLPOP l 0'),
  evaluate('redis.call("rpush", "l", 1) redis.call("rpush", "l", 2) return redis.call("llen", "l")'),
  receive('a'),
  receive('b'),
  start('a', 'BLPOP l 0'),
  evaluate('redis.call("rpush", "l", 1) redis.call("lpop", "l") return redis.call("llen", "l")'),
  silent('a'),
  'RPUSH l x',
  receive('a'),
]);

compareCases('messages of a script arrive', [
  on('listener', 'SUBSCRIBE c'),
  evaluate('return redis.call("publish", "c", "hello")'),
  receive('listener'),
]);

compareCases('the keys of a script are tracked', [
  on('t', 'HELLO 3', { ignore: 'ids differ' }),
  on('t', 'CLIENT TRACKING ON'),
  on('t', ['EVAL', 'return redis.call("get", "other")', '1', 'given']),
  'SET other 1',
  silent('t'),
  'SET given 1',
  receive('t'),
  on('t', ['EVAL_RO', 'return redis.call("get", "other")', '1', 'given']),
  'SET given 1',
  receive('t'),
  on('t', ['EVAL', 'return 1', '1', 'given']),
  'SET given 1',
  silent('t'),
]);

compareCases('scripts publish keyspace events', [
  'CONFIG SET notify-keyspace-events KEA',
  on('listener', 'PSUBSCRIBE __key*'),
  evaluate('redis.call("set", "a", 1) redis.call("del", "a") return 1'),
  receive('listener', 4),
]);

compareCases('the time does not change during a script', [
  evaluate('redis.call("set", "k", 1, "px", 1) for i = 1, 2000000 do end return redis.call("get", "k")'),
  near(evaluate('redis.call("set", "k", 1, "ex", 100) return redis.call("ttl", "k")'), 10),
]);

compareCases('statistics count commands of scripts', [
  'CONFIG RESETSTAT',
  evaluate('redis.call("set", "a", "x") redis.pcall("incr", "a") redis.pcall("nosuch") return 1'),
  evaluate('return redis.call("incr", "a")'),
  evaluate('error("x")'),
  evaluate('return {err="MINE x"}'),
  'INFO errorstats',
  {
    send: 'INFO commandstats',
    normalise: callCounts,
  },
]);

/** The statistics of the commands that run scripts, and of those that the scripts call here. */
function callCounts({ raw }: Reply): string[] {
  return raw
    .toString('latin1')
    .split('\r\n')
    .map((line) =>
      /^cmdstat_(set|incr|select|eval\w*|fcall):calls=(\d+).*(rejected_calls=\d+,failed_calls=\d+)/.exec(
        line,
      ),
    )
    .flatMap((match) => (match === null ? [] : [match.slice(1).join(' ')]))
    .sort();
}

compareCases(
  'a script fails with each error that it returns, and with none that it catches',
  [
    "return redis.call('select', 99)",
    "redis.pcall('select', 99) return 1",
    "return redis.pcall('select', 99)",
    "return redis.call('nosuch')",
    "return redis.pcall('nosuch')",
    "redis.pcall('nosuch') return 1",
    "return redis.call('set')",
    "redis.pcall('set') return 1",
    'return redis.call()',
    'redis.pcall() return 1',
    "return redis.error_reply('MY error')",
    "error('x')",
    "error({err = 'MY error'})",
    'x =',
    "redis.pcall('select', 99) return redis.call('select', 99)",
    "error(redis.pcall('select', 99))",
    "return {redis.pcall('select', 99), redis.pcall('select', 99)}",
    "return {redis.error_reply('A b'), redis.error_reply('C d')}",
    "return {redis.pcall('select', 99), redis.error_reply('C d')}",
  ].flatMap((script): Case[] => [
    'CONFIG RESETSTAT',
    ['EVAL', script, 0],
    ['EVAL_RO', script, 0],
    { send: 'INFO commandstats', normalise: callCounts },
    'INFO errorstats',
  ]),
);

compareCases('scripts that write are refused while replicas are missing', [
  'SET x 1',
  'CONFIG SET min-replicas-to-write 1',
  ['EVAL', "return redis.call('GET', 'x')", 1, 'x'],
  ['EVAL', "return redis.call('SET', 'x', 2)", 1, 'x'],
  ['EVAL', "return redis.pcall('SET', 'x', 2)", 1, 'x'],
  ['EVAL', "#!lua\nreturn redis.call('GET', 'x')", 1, 'x'],
  ['EVAL', "#!lua flags=no-writes\nreturn redis.call('GET', 'x')", 1, 'x'],
  ['EVAL_RO', "return redis.call('GET', 'x')", 1, 'x'],
]);

compareCases('deep recursion and large values end the script', [
  {
    send: evaluate('local function f(n) return 1 + f(n + 1) end return f(1)'),
    typeOnly: 'stacks differ in depth',
  },
  { send: evaluate('return string.rep("x", 2^40)'), typeOnly: 'what fits differs' },
  'PING',
]);

compareCases('a stack that overflows leaves no command half executed', [
  {
    send: evaluate(
      'local function f(n) redis.call("hset", "h", n, n) redis.call("rpush", "l", n) return 1 + f(n + 1) end return f(1)',
    ),
    typeOnly: 'stacks differ in depth',
  },
  evaluate('return redis.call("hlen", "h") == redis.call("llen", "l")'),
  evaluate('return redis.call("hlen", "h") > 1000'),
]);

compareCases('scripts return all pairs of HGETALL', [
  'HSET h a 1 b 2 c 3',
  unordered(evaluate('return redis.call("hgetall", "h")'), 'pairs'),
  ignore(evaluate('return redis.call("time")'), 'the time'),
]);
