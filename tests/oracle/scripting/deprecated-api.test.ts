import { compareCases, serveWith } from '../support/index.js';

serveWith('--lua-enable-deprecated-api', 'yes');

const SCRIPTS = [
  'local f = function() return x end; local g = setfenv(f, {x = 7}); return {f(), g == f and 1 or 0}',
  'local f = function() return 1 end; return type(getfenv(f))',
  'local f = function() y = 5; return y end; local t = {}; setfenv(f, t); return {f(), t.y}',
  'local t = {tostring = tostring}; setfenv(1, t); z = 3; return {tostring(t.z), z}',
  // A function gets the environment of the function that creates it.
  'local make = function() return function() return x end end; setfenv(make, {x = 9}); return make()()',
  'local f = function() return x end; setfenv(f, setmetatable({}, {__index = function(_, k) return k .. "!" end})); return f()',
  'return getfenv() == getfenv(1) and 1 or 0',
  'return getfenv(0) == _G and 1 or 0',
  'return getfenv(redis.call) == _G and 1 or 0',
  'return setfenv(redis.call, {})',
  'return setfenv(function() end)',
  'return setfenv(function() end, 1)',
  'return setfenv({}, {})',
  'return getfenv(-1)',
  'return getfenv(100)',
  'getmetatable(newproxy(true)).__gc = function() return 1 end; return 0',
  'local p = newproxy(true); getmetatable(p).__index = function(_, k) return k end; return {type(p), p.name}',
  'local p = newproxy(true); getmetatable(p).__call = function(_, a) return a + 1 end; return p(4)',
  'local p = newproxy(true); getmetatable(p).__len = function() return 8 end; return #p',
  'local p = newproxy(true); return getmetatable(newproxy(p)) == getmetatable(p) and 1 or 0',
  'return getmetatable(newproxy(false))',
  'return newproxy(7)',
  'return newproxy().x',
  'return cjson.encode(newproxy())',
];

compareCases(
  'functions of Lua that are no longer offered by default',
  SCRIPTS.map((script) => ['EVAL', script, '0']),
);

const LIBRARY =
  "#!lua name=old\nredis.register_function('old', function() local f = function() return x end; setfenv(f, {x = 1}); return f() end)";
compareCases('functions with lua-enable-deprecated-api yes', [
  ['FUNCTION', 'LOAD', LIBRARY],
  ['FCALL', 'old', '0'],
  ['CONFIG', 'GET', 'lua-enable-deprecated-api'],
  ['CONFIG', 'SET', 'lua-enable-deprecated-api', 'no'],
  ['CONFIG', 'GET', 'lua-enable-*'],
]);
