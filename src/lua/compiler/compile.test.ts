import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LuaState, type LuaValue } from '../index.js';
import { displayNameOf } from './compile.js';

function run(source: string): LuaValue[] {
  const state = new LuaState();
  return state.run(state.compile(source, '@user_script'));
}

function messageOf(source: string): string {
  const [, message] = run(`return loadstring(${JSON.stringify(source)}, "=s")`);
  return String(message);
}

describe('the compiler', () => {
  it('keeps the order of evaluation and assignment', () => {
    assert.deepEqual(run('local i, a = 1, {} i, a[i] = i + 1, 20 return i, a[1], a[2]'), [2, 20, undefined]);
    assert.deepEqual(
      run(`local log = "" local function f(n) log = log .. n return n end
           local t = {f(1), f(2), x = f(3)} t[f(4)] = f(5) local _ = f(6) + f(7) * f(8) return log`),
      ['12345678'],
    );
    assert.deepEqual(
      run(
        'local log = "" local ok = pcall(function() local x x(pcall(function() log = "args first" end)) end) return ok, log',
      ),
      [false, 'args first'],
    );
  });

  it('creates new variables for each iteration of a loop', () => {
    const source = `local f = {} for i = 1, 3 do local j = i * 10 f[i] = function() j = j + i return j end end
      return f[1](), f[1](), f[2](), f[3]()`;
    assert.deepEqual(run(source), [11, 12, 22, 33]);
  });

  it('adjusts lists of values', () => {
    assert.deepEqual(
      run('local function f() return 1, 2, 3 end local a, b, c, d = 0, f() return a, b, c, d'),
      [0, 1, 2, 3],
    );
    assert.deepEqual(run('local function f() return 1, 2 end return f(), f()'), [1, 1, 2]);
    assert.deepEqual(run('local function f() return 1, 2 end return (f())'), [1]);
    assert.deepEqual(run('local function f() end return f()'), []);
    assert.deepEqual(run('local function f() end return (f())'), [undefined]);
    assert.deepEqual(
      run('local function f(...) return select("#", ...) end return f(nil, nil), f(f()), f((f()))'),
      [2, 1, 1],
    );
  });

  it("reports syntax errors with Lua's texts", () => {
    assert.equal(messageOf('if x then'), "s:1: 'end' expected near '<eof>'");
    assert.equal(messageOf('if x then\n\n'), "s:3: 'end' expected (to close 'if' at line 1) near '<eof>'");
    assert.equal(messageOf('x = "abc'), "s:1: unfinished string near '<eof>'");
    assert.equal(messageOf('x = "abc\n"'), "s:1: unfinished string near '\"abc'");
    assert.equal(messageOf('x = 3x'), "s:1: malformed number near '3x'");
    assert.equal(messageOf('x = }'), "s:1: unexpected symbol near '}'");
    assert.equal(messageOf('break'), "s:1: no loop to break near '<eof>'");
    assert.equal(
      messageOf(`local ${Array.from({ length: 201 }, (_, i) => `a${i}`).join(',')}`),
      's:1: main function has more than 200 local variables',
    );
  });

  it('survives deep and long source', () => {
    assert.match(messageOf(`return ${'('.repeat(5000)}1${')'.repeat(5000)}`), /too many syntax levels/);
    assert.deepEqual(run(`return ${'1+'.repeat(1000)}1`), [1001]);
    assert.deepEqual(run(`local t = {${'1,'.repeat(20_000)}} return #t`), [20_000]);
    assert.deepEqual(run(`local x = 0 ${'x = x + 1 '.repeat(3000)} return x`), [3000]);
    assert.deepEqual(
      run(`local x = 5 ${'if x == 1 then return 1 else'.repeat(100)}if x then return 2 end`),
      [2],
    );
  });

  it('names chunks as Lua does', () => {
    assert.equal(displayNameOf('@user_script'), 'user_script');
    assert.equal(displayNameOf('=stdin'), 'stdin');
    assert.equal(displayNameOf('return 1'), '[string "return 1"]');
    assert.equal(displayNameOf('line one\nline two'), '[string "line one..."]');
  });
});
