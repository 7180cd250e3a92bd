import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bytes } from '../../src/bytes/bytes.js';
import { ManualClock } from '../../src/bytes/clock.js';
import { seededRandom } from '../../src/bytes/random.js';
import { MAX_TEXT } from '../../src/bytes/text.js';
import { Engine } from '../../src/engine/engine.js';
import { keyspaceDigest } from '../../src/keyspace/digest.js';
import { RespWriter } from '../../src/resp/resp-writer.js';
import { argumentsOf } from '../oracle/support/index.js';
import { EngineClient } from '../support/engine-client.js';
import { HostileCommands, PREPARED } from './support/hostile-commands.js';
import { chosenSeed, runFactor } from './support/seed.js';

/** Checks that a command that replies with an error has changed nothing. */

const seed = chosenSeed(20_261_116);

/** An argument that behaves like one that is too long for a string. */
class LongArgument extends Bytes {
  override get fitsText(): boolean {
    return false;
  }

  override toString(): string {
    return tooLong();
  }

  override toUtf8(): string {
    return tooLong();
  }
}

function tooLong(): never {
  throw Object.assign(new Error('Cannot create a string'), { code: 'ERR_STRING_TOO_LONG' });
}

/**
 * Replies that behave as if values were too long for a string, which can happen in embedded stores. Numbers and IDs are
 * excepted.
 */
class FailingReplies extends RespWriter {
  override bulkBuffer(source: Buffer, start: number, end: number): void {
    if (!/^[\d.+e-]*$/.test(source.latin1Slice(start, end))) tooLong();
    super.bulkBuffer(source, start, end);
  }
}

/** Runs generated commands on data of all types; returns those that failed and still changed something. */
function changedInSpiteOfError(run: (engine: Engine, command: readonly Buffer[]) => boolean): string[] {
  const found: string[] = [];
  const commands = new HostileCommands(seededRandom(seed), (name) => !MAY_CHANGE_AND_FAIL.test(name));
  for (let batch = 0; batch < 3 * runFactor(); batch++) {
    const engine = preparedEngine();
    let before = keyspaceDigest(engine.keyspace);
    for (let i = 0; i < 250; i++) {
      const command = commands.next();
      const hasFailed = run(engine, command);
      const after = keyspaceDigest(engine.keyspace);
      if (hasFailed && after !== before)
        found.push(command.map((word) => word.subarray(0, 40).latin1Slice()).join(' '));
      // Keys with an expiry time in the past are deleted now, not by the next command that finds them.
      engine.background.tick();
      before = keyspaceDigest(engine.keyspace);
    }
  }
  return found;
}

/** Scripts and transactions are not rolled back, as in Redis. */
const MAY_CHANGE_AND_FAIL = /^(eval|fcall|exec)/;

function preparedEngine(): Engine {
  const engine = new Engine({ random: seededRandom(seed), clock: new ManualClock() });
  const client = new EngineClient(engine);
  for (const line of PREPARED) {
    const words = argumentsOf(line).map((word) => word.latin1Slice());
    // Computing the digest of large values would take most of the time.
    if (words.length < 100 && words[1] !== 'longstream') client.call(words);
  }
  // Clients watch every kind of change.
  const watcher = new EngineClient(engine, 3);
  watcher.run('CLIENT TRACKING on BCAST', 'CONFIG SET notify-keyspace-events KEA', 'PSUBSCRIBE *');
  new EngineClient(engine).run('BLPOP nothing 0');
  return engine;
}

function execute(engine: Engine, args: Bytes[], writer: RespWriter): boolean {
  const { session } = new EngineClient(engine);
  engine.beginTurn();
  engine.execute(session, args, args.length, writer);
  const hasFailed = writer.buffer[0] === '-'.charCodeAt(0);
  engine.endTurn();
  engine.closeSession(session);
  return hasFailed;
}

