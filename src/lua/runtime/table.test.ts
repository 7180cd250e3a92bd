import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LuaTable, TableCursor } from './table.js';
import type { LuaValue } from './value.js';

function entries(table: LuaTable): [LuaValue, LuaValue][] {
  const list: [LuaValue, LuaValue][] = [];
  for (const cursor = new TableCursor(table, undefined); cursor.advance(); )
    list.push([cursor.key, cursor.value]);
  return list;
}

describe('LuaTable', () => {
  it('has the same content as a Map after random assignments', () => {
    const key = fc.oneof(
      fc.integer({ min: -3, max: 20 }),
      fc.constantFrom('a', 'b', 'c', '1', '__proto__', 1.5, 2 ** 40, true, false),
    );
    const value = fc.option(fc.nat(), { nil: undefined });
    fc.assert(
      fc.property(fc.nat(6), fc.array(fc.tuple(key, value), { maxLength: 60 }), (elements, steps) => {
        const table = new LuaTable(Array.from({ length: elements }, (_, i) => i));
        const model = new Map<LuaValue, number>(Array.from({ length: elements }, (_, i) => [i + 1, i]));
        for (const [at, content] of steps) {
          table.set(at, content);
          if (content === undefined) model.delete(at);
          else model.set(at, content);
        }
        for (const [at] of steps) assert.equal(table.get(at), model.get(at));
        const visited = entries(table);
        assert.equal(visited.length, model.size);
        for (const [at, content] of visited) assert.equal(content, model.get(at));
        const border = table.length();
        assert.ok(border === 0 || table.get(border) !== undefined);
        assert.equal(table.get(border + 1), undefined);
      }),
      { numRuns: 3000 },
    );
  });

  it('visits every key when asked only for the next key', () => {
    const table = new LuaTable(['x', 'y'], 0);
    for (let i = 0; i < 30; i++) table.set(`k${i}`, i);
    const keys: LuaValue[] = [];
    let key: LuaValue;
    for (;;) {
      const cursor = new TableCursor(table, key);
      if (!cursor.advance()) break;
      key = cursor.key;
      keys.push(key);
    }
    assert.deepEqual(
      keys,
      entries(table).map(([at]) => at),
    );
    assert.equal(keys.length, 32);
  });

  it('allows removing the visited key', () => {
    const table = new LuaTable([1, 2, 3, 4]);
    for (let i = 0; i < 50; i++) table.set(`k${i}`, i);
    let visits = 0;
    for (const cursor = new TableCursor(table, undefined); cursor.advance(); visits++)
      table.set(cursor.key, undefined);
    assert.equal(visits, 54);
    assert.deepEqual(entries(table), []);
  });

  it('does not grow when keys are added and removed', () => {
    const table = new LuaTable();
    for (let i = 0; i < 10_000; i++) {
      table.set(`k${i}`, i);
      table.set(`k${i}`, undefined);
    }
    assert.ok(table.keys.length < 100);
  });

  it('moves elements from the hash part once the gap before them is closed', () => {
    const table = new LuaTable();
    for (let i = 100; i >= 1; i--) table.set(i, i);
    assert.equal(table.array.length, 100);
    assert.equal(table.length(), 100);
  });
});
