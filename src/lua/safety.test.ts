import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { stringLiteral } from './compiler/emitter.js';
import { LuaState, LuaSyntaxError, type LuaValue } from './index.js';

function run(source: string): LuaValue[] {
  const state = new LuaState();
  return state.run(state.compile(source, '@user_script'));
}

const JAVASCRIPT_NAMES = [
  'constructor',
  '__proto__',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'caller',
  'arguments',
  'globalThis',
  'process',
  'require',
  'Function',
  'eval',
  'this',
  'undefined',
  'await',
  'yield',
  'let',
  'class',
  'G',
  'B',
  'R',
  'I',
  'va',
  't1',
  's1',
  'v1',
  'index',
  'Array',
];

describe('generated code', () => {
  it('treats names of JavaScript and of the runtime as ordinary Lua names', () => {
    for (const name of JAVASCRIPT_NAMES) {
      assert.deepEqual(run(`return ${name}, _G.${name}, ({}).${name}, ("x").${name}`), [
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
      assert.deepEqual(run(`${name} = 5 local t = {} t.${name} = 6 return ${name}, t.${name}`), [5, 6]);
      assert.deepEqual(
        run(`local ${name} = 7 local function f(${name}) return ${name} end return ${name}, f(8)`),
        [7, 8],
      );
      assert.deepEqual(run(`local t = {${name} = 1, ["${name}"] = 2} return t.${name}`), [2]);
    }
  });

  it('does not let scripts access properties of functions, numbers or booleans', () => {
    for (const value of [
      'type',
      'function() end',
      '1',
      'true',
      'nil',
      'cjson.null',
      'coroutine.create(function() end)',
    ]) {
      const [ok, text] = run(`return pcall(function() return (${value}).constructor end)`);
      assert.equal(ok, false);
      assert.match(String(text), /attempt to index/);
    }
  });

  it('quotes any string constant safely', () => {
    const nasty = [
      "'",
      '"',
      '\\',
      '\n',
      '\r',
      '\u2028',
      '`',
      '$\x7bx}',
      '*/',
      '//',
      '</script>',
      '\0',
      '\x01',
      "');throw 1;('",
    ];
    for (const text of nasty) {
      const latin1 = Buffer.from(text, 'utf8').toString('latin1');
      const escaped = [...latin1]
        .map((character) => `\\${String(character.charCodeAt(0)).padStart(3, '0')}`)
        .join('');
      assert.deepEqual(run(`return "${escaped}"`), [latin1]);
      assert.deepEqual(run(`local t = {["${escaped}"] = 1} return t["${escaped}"]`), [1]);
      if (!latin1.includes('\0') && !latin1.includes('\r'))
        assert.deepEqual(run(`return [==[x${latin1}]==]`), [`x${latin1}`]);
    }
  });

  it('escapes any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const literal = stringLiteral(text);
        assert.match(literal, /^'[\x20-\x7e]*'$/);
        assert.equal(new Function(`return ${literal}`)(), text);
      }),
    );
  });

  it('rejects random source as invalid Lua, or runs it', () => {
    const pieces = fc.constantFrom(
      'local',
      'x',
      '=',
      '1',
      '(',
      ')',
      '{',
      '}',
      '"a"',
      'function',
      'end',
      'return',
      '..',
      '...',
      '+',
      '-',
      'if',
      'then',
      'else',
      'for',
      'in',
      'do',
      'while',
      'repeat',
      'until',
      'break',
      'nil',
      'not',
      'and',
      'or',
      '#',
      ',',
      ';',
      '.',
      ':',
      '[',
      ']',
      '==',
    );
    const state = new LuaState();
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 25 }), (tokens) => {
        try {
          state.compile(tokens.join(' '), '@user_script');
        } catch (error) {
          assert.ok(error instanceof LuaSyntaxError, `${tokens.join(' ')}: ${error}`);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('does not let metamethods or error objects reach the host', () => {
    assert.deepEqual(run('return pcall(error, setmetatable({}, {__index = error}))')[0], false);
    assert.deepEqual(
      run('local t = setmetatable({}, {__tostring = function() return {} end}) return type(tostring(t))'),
      ['table'],
    );
    assert.deepEqual(
      run('return pcall(string.rep, setmetatable({}, {__tostring = function() return "x" end}), 2)')[0],
      false,
    );
    assert.deepEqual(
      run('return select("#", pcall(setmetatable({}, {__call = function(...) return ... end}), 1, 2))'),
      [4],
    );
  });
});
