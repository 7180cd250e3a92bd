import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { methodOf } from '../../scripts/store-commands/method.js';
import { typedCommands } from '../../scripts/store-commands/table.js';
import { Bytes, Engine, RespWriter, silentSink } from '../../src/engine/index.js';
import type { CommandRunner, WireCommand } from '../../src/store/command-runner.js';
import { type Commands, mixCommands } from '../../src/store/commands/index.js';
import { StoreError } from '../../src/store/store-error.js';
import type { Argument } from '../../src/store/value.js';
import { cases, type SyncShape } from './wire-cases.js';

/** Gives the words that a call sends. */
class Recorder implements CommandRunner {
  run({ words }: WireCommand, args: readonly Argument[]): readonly Argument[] {
    return [...words, ...args];
  }
}
mixCommands(Recorder.prototype);

const recorder: unknown = new Recorder();
const store = recorder as Commands<SyncShape>;

describe('a typed command', () => {
  for (const [call, words] of cases) {
    it(`sends ${words}`, () => {
      assert.equal((call(store) as Argument[]).join(' '), words);
    });
  }

  it('is tried with each of its options', () => {
    const tried = new Set<string>();
    const watched = new Proxy(store, {
      get:
        (_, name: string) =>
        (...args: unknown[]) => {
          const last = args.at(-1);
          if (typeof last !== 'object' || last === null) return;
          for (const option of Object.keys(last)) tried.add(`${name}.${option}`);
        },
    });
    for (const [call] of cases) call(watched);
    const existing = [...typedCommands().values()].flat().flatMap(([command, row]) => {
      const { name, options } = methodOf(command, row);
      return (options?.names ?? []).map((option) => `${name}.${option}`);
    });
    assert.ok(existing.length > 150);
    assert.deepEqual(
      existing.filter((option) => !tried.has(option)),
      [],
    );
  });

  it('is understood by the engine in all these forms', () => {
    const engine = new Engine();
    const misunderstood: string[] = [];
    for (const [call, words] of cases) {
      const args = (call(store) as Argument[]).map((word) => Bytes.of(String(word)));
      const writer = new RespWriter();
      const session = engine.openSession(silentSink);
      engine.beginTurn();
      engine.execute(session, args, args.length, writer);
      engine.endTurn();
      engine.closeSession(session);
      const reply = writer.copyFrom(0).toString();
      if (/^-ERR (syntax|wrong number|unknown|Unrecognized|Unknown|.*not an integer)/.test(reply))
        misunderstood.push(`${words}: ${reply}`);
    }
    engine.close();
    assert.deepEqual(misunderstood, []);
  });

  it('sends bytes, numbers and big integers as they are given', () => {
    const bytes = Uint8Array.of(0, 255);
    const words: unknown = store.set(bytes, 2n ** 63n);
    assert.deepEqual(words, ['SET', bytes, 2n ** 63n]);
    const more: unknown = store.del(bytes);
    assert.deepEqual(more, ['DEL', bytes]);
  });
});

describe('mixCommands', () => {
  it('runs the example of its documentation', () => {
    const words: unknown = store.zrange('ranking', 0, -1, { rev: true });
    assert.deepEqual(words, ['ZRANGE', 'ranking', 0, -1, 'REV']);
  });

  it('replaces nothing', () => {
    const taken = Object.assign(new Recorder(), { name: 'taken' });
    assert.throws(() => mixCommands(taken), /it is the name of a command/);
  });
});

describe('options', () => {
  const refused = (call: () => unknown, message: RegExp): void => {
    assert.throws(
      call,
      (error) => error instanceof StoreError && error.code === 'OPTION' && message.test(error.message),
    );
  };
  /** As a program without types would call it. */
  const untyped = recorder as Record<string, (...args: unknown[]) => unknown>;
  const call = (name: string, ...args: unknown[]): unknown => Reflect.apply(untyped[name]!, store, args);

  it('that are misspelt are refused, with the names of those that exist', () => {
    refused(
      () => call('zrange', 'z', 0, 1, { withscores: true }),
      /zrange has no option 'withscores'.*withScores/,
    );
    refused(() => call('set', 'k', 'v', { EX: 10 }), /set has no option 'EX'.*nx, xx, get, ex/);
    refused(() => call('zadd', 'z', [{ score: 1, member: 'm' }], { NX: true }), /zadd has no option 'NX'/);
    refused(() => call('hrandfield', 'h', 1, { withvalues: true }), /hrandfield has no option/);
  });

  it('of options are checked too', () => {
    refused(
      () => call('zrange', 'z', 0, 1, { limit: { ofset: 0, count: 1 } }),
      /limit has no option 'ofset'.*offset, count/,
    );
    refused(() => call('xinfoStream', 'x', { full: { cuont: 1 } }), /full has no option 'cuont'/);
  });

  it('must be an object', () => {
    refused(
      () => call('zrange', 'z', 0, 1, 'WITHSCORES'),
      /the options of zrange must be an object with these fields: byScore/,
    );
    refused(() => call('set', 'k', 'v', null), /the options of set must be an object/);
    refused(() => call('set', 'k', 'v', ['NX']), /the options of set must be an object/);
  });

  it('that are mistaken are refused in the way of the store, where it has one', () => {
    const errors: StoreError[] = [];
    const runner = Object.assign(new Recorder(), { refuse: (error: StoreError) => errors.push(error) });
    Reflect.apply(untyped['zrange']!, runner, ['z', 0, 1, { wrong: 1 }]);
    assert.deepEqual(
      errors.map(({ code }) => code),
      ['OPTION'],
    );
  });
});

describe('commands that wait', () => {
  it('say so, XREAD only with BLOCK', () => {
    const waits: string[] = [];
    const runner = {
      run({ words, blocks = false }: WireCommand, args: readonly Argument[]): void {
        if (typeof blocks === 'function' ? blocks(args) : blocks) waits.push(words.join(' '));
      },
    };
    mixCommands(runner);
    const mixed: object = runner;
    const asked = mixed as Commands<SyncShape>;
    asked.blpop('l', 1);
    asked.lpop('l');
    asked.xread({ BLOCK: '0' });
    asked.xread({ x: '0' }, { block: 0 });
    asked.bzpopmin('z', 1);
    asked.get('k');
    assert.deepEqual(waits, ['BLPOP', 'XREAD', 'BZPOPMIN']);
  });
});