describe('A command that replies with an error has changed nothing', () => {
  it('even when an argument is too long for a string', () => {
    const random = seededRandom(seed + 1);
    const found = changedInSpiteOfError((engine, command) => {
      const long = 1 + random.integer(Math.max(1, command.length - 1));
      const args = command.map((word, i) => (i === long ? new LongArgument(word) : new Bytes(word)));
      return execute(engine, args, new RespWriter());
    });
    assert.deepEqual(found, []);
  });

  it('even when a value is too long to be sent as a string', () => {
    const found = changedInSpiteOfError((engine, command) =>
      execute(
        engine,
        command.map((word) => new Bytes(word)),
        new FailingReplies(),
      ),
    );
    assert.deepEqual(found, []);
  });
});

describe('The reply of a command that ran is sent', () => {
  const broken = (): never => {
    throw new Error('broken');
  };

  function replyOf(prepare: (engine: Engine) => void, line = 'SET key value'): string {
    const engine = new Engine();
    const client = new EngineClient(engine);
    client.run('CONFIG SET slowlog-log-slower-than 0');
    prepare(engine);
    const reply = client.run(line);
    assert.match(client.run('GET key'), /value/);
    assert.ok(engine.statistics.unexpectedErrors > 0, 'the defect is counted');
    return reply;
  }

  const LONG_SET = `SET key ${'value'.repeat(20_000)}`;

  it('when the slow log fails', () => {
    const reply = replyOf((engine) => {
      engine.slowLog.add = broken;
    }, LONG_SET);
    assert.equal(reply, '+OK\r\n');
  });

  it('when a monitor cannot be notified', () => {
    const reply = replyOf((engine) => {
      new EngineClient(engine).run('MONITOR');
      engine.monitors.show = broken;
    });
    assert.equal(reply, '+OK\r\n');
  });

  it('when a monitor cannot be notified of a command of a transaction', () => {
    const engine = new Engine();
    const client = new EngineClient(engine);
    new EngineClient(engine).run('MONITOR');
    client.run('MULTI', 'SET key value');
    engine.monitors.show = broken;
    assert.equal(client.run('EXEC'), '*1\r\n+OK\r\n');
  });

  it('when waiting clients cannot be served', () => {
    const reply = replyOf((engine) => {
      new EngineClient(engine).run('BLPOP key 0');
      engine.blocking.serveReady = broken;
      Object.defineProperty(engine.blocking, 'hasReady', { value: true });
    });
    assert.equal(reply, '+OK\r\n');
  });
});

describe('Arguments that are too long for a string', () => {
  it('are stored, shortened in logs, and rejected where text is expected', () => {
    const engine = new Engine();
    const { session } = new EngineClient(engine);
    const long = Buffer.alloc(MAX_TEXT + 24);
    const call = (...words: (string | Buffer)[]): string => {
      const writer = new RespWriter();
      const args = words.map((word) => (typeof word === 'string' ? Bytes.of(word) : new Bytes(word)));
      engine.beginTurn();
      engine.execute(session, args, args.length, writer);
      engine.endTurn();
      return writer.buffer.latin1Slice(0, Math.min(writer.length, 500));
    };
    call('CONFIG', 'SET', 'slowlog-log-slower-than', '0');
    assert.equal(call('SET', 'key', long), '+OK\r\n');
    assert.match(call('SLOWLOG', 'GET', '1'), /\.\.\. \(536870784 more bytes\)/);
    assert.equal(call('STRLEN', 'key'), `:${long.length}\r\n`);
    assert.equal(call('DEL', 'key'), ':1\r\n');
    assert.equal(call('PUBLISH', long, 'message'), ':0\r\n');
    assert.equal(
      call('EVAL', 'return #ARGV[1]', '0', long),
      `-ERR string is too long: at most ${MAX_TEXT} bytes can be used as text\r\n`,
    );
    assert.match(call(long.subarray(0)), /^-ERR unknown command ''/);
    assert.equal(engine.statistics.unexpectedErrors, 0);
  });

  it('are shown to monitors in pieces', () => {
    const engine = new Engine();
    const monitor = new EngineClient(engine);
    monitor.run('MONITOR');
    new EngineClient(engine).call(['ECHO', 'a"b'.repeat(1_000_000)]);
    assert.ok(monitor.received().endsWith(`"ECHO" "${'a\\"b'.repeat(1_000_000)}"\r\n`));
  });
});
