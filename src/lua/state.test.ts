import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LuaError, LuaState, LuaSyntaxError, LuaTable, type LuaValue } from './index.js';

function run(source: string, state = new LuaState()): LuaValue[] {
  return state.run(state.compile(source, '@user_script'));
}

function errorOf(source: string, state = new LuaState()): LuaError {
  try {
    run(source, state);
  } catch (error) {
    assert.ok(error instanceof LuaError);
    return error;
  }
  return assert.fail(`${source} raised nothing`);
}

describe('LuaState', () => {
  it('runs a compiled chunk repeatedly, with arguments', () => {
    const state = new LuaState();
    const chunk = state.compile('local a, b = ... return a + b, a .. b', '@user_script');
    assert.deepEqual(state.run(chunk, 1, 2), [3, '12']);
    assert.deepEqual(state.run(chunk, 5, 6), [11, '56']);
  });

  it('finds globals and fields of libraries again that have moved, gone or come', () => {
    const state = new LuaState();
    const chunk = state.compile('return wanted, library.field', '@user_script');
    const fill = (from: number, to: number) =>
      run(`for i = ${from}, ${to} do _G['g' .. i] = i library['g' .. i] = i end`, state);
    run('library = {}', state);
    fill(1, 50);
    run('wanted, library.field = 1, 2', state);
    assert.deepEqual(state.run(chunk), [1, 2]);
    // Removing most keys and adding others packs the rest.
    run("for i = 1, 50 do _G['g' .. i] = nil library['g' .. i] = nil end", state);
    fill(51, 90);
    assert.deepEqual(state.run(chunk), [1, 2]);
    run('wanted, library.field = nil, nil', state);
    assert.deepEqual(state.run(chunk), [undefined, undefined]);
    run('wanted, library = 3, { 1, other = 5, field = 4 }', state);
    assert.deepEqual(state.run(chunk), [3, 4]);
  });

  it('keeps states apart', () => {
    const [one, other] = [new LuaState(), new LuaState()];
    run('x = 1; string.mine = 2', one);
    assert.deepEqual(run('return x, string.mine', other), [undefined, undefined]);
    assert.deepEqual(run('return x, ("s").mine', one), [1, 2]);
  });

  it('reports an error with its position', () => {
    const error = errorOf('local t = {}\n\nt.x.y = 1');
    assert.equal(error.value, "user_script:3: attempt to index field 'x' (a nil value)");
    assert.deepEqual(error.place, { chunkName: '@user_script', line: 3 });
  });

  it('passes on errors of any type', () => {
    const { value } = errorOf('error({ code = 7 })');
    assert.ok(value instanceof LuaTable);
    assert.equal(value.get('code'), 7);
  });

  it('rejects source that is not Lua', () => {
    assert.throws(() => new LuaState().compile('x x', '@user_script'), {
      constructor: LuaSyntaxError,
      message: "user_script:1: '=' expected near 'x'",
    });
  });

  it('lets the host add functions, which fail with the position of their call', () => {
    const state = new LuaState();
    state.registerFunction('double', (...args) => (args[0] as number) * 2);
    state.registerFunction('refuse', () => state.fail('refused'));
    state.registerFunction('check', () => state.failArgument(1, 'string expected, got nil'));
    assert.deepEqual(run('return double(21)', state), [42]);
    assert.equal(errorOf('\nrefuse()', state).value, 'user_script:2: refused');
    assert.equal(
      errorOf('check()', state).value,
      "user_script:1: bad argument #1 to 'check' (string expected, got nil)",
    );
    assert.deepEqual(run('return pcall(refuse)', state), [false, 'refused']);
  });

  it('protects tables and the tables in them from every kind of assignment', () => {
    const state = new LuaState();
    state.protect(state.globals);
    const text = 'Attempt to modify a readonly table';
    for (const source of ['x = 1', 'string.x = 1', '_G.print = 1', 'math.pi = 3', 'string = nil']) {
      assert.equal(errorOf(source, state).value, `user_script:1: ${text}`);
    }
    for (const source of ['rawset(_G, "x", 1)', 'setmetatable(_G, {})', 'table.insert(math, 1)']) {
      assert.equal(errorOf(source, state).value, text);
    }
    assert.deepEqual(run('local t = {} t.x = 1 return t.x', state), [1]);
  });

  it('calls the host repeatedly while a script runs, and the script cannot catch the error that ends it', () => {
    class Killed extends Error {}
    let asked = 0;
    const state = new LuaState({
      onBudget: () => {
        if (++asked === 3) throw new Killed();
      },
    });
    const endless = [
      'while true do end',
      'repeat until false',
      'for i = 1, math.huge do end',
      'for _ in function() return 1 end do end',
      'while true do pcall(function() while true do end end) end',
      'local function f() return f() end f()',
      'local function f() f() f() end pcall(f) while true do pcall(f) end',
      'local co = coroutine.wrap(function() while true do coroutine.yield() end end) while true do co() end',
      'xpcall(function() while true do end end, function() return "caught" end)',
    ];
    for (const source of endless) {
      asked = 0;
      assert.throws(() => run(source, state), Killed, source);
    }
    assert.deepEqual(run('return 1', state), [1]);
  });

  it('calls the host earlier when long strings are created', () => {
    let asked = 0;
    const state = new LuaState({ onBudget: () => asked++ });
    run('for i = 1, 10 do local s = ("x"):rep(7e6 + i) end', state);
    assert.ok(asked >= 10);
  });

  it('calls the host earlier when errors are raised', () => {
    let asked = 0;
    const state = new LuaState({ onBudget: () => asked++ });
    run('for i = 1, 1000 do pcall(error, "x") pcall(nil) end', state);
    assert.ok(asked >= 2, `${asked} times`);
  });

  it('lets the host raise an error that a script can catch', () => {
    const state = new LuaState({
      onBudget: () => {
        throw new LuaError('not enough memory');
      },
    });
    assert.deepEqual(run('return pcall(function() while true do end end)', state), [
      false,
      'not enough memory',
    ]);
  });

  it('turns exhausted memory and stack into errors', () => {
    assert.equal(errorOf('return ("x"):rep(1e9)').value, 'not enough memory');
    assert.equal(errorOf('local s = ("x"):rep(1e6) while true do s = s .. s end').value, 'not enough memory');
    assert.equal(
      errorOf('local function f() return 1 + f() end\nreturn f()').value,
      'user_script:1: stack overflow',
    );
    assert.deepEqual(run('local function f() return 1 + f() end return pcall(f)')[0], false);
    assert.equal(
      errorOf('local t = {} t[1] = t return cjson.encode(t)').value,
      'user_script:1: Cannot serialise, excessive nesting (1001)',
    );
  });

  it('calls functions that a script returned', () => {
    const state = new LuaState();
    const [fn] = run('local n = 0 return function(step) n = n + step return n, "x" end', state);
    assert.deepEqual(state.call(fn, 2), [2, 'x']);
    assert.deepEqual(state.call(fn, 3), [5, 'x']);
  });

  it('shows the position of a built-in function called in tail position, after any number of tail calls', () => {
    const state = new LuaState();
    state.registerFunction('refuse', () => state.fail('refused'));
    const source = `local function f() return refuse() end
      for i = 1, 1000 do local _, text = pcall(f) if text ~= "user_script:1: refused" then return i, text end end`;
    assert.deepEqual(run(source, state), []);
  });

  it('allows unlimited tail calls, whether Lua or JavaScript made the first call', () => {
    const source = `
      local function loop(n) if n == 0 then return "a", "b" end return loop(n - 1) end
      local t = {loop(1000)}
      local first = (loop(1000))
      loop(1000)
      return #t, first, select("#", loop(1000)), pcall(loop, 1000)`;
    assert.deepEqual(run(source), [2, 'a', 2, true, 'a', 'b']);
  });
});
