import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { EngineClient } from '../../../tests/support/engine-client.js';
import { CommandError } from '../../commands/errors.js';
import { visitKeys } from '../../commands/key-positions.js';
import { SessionGate } from '../../commands/session.js';
import { Engine } from '../engine.js';
import { type AdmissionCheck, type AdmissionChecks, FROM_REPLAY } from './admission.js';

const NO_PERMISSION = new CommandError('NOPERM no');

let engine: Engine;
let client: EngineClient;
/** The calls of checks: kind, origin, command and keys. */
let asked: string[];
/** Keys for which permission is refused. */
let forbidden: Set<string>;

function recording(kind: keyof AdmissionChecks): AdmissionCheck {
  return (_session, command, args, argc, { origin }) => {
    const keys: string[] = [];
    visitKeys(command, args, argc, { visit: (key) => keys.push(key.toString()) });
    asked.push([kind, origin, command.fullName, ...keys].join(' '));
    return keys.some((key) => forbidden.has(key)) ? NO_PERMISSION : undefined;
  };
}

const checks: AdmissionChecks = {
  permission: recording('permission'),
  slot: recording('slot'),
  write: recording('write'),
  stale: recording('stale'),
};

beforeEach(() => {
  engine = new Engine();
  client = new EngineClient(engine);
  asked = [];
  forbidden = new Set();
});

describe('attached checks', () => {
  it('are called in the order of Redis, with session, command and arguments', () => {
    engine.admission.attach(checks);
    client.session.gates |= SessionGate.restricted;
    assert.equal(client.run('set k v'), '+OK\r\n');
    assert.deepEqual(asked, [
      'permission client set k',
      'slot client set k',
      'write client set k',
      'stale client set k',
    ]);
  });

  it('check permission only if the user is restricted', () => {
    engine.admission.attach({ permission: recording('permission') });
    assert.equal(engine.gates, 0, 'other sessions keep the fast path');
    client.run('get k');
    assert.deepEqual(asked, []);
    client.session.gates |= SessionGate.restricted;
    client.run('get k');
    assert.deepEqual(asked, ['permission client get k']);
  });

  it('refuse a subcommand by its own name and keys', () => {
    engine.admission.attach(checks);
    forbidden.add('s');
    assert.equal(client.run('xinfo stream s'), '-NOPERM no\r\n');
    assert.deepEqual(asked, ['slot client xinfo|stream s']);
  });

  it('are called when a command is queued, and permission is checked again at EXEC', () => {
    engine.admission.attach(checks);
    client.session.gates |= SessionGate.restricted;
    assert.equal(client.run('multi', 'set a 1', 'set b 1'), '+OK\r\n+QUEUED\r\n+QUEUED\r\n');
    asked = [];
    forbidden.add('a');
    assert.equal(client.run('exec'), '*2\r\n-NOPERM no\r\n+OK\r\n');
    assert.deepEqual(
      asked.filter((line) => !line.includes('exec')),
      ['permission transaction set a', 'permission transaction set b'],
    );
    assert.ok(asked.includes('write client exec'), 'EXEC is checked by the commands that it will run');
    forbidden.clear();
    assert.equal(client.run('get a', 'get b'), '$-1\r\n$1\r\n1\r\n');
  });

  it('abort the transaction if they refuse to queue a command', () => {
    engine.admission.attach(checks);
    forbidden.add('a');
    const replies = client.run('multi', 'set a 1', 'exec');
    assert.match(replies, /^\+OK\r\n-NOPERM no\r\n-EXECABORT /);
  });

  it('are called for each command of a script, with the user of the client', () => {
    engine.admission.attach(checks);
    client.session.gates |= SessionGate.restricted;
    const script = "redis.call('set', 'a', 1) return redis.call('set', 'b', 2)";
    asked = [];
    client.call(['eval', script, '0']);
    assert.deepEqual(
      asked.filter((line) => line.includes('script set')),
      [
        'stale script set a',
        'permission script set a',
        'write script set a',
        'slot script set a',
        // A script that has written is not stopped by the state of the server.
        'stale script set b',
        'permission script set b',
        'slot script set b',
      ],
    );
    forbidden.add('c');
    assert.match(client.call(['eval', "return redis.call('get', 'c')", '0']), /^-NOPERM no script: /);
  });

  it('are called for commands that interrupt a script', () => {
    engine.admission.attach(checks);
    client.session.gates |= SessionGate.restricted;
    forbidden.add('k');
    assert.equal(client.interrupt('watch k'), '-NOPERM no\r\n');
    assert.deepEqual(asked, ['permission client watch k']);
  });

  it('are not called for commands replayed from a file', () => {
    engine.admission.attach(checks);
    forbidden.add('k');
    const command = engine.table.byName('set');
    assert.ok(command);
    assert.equal(engine.admission.admit(client.session, command, [], 0, FROM_REPLAY), undefined);
  });

  it('restore the fast path when they are detached, in any order', () => {
    const detachSlot = engine.admission.attach({ slot: recording('slot') });
    const detachStale = engine.admission.attach({ stale: recording('stale') });
    assert.notEqual(engine.gates, 0);
    detachSlot();
    assert.notEqual(engine.gates, 0);
    client.run('get k');
    assert.deepEqual(asked, ['stale client get k']);
    detachStale();
    assert.equal(engine.gates, 0);
  });
});

describe('a command that interrupts a script', () => {
  it('is not answered if CLIENT REPLY is off', () => {
    client.run('client reply off');
    assert.equal(client.interrupt('multi'), '');
  });

  it('is shown to monitors', () => {
    const monitor = new EngineClient(engine);
    monitor.run('monitor');
    client.interrupt('multi');
    assert.match(monitor.received(), /"multi"/);
  });

  it('does not split the recorded effects of the script', () => {
    const batches: number[] = [];
    engine.keyspace.effects.subscribe({ batch: (commands) => batches.push(commands.length) });
    const other = new EngineClient(engine);
    engine.settings.configure('busy-reply-threshold', '1');
    let replies = '';
    engine.attach({
      serveDuringScript: () => {
        replies ||= other.interrupt('multi') + other.interrupt('set a 1');
      },
    });
    const script =
      "redis.call('set', 'x', 1) for i = 1, 3e7 do if i % 1000 == 0 then redis.call('ping') end end " +
      "redis.call('set', 'y', 1)";
    client.call(['eval', script, '0']);
    assert.match(replies, /^\+OK\r\n-BUSY /);
    assert.deepEqual(batches, [2], 'both writes of the script are in one batch');
  });
});
