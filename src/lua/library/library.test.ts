import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LuaState, type LuaValue } from '../index.js';

function run(source: string): LuaValue[] {
  const state = new LuaState();
  return state.run(state.compile(source, '@user_script'));
}

describe('the libraries', () => {
  it('are those of Redis', () => {
    const [names] = run(
      'local t = {} for k in pairs(_G) do t[#t+1] = k end table.sort(t) return table.concat(t, " ")',
    );
    assert.equal(
      names,
      '_G _VERSION assert bit cjson cmsgpack collectgarbage coroutine error gcinfo getmetatable ipairs load loadstring ' +
        'math next pairs pcall rawequal rawget rawset select setmetatable string struct table tonumber tostring type unpack xpcall',
    );
  });

  it('match patterns', () => {
    assert.deepEqual(run('return ("key = value"):match("^(%w+)%s*=%s*(%w+)$")'), ['key', 'value']);
    assert.deepEqual(run('return ("f(a(b)c)d"):match("%b()"), ("THE fox"):find("%f[%l]%l+")'), [
      '(a(b)c)',
      5,
      7,
    ]);
    assert.deepEqual(run('return ("abc"):gsub("", "-")'), ['-a-b-c-', 4]);
    assert.deepEqual(run('return pcall(string.find, "x", "[a")'), [false, "malformed pattern (missing ']')"]);
  });

  it('format numbers and strings', () => {
    assert.deepEqual(run('return string.format("%5.1f|%-5d|%05d|%x|%q", 1.25, 42, 42, 255, "a\\n")'), [
      '  1.2|42   |00042|ff|"a\\\n"',
    ]);
  });

  it('compare in the same order as Lua when sorting', () => {
    const source = `local log = {} local t = {4, 2, 5, 1, 3}
      table.sort(t, function(a, b) log[#log + 1] = a .. b return a < b end)
      return table.concat(t, " "), table.concat(log, " ")`;
    assert.deepEqual(run(source), ['1 2 3 4 5', '34 53 45 24 14 44 41 13 21 32']);
  });

  it('generate the same random numbers as Redis after it starts', () => {
    assert.deepEqual(run('return math.random(1000), math.random(1000), math.random(1000)'), [397, 841, 354]);
    assert.deepEqual(run('math.randomseed(0) return math.random(1000), math.random(1000)'), [171, 750]);
  });

  it('read and write JSON', () => {
    assert.deepEqual(run('return cjson.encode({a = 1, b = {1, 2, cjson.null}, c = {}})'), [
      '{"a":1,"c":{},"b":[1,2,null]}',
    ]);
    assert.deepEqual(run(`local t = cjson.decode('{"x":[1,2,{"y":"\\\\u00e9"}]}') return #t.x, t.x[3].y`), [
      3,
      'Ã©',
    ]);
    assert.deepEqual(run('return pcall(cjson.decode, "[1,")'), [
      false,
      'Expected value but found T_END at character 4',
    ]);
  });

  it('read and write MessagePack', () => {
    assert.deepEqual(run('return cmsgpack.pack({1, -1, 300, 1.5, "x", {a = true}})'), [
      '\x96\x01\xff\xcd\x01\x2c\xca\x3f\xc0\x00\x00\xa1x\x81\xa1a\xc3',
    ]);
    assert.deepEqual(
      run('local t = cmsgpack.unpack(cmsgpack.pack({1, {2, {a = 3}}})) return t[2][2].a'),
      [3],
    );
  });

  it('pack structures and combine bits', () => {
    assert.deepEqual(run('return struct.pack(">I2s", 258, "a"), struct.unpack("<h", "\\254\\255")'), [
      '\x01\x02a\0',
      -2,
      3,
    ]);
    assert.deepEqual(run('return bit.band(12, 10), bit.bnot(0), bit.tohex(255), bit.lshift(1, 31)'), [
      8,
      -1,
      '000000ff',
      -(2 ** 31),
    ]);
  });

  it('suspend and resume coroutines', () => {
    const source = `local co = coroutine.create(function(a) local b = coroutine.yield(a + 1) return b * 2 end)
      local _, x = coroutine.resume(co, 1) local _, y = coroutine.resume(co, 10) return x, y, coroutine.status(co)`;
    assert.deepEqual(run(source), [2, 20, 'dead']);
    assert.deepEqual(run('return pcall(coroutine.yield, 1)'), [
      false,
      'attempt to yield across metamethod/C-call boundary',
    ]);
  });
});
