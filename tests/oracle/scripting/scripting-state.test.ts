import { compareCases, on, receive } from '../support/index.js';
import type { Reply } from '../support/reply.js';

compareCases('scripts above the memory limit', [
  'SET a 1',
  'CONFIG SET maxmemory 1',
  "EVAL \"return redis.call('set', 'b', 1)\" 0",
  "EVAL \"return redis.pcall('set', 'b', 1)\" 0",
  "EVAL \"return redis.call('get', 'a')\" 0",
  "EVAL \"redis.call('del', 'nothing') return redis.call('set', 'b', 1)\" 0",
  "EVAL \"redis.pcall('set', 'c', 1) return redis.pcall('set', 'd', 1)\" 0",
  ['EVAL', '#!lua\nreturn redis.call("get", "a")', '0'],
  ['EVAL', '#!lua flags=allow-oom\nreturn redis.call("set", "b", 1)', '0'],
  ['EVAL', '#!lua flags=no-writes\nreturn redis.call("get", "a")', '0'],
  ['EVAL_RO', 'return redis.call("get", "a")', '0'],
  ['FUNCTION', 'LOAD', '#!lua name=x\nredis.register_function("f", function() return 1 end)'],
  'CONFIG SET maxmemory 0',
  [
    'FUNCTION',
    'LOAD',
    '#!lua name=x\nredis.register_function("f", function() return 1 end)\n' +
      'redis.register_function{function_name="g", callback=function() return redis.call("set", "g", 1) end, flags={"allow-oom"}}\n' +
      'redis.register_function{function_name="h", callback=function() return redis.call("get", "g") end, flags={"no-writes"}}',
  ],
  'CONFIG SET maxmemory 1',
  'FCALL f 0',
  'FCALL g 0',
  'FCALL h 0',
  'FCALL_RO h 0',
  'CONFIG SET maxmemory 0',
  'FCALL f 0',
]);

const withoutTime = (reply: Reply): string =>
  reply.raw
    .toString('latin1')
    .replace(/^\+\d+\.\d+/, '+time')
    .replace(/\d+\.\d+\.\d+\.\d+:\d+/, 'address');

compareCases('monitors see a script and then its commands', [
  'PING', // the monitor would see the opening of this connection
  on('m', 'MONITOR'),
  ['EVAL', 'redis.call("select", 2) redis.call("set", KEYS[1], 5) return redis.pcall("nosuch")', '1', 'k'],
  receive('m', 3, { normalise: withoutTime }),
  'EVALSHA e0e1f9fabfc9d4800c877a703b823ac0578ff8dc 0',
  receive('m', 1, { normalise: withoutTime }),
  'FCALL nosuch 0',
  receive('m', 1, { normalise: withoutTime }),
  'EVAL "return 1" x',
  receive('m', 1, { normalise: withoutTime }),
]);

compareCases('commands of scripts are in the slow log', [
  'CONFIG SET slowlog-log-slower-than 0',
  'SLOWLOG RESET',
  'EVAL "return redis.call(\'set\', KEYS[1], 1)" 1 a',
  'CONFIG SET slowlog-log-slower-than -1',
  {
    send: 'SLOWLOG GET 10',
    normalise: (reply) =>
      [...reply.raw.toString('latin1').matchAll(/\$\d+\r\n([a-zA-Z]+)\r\n/g)].map((match) => match[1]),
  },
]);

const own = (script: string) => ['EVAL', script, '1', 'key', 'argument'];

compareCases('a script sees its own keys and arguments, however it accesses them', [
  ['EVAL', 'return {KEYS, ARGV}', '2', 'a', 'b', 'c', 'd'],
  own('return 1'),
  own('return {_G["KEY" .. "S"], _G["ARG" .. "V"]}'),
  own('return 1'),
  own('return loadstring("return {KE" .. "YS, AR" .. "GV}")()'),
  own('local source = {"return KE", "YS[1]"} return load(function() return table.remove(source, 1) end)()'),
  own('for name, value in pairs(_G) do if name == "KEY" .. "S" then return value end end'),
  own('return getfenv(0)["KEY" .. "S"]'),
  own('return KEYS[1] .. ARGV[1]'),
]);
