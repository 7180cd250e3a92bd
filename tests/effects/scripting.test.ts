import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bytes } from '../../src/bytes/bytes.js';
import type { OutputSink } from '../../src/commands/session.js';
import { Engine } from '../../src/engine/engine.js';
import type { EffectCommand } from '../../src/keyspace/effects.js';
import { RespWriter } from '../../src/resp/resp-writer.js';
import { RecordedEngine } from './support.js';

const NO_OUTPUT: OutputSink = { send() {}, close() {}, pending: 0, resume() {} };

/** The command with its database, and its only destination if there is just one. */
function shown({ db, argv, onlyForFile, onlyForReplicas }: EffectCommand): string {
  const destination = onlyForFile ? ' (file)' : onlyForReplicas ? ' (replicas)' : '';
  return `${db}: ${argv.map((word) => word.toString('latin1')).join(' ')}${destination}`;
}

/** Runs the commands and returns, for each, the recorded batches: lists of commands with their database. */
function batchesOf(...commands: readonly (readonly string[])[]): string[][][] {
  const engine = new Engine();
  const session = engine.openSession(NO_OUTPUT);
  const writer = new RespWriter();
  let batches: string[][] = [];
  engine.keyspace.effects.subscribe({
    batch(recorded) {
      batches.push(recorded.map(shown));
    },
  });
  return commands.map((words) => {
    batches = [];
    engine.beginTurn();
    engine.execute(
      session,
      words.map((word) => Bytes.of(word)),
      words.length,
      writer,
    );
    engine.endTurn();
    writer.reset();
    return batches;
  });
}

describe('a script is recorded', () => {
  it('as the commands that changed something, in one batch', () => {
    assert.deepEqual(
      batchesOf(
        [
          'EVAL',
          'redis.call("set", KEYS[1], 1) redis.call("get", KEYS[1]) return redis.call("incrby", KEYS[1], 5)',
          '1',
          'a',
        ],
        ['EVAL', 'return redis.call("set", "b", ARGV[1])', '0', 'x'],
        ['EVAL', 'return redis.call("get", "b")', '0'],
        ['EVAL', 'return 1', '0'],
      ),
      [[['0: set a 1', '0: incrby a 5']], [['0: set b x']], [], []],
    );
  });

  it('with its commands before an error', () => {
    assert.deepEqual(
      batchesOf([
        'EVAL',
        'redis.call("set", "a", 1) redis.call("incr", "a", "b") redis.call("set", "c", 1)',
        '0',
      ]),
      [[['0: set a 1']]],
    );
  });

  it('in the databases that it selects', () => {
    assert.deepEqual(
      batchesOf(
        ['EVAL', 'redis.call("set", "a", 1) redis.call("select", 3) redis.call("set", "b", 1)', '0'],
        ['SET', 'c', '1'],
      ),
      [[['0: set a 1', '3: set b 1']], [['0: SET c 1']]],
    );
  });

  it('with the members that were chosen at random', () => {
    assert.deepEqual(
      batchesOf(['EVAL', 'redis.call("sadd", "s", "x") return redis.call("spop", "s")', '0']),
      [[['0: sadd s x', '0: SREM s x']]],
    );
  });

  it('not at all if it disables recording', () => {
    assert.deepEqual(
      batchesOf([
        'EVAL',
        'redis.set_repl(redis.REPL_NONE) redis.call("set", "a", 1) redis.set_repl(redis.REPL_ALL) redis.call("set", "b", 1)',
        '0',
      ]),
      [[['0: set b 1']]],
    );
  });

  it('only for the file or only for replicas, if it sets that', () => {
    const script = `redis.set_repl(redis.REPL_AOF) redis.call("set", "a", 1) redis.call("publish", "c", "m")
      redis.set_repl(redis.REPL_REPLICA) redis.call("set", "b", 1) redis.call("sadd", "s", "x") redis.call("spop", "s")
      redis.call("publish", "c", "m") redis.set_repl(redis.REPL_ALL) redis.call("set", "c", 1)`;
    assert.deepEqual(batchesOf(['EVAL', script, '0'], ['SET', 'd', '1']), [
      [
        [
          '0: set a 1 (file)',
          '0: set b 1 (replicas)',
          '0: sadd s x (replicas)',
          '0: SREM s x (replicas)',
          '0: publish c m (replicas)',
          '0: set c 1',
        ],
      ],
      [['0: SET d 1']],
    ]);
  });

  it('as part of its transaction', () => {
    assert.deepEqual(
      batchesOf(['MULTI'], ['SET', 'a', '1'], ['EVAL', 'return redis.call("incr", "a")', '0'], ['EXEC']),
      [[], [], [], [['0: SET a 1', '0: incr a']]],
    );
  });
});

describe('functions are recorded', () => {
  it('as the commands that loaded and deleted them', () => {
    const code =
      '#!lua name=lib\nredis.register_function("f", function(keys) return redis.call("incr", keys[1]) end)';
    assert.deepEqual(
      batchesOf(
        ['FUNCTION', 'LOAD', code],
        ['FUNCTION', 'LOAD', code],
        ['FCALL', 'f', '1', 'n'],
        ['FUNCTION', 'LIST'],
        ['FUNCTION', 'DELETE', 'lib'],
        ['FUNCTION', 'FLUSH'],
      ),
      [
        [[`0: FUNCTION LOAD ${code}`]],
        [],
        [['0: incr n']],
        [],
        [['0: FUNCTION DELETE lib']],
        [['0: FUNCTION FLUSH']],
      ],
    );
  });

  it('and the deletion of expired keys is recorded even if recording is disabled', () => {
    const recorded = new RecordedEngine();
    recorded.run('SET k v PX 10');
    recorded.clock.advance(20);
    assert.deepEqual(
      recorded.run('EVAL redis.set_repl(redis.REPL_NONE);redis.call("get","k");redis.call("set","a",1) 0'),
      ['DEL k'],
    );
  });
});
