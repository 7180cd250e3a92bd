import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { Bytes } from '../bytes/bytes.js';
import type { Call } from '../commands/call.js';
import { CommandError } from '../commands/errors.js';
import type { CommandRows } from '../commands/row.js';
import type { OutputSink, Session } from '../commands/session.js';
import { family } from '../commands/table.js';
import { EventClass } from '../keyspace/effects.js';
import { Type } from '../keyspace/kinds.js';
import { RespWriter } from '../resp/resp-writer.js';
import { Engine } from './engine.js';
import { commandTable } from './running/command-table.js';

const docs = { summary: '', since: '1.0.0', group: 'generic' } as const;

const rows = {
  'test.break': { arity: -1, docs },
  'test.breakwait': { arity: 2, docs },
} satisfies CommandRows;

/** What TEST.BREAK does; set by each test. */
let misbehave: (call: Call) => void = () => {};

/** Commands with defects. */
const defective = family(rows, {
  'test.break': (call) => misbehave(call),
  'test.breakwait': (call) =>
    call.block({
      keys: [call.arg(1).copy()],
      type: Type.list,
      deadline: 0,
      serve(serving) {
        serving.reply.array(2);
        throw new TypeError('no such property');
      },
      timedOut: (reply) => reply.null(),
    }),
});

class Client implements OutputSink {
  readonly session: Session;
  readonly pending = 0;
  readonly #engine: Engine;
  readonly #writer = new RespWriter();
  #sent = '';

  constructor(engine: Engine) {
    this.#engine = engine;
    this.session = engine.openSession(this);
  }

  send(bytes: Buffer): void {
    this.#sent += bytes.latin1Slice();
  }

  close(): void {}
  resume(): void {}

  /** Sends commands in one chunk; returns all replies. */
  call(...lines: string[]): string {
    const writer = this.#writer;
    writer.reset();
    this.#engine.beginTurn();
    for (const line of lines) {
      const args = line.split(' ').map((word) => Bytes.of(word));
      this.#engine.execute(this.session, args, args.length, writer);
    }
    this.#engine.endTurn();
    return writer.buffer.latin1Slice(0, writer.length);
  }

  /** Returns and clears what was received outside of replies. */
  taken(): string {
    const sent = this.#sent;
    this.#sent = '';
    return sent;
  }
}

