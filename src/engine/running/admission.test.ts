import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { EngineClient } from '../../../tests/support/engine-client.js';
import { CommandError } from '../../commands/errors.js';
import { visitKeys } from '../../commands/key-positions.js';
import { Engine } from '../engine.js';
import { type AdmissionCheck, type AdmissionChecks, FROM_REPLAY } from './admission.js';

const NO_PERMISSION = new CommandError('NOPERM no');
const NO_KEYS = '-NOPERM this user has no permissions to access one of the keys used as arguments\r\n';

let engine: Engine;
let client: EngineClient;
/** The calls of checks: kind, origin, command and keys. */
let asked: string[];
/** Keys that the checks refuse. */
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

/** The client may use only keys that match the pattern. */
function restrictTo(pattern: string): void {
  engine.users.set('alice', ['on', 'nopass', '+@all', 'resetkeys', `%RW~${pattern}`]);
  engine.users.authenticate(client.session, 'alice', '');
}

describe('attached checks', () => {
  it('are called in the order of Redis, with session, command and arguments', () => {
    engine.admission.attach(checks);
    assert.equal(client.run('set k v'), '+OK\r\n');
    assert.deepEqual(asked, ['slot client set k', 'write client set k', 'stale client set k']);
  });

  it('are called after permissions are checked', () => {
    engine.admission.attach(checks);
    restrictTo('a*');
    assert.equal(client.run('set k v'), NO_KEYS);
    assert.deepEqual(asked, []);
    assert.equal(client.run('set a v'), '+OK\r\n');
    assert.deepEqual(asked, ['slot client set a', 'write client set a', 'stale client set a']);
  });

  it('refuse a subcommand by its own name and keys', () => {
    engine.admission.attach(checks);
    forbidden.add('s');
    assert.equal(client.run('xinfo stream s'), '-NOPERM no\r\n');
    assert.deepEqual(asked, ['slot client xinfo|stream s']);
  });

  it('are called when a command is queued, and permission is checked again at EXEC', () => {
    engine.admission.attach(checks);
    restrictTo('*');
    assert.equal(client.run('multi', 'set a 1', 'set b 1'), '+OK\r\n+QUEUED\r\n+QUEUED\r\n');
    asked = [];
    restrictTo('b*');
    assert.match(
      client.run('exec'),
      /^\*2\r\n-NOPERM ACLs rules changed .* touch the specified keys\r\n\+OK\r\n$/,
    );
    assert.ok(asked.includes('write client exec'), 'EXEC is checked by the commands that it will run');
    restrictTo('*');
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
    restrictTo('[ab]');
    const script = "redis.call('set', 'a', 1) return redis.call('set', 'b', 2)";
    asked = [];
    client.call(['eval', script, '0']);
    assert.deepEqual(
      asked.filter((line) => line.includes('script set')),
      [
        'stale script set a',
        'write script set a',
        'slot script set a',
        // A script that has written is not stopped by the state of the server.
        'stale script set b',
        'slot script set b',
      ],
    );
    asked = [];
    const refused = client.call(['eval', "return redis.call('get', 'c')", '0']);
    assert.match(refused, /^-ERR The user executing the script can't access at least one of the keys/);
    assert.deepEqual(
      asked.filter((line) => line.includes('slot script')),
      [],
    );
  });

  it('are called for commands that interrupt a script, after permissions', () => {
    engine.admission.attach(checks);
    restrictTo('a');
    assert.equal(client.interrupt('watch k'), NO_KEYS);
    assert.deepEqual(asked, []);
  });

  it('are not called for commands replayed from a file', () => {
    engine.admission.attach(checks);
    forbidden.add('k');
    const command = engine.table.byName('set');
    assert.ok(command);
    const request = { session: client.session, command, args: [], argc: 0 };
    assert.equal(engine.admission.admit(request, FROM_REPLAY), undefined);
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