describe('A defect in a command', () => {
  let engine: Engine;
  let client: Client;
  let log: string[];

  beforeEach(() => {
    engine = new Engine({ table: commandTable.with(defective) });
    log = [];
    engine.attach({ host: { log: (level, message) => log.push(`${level}: ${message}`) } });
    client = new Client(engine);
    misbehave = () => {
      throw new TypeError("Cannot read properties of undefined (reading 'x')");
    };
  });

  it('is answered with an error, and does not affect the commands around it', () => {
    assert.equal(
      client.call('SET k v', 'TEST.BREAK', 'GET k'),
      "+OK\r\n-ERR internal error: Cannot read properties of undefined (reading 'x')\r\n$1\r\nv\r\n",
    );
  });

  it('is logged with its stack, and counted', () => {
    client.call('TEST.BREAK', 'TEST.BREAK');
    assert.equal(log.length, 2);
    assert.match(
      log[0] as string,
      /^warning: Internal error: TypeError: Cannot read.*\n +at .*defects\.test/,
    );
    assert.equal(engine.statistics.unexpectedErrors, 2);
    assert.equal(engine.statistics.errors.get('ERR'), 2);
    assert.match(client.call('INFO stats'), /\r\nunexpected_error_replies:2\r\n/);
    assert.match(client.call('INFO commandstats'), /cmdstat_test\.break:calls=2,.*failed_calls=2/);
  });

  it('discards the reply that the command had begun', () => {
    misbehave = ({ reply }) => {
      reply.array(3);
      reply.bulkText('one');
      throw new Error('halfway\r\nthrough');
    };
    assert.equal(client.call('TEST.BREAK', 'PING'), '-ERR internal error: halfway  through\r\n+PONG\r\n');
  });

  it('may be an exceeded limit of memory, strings or stack', () => {
    misbehave = () => {
      Buffer.allocUnsafeSlow(2 ** 52);
    };
    assert.match(client.call('TEST.BREAK'), /^-ERR internal error: .*(out of range|allocat).*\r\n$/);
    misbehave = () => {
      'x'.repeat(2 ** 30);
    };
    assert.match(
      client.call('TEST.BREAK'),
      /^-ERR string is too long: at most \d+ bytes can be used as text\r\n$/,
    );
    misbehave = ({ reply }) => {
      const block = Buffer.allocUnsafeSlow(0);
      reply.bulkBuffer(block, 0, 2 ** 40);
    };
    assert.match(client.call('TEST.BREAK', 'PING'), /^-ERR internal error: [^\r]*\r\n\+PONG\r\n$/);
    misbehave = () => recurse();
    assert.match(client.call('TEST.BREAK'), /^-ERR internal error: Maximum call stack size exceeded\r\n$/);
  });

  it('need not be an Error', () => {
    misbehave = () => {
      throw 'just text';
    };
    assert.equal(client.call('TEST.BREAK'), '-ERR internal error: just text\r\n');
  });

  it('fails one command of a transaction, not the others', () => {
    misbehave = ({ reply }) => {
      reply.array(2);
      throw new Error('inside');
    };
    assert.equal(
      client.call('MULTI', 'SET a 1', 'TEST.BREAK', 'INCR a', 'EXEC', 'PING'),
      '+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n*3\r\n+OK\r\n-ERR internal error: inside\r\n:2\r\n+PONG\r\n',
    );
  });

  it('is not sent to a client that wants no replies', () => {
    assert.equal(client.call('CLIENT REPLY OFF', 'TEST.BREAK', 'CLIENT REPLY ON'), '+OK\r\n');
  });

  it('records the changes made before it', () => {
    const recorded: string[] = [];
    engine.keyspace.effects.subscribe({
      batch: (commands) => recorded.push(...commands.map(({ argv }) => argv.join(' '))),
    });
    misbehave = (call) => {
      call.effects.changed(call.db, call.arg(0), EventClass.generic, 'test');
      throw new Error('too late');
    };
    client.call('TEST.BREAK now', 'SET k v');
    assert.deepEqual(recorded, ['TEST.BREAK now', 'SET k v']);
  });

  it('unblocks a waiting client with the error, and does not affect the client that pushed the element', () => {
    const waiting = new Client(engine);
    assert.equal(waiting.call('TEST.BREAKWAIT list'), '');
    assert.equal(client.call('RPUSH list a', 'LLEN list'), ':1\r\n:1\r\n');
    assert.equal(waiting.taken(), '-ERR internal error: no such property\r\n');
    assert.equal(engine.blockedClients, 0);
    assert.equal(waiting.call('PING'), '+PONG\r\n');
  });

  it('in a listener is logged; the reply is sent, since the key has changed', () => {
    engine.keyspace.effects.subscribe({
      batch() {
        throw new Error('disk on fire');
      },
    });
    assert.equal(client.call('SET k v', 'GET k'), '+OK\r\n$1\r\nv\r\n');
    assert.match(log.join(), /disk on fire/);
    assert.equal(engine.statistics.unexpectedErrors, 1);
  });

  it('is not reported if the command throws a CommandError', () => {
    misbehave = () => {
      throw new CommandError('WRONGTYPE of course');
    };
    assert.equal(client.call('TEST.BREAK'), '-WRONGTYPE of course\r\n');
    assert.deepEqual(log, []);
    assert.equal(engine.statistics.unexpectedErrors, 0);
  });
});

function recurse(): void {
  recurse();
}
