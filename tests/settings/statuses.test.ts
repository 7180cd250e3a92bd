import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { SOURCE_OPTIONS, sourceProgram } from '../../scripts/transpiled.mjs';
import { directiveRows } from '../../src/commands/config/rows.js';
import { Settings } from '../../src/commands/config/settings.js';
import { configure } from '../../src/server/configuration/configuration.js';
import { ServeError, serve } from '../../src/server/index.js';
import { open } from '../../src/store/open.js';
import { openWorker } from '../../src/store/worker/open-worker.js';
import { otherValue, rowsOf } from './rows.js';

/** The table's statements about settings that do not work are true wherever a setting can be given. */

const folder = mkdtempSync(join(tmpdir(), 'sorrel-settings-'));
after(() => rmSync(folder, { recursive: true }));

/** The settings after reading a file of these lines. */
function afterReading(...lines: readonly string[]): Settings {
  const path = join(folder, 'redis.conf');
  writeFileSync(path, lines.join('\n'));
  const settings = new Settings();
  configure(settings, [path]);
  return settings;
}

function line(name: string, value: string): string {
  return `${name} ${value === '' ? '""' : value}`;
}

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return 'no error';
}

describe('a refused setting', () => {
  for (const row of rowsOf('refused')) {
    const { name, initial, note, mutability } = row;
    const value = otherValue(row);

    it(`stops the start with its line: ${name}`, () => {
      assert.ok(note !== undefined && /: \S/.test(note), 'the note says what to do');
      const text = `${name} ${value}`;
      assert.equal(
        messageOf(() => afterReading('# a comment', text)),
        `line 2 of ${join(folder, 'redis.conf')}: '${text}': ${note}`,
      );
      assert.equal(
        messageOf(() => configure(new Settings(), [`--${name}`, ...value.split(' ')])),
        `the command line: '${name} ${value
          .split(' ')
          .map((word) => `"${word}"`)
          .join(' ')}': ${note}`,
      );
      assert.equal(afterReading(line(name, initial)).text(name), initial);
    });

    it(`is refused by CONFIG SET, serve and open: ${name}`, async () => {
      await assert.rejects(serve({ port: 0, [name]: value }), (error) => {
        assert.ok(error instanceof ServeError);
        assert.deepEqual([error.code, error.setting], ['SETTING', name]);
        assert.equal(error.message, `setting '${name}' cannot be '${value}': ${note}`);
        return true;
      });
      await assert.rejects(open('memory:', { settings: { [name]: value } }), {
        code: 'OPTION',
        message: `setting '${name}' cannot be '${value}': ${note}`,
      });
      await using store = await open();
      const reason = mutability === 'immutable' ? "can't set immutable config" : note;
      await assert.rejects(store.send('CONFIG', 'SET', 'hz', 20, name, value), {
        message: `ERR CONFIG SET failed (possibly related to argument '${name}') - ${reason}`,
      });
      assert.deepEqual(await store.send('CONFIG', 'GET', 'hz'), ['hz', '10'], 'all or nothing');
      assert.deepEqual(await store.send('CONFIG', 'GET', name), [name, initial]);
      if (mutability !== 'mutable') return;
      assert.equal(await store.send('CONFIG', 'SET', name, initial), 'OK');
    });
  }

  it('is refused in threads, too', async () => {
    await assert.rejects(openWorker('memory:', { settings: { 'cluster-enabled': true } }), {
      code: 'OPTION',
      message: /openCluster/,
    });
  });

  it('ends the process before it listens', () => {
    const path = join(folder, 'secured.conf');
    writeFileSync(path, 'port 0\nunixsocket /nowhere/socket\nloadmodule /x.so secret\n');
    const main = sourceProgram(new URL('../../src/cli/main.ts', import.meta.url));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [...SOURCE_OPTIONS, main, 'server', path],
      {
        encoding: 'utf8',
      },
    );
    assert.equal(status, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /line 3 of .*secured\.conf: 'loadmodule \/x\.so secret': modules are not impl/);
  });
});

describe('a line that only files have', () => {
  const LINES: Readonly<Record<string, string>> = {
    loadmodule: 'loadmodule /usr/lib/redis/modules/x.so',
    sentinel: 'sentinel monitor mymaster 127.0.0.1 6379 2',
  };
  for (const { name, note } of directiveRows.filter(({ status }) => status === 'refused')) {
    it(`is refused: ${name}`, () => {
      const text = LINES[name] as string;
      assert.equal(
        messageOf(() => afterReading('port 7000', text)),
        `line 2 of ${join(folder, 'redis.conf')}: '${text}': ${note}`,
      );
      assert.match(
        messageOf(() => configure(new Settings(), [`--${name}`, 'x'])),
        new RegExp(note.slice(0, 20)),
      );
    });
  }

  it('is ignored as in Redis', () => {
    for (const { name } of directiveRows.filter(({ status }) => status === 'idle')) afterReading(`${name} 5`);
  });
});

describe('a setting that is only advice', () => {
  for (const row of rowsOf('advice')) {
    const { name, initial, note, mutability, isHidden } = row;
    const value = otherValue(row);
    it(`causes one warning: ${name}`, async () => {
      assert.ok(note !== undefined, 'the note says why');
      const warning = `The setting '${name} ${row.kind.parse(value, initial)}' has no effect: ${note}.`;
      const settings = afterReading(`${name} ${value}`, line(name, initial), `${name} ${value}`);
      assert.deepEqual(settings.takeWarnings(), [warning]);
      assert.deepEqual(settings.takeWarnings(), []);
      assert.deepEqual(afterReading(line(name, initial)).takeWarnings(), []);

      const log = join(folder, 'log');
      await using server = await serve({
        port: 0,
        unixsocket: join(folder, 's'),
        logfile: log,
        [name]: value,
      });
      const told = once(process, 'warning');
      await using store = await open('memory:', { settings: { [name]: value } });
      const [{ message }] = (await told) as [Error];
      assert.equal(message, warning);
      const { readFileSync } = await import('node:fs');
      assert.equal(readFileSync(log, 'utf8').split(warning).length, 2, 'once in the log');
      rmSync(log);
      if (mutability === 'immutable' || isHidden === true) return;
      assert.equal(await store.send('CONFIG', 'SET', name, initial), 'OK');
      assert.deepEqual(server.engine.settings.takeWarnings(), []);
    });
  }
});

describe('an idle setting', () => {
  const switches = [...rowsOf('refused'), ...rowsOf('advice')];
  for (const row of rowsOf('idle')) {
    const { name, note = '' } = row;
    it(`tunes a feature that cannot be switched on: ${name}`, () => {
      const [, features = '', state] = /^tunes (.+), which (.+?)(?::.*)?$/.exec(note) ?? [];
      assert.notEqual(features, '', note);
      for (const feature of features.split(' and ')) {
        const isSwitch = switches.some(
          (each) => each.name === feature || each.note?.includes(`${feature} `) === true,
        );
        assert.ok(isSwitch, `the switch of ${feature} (${state}) is in the table`);
      }
      const settings = afterReading(`${name} ${otherValue(row)}`);
      assert.deepEqual(settings.takeWarnings(), []);
    });
  }
});

describe('a setting of a part that the program does not have', () => {
  it('is refused by a store in memory, which says what to do', async () => {
    const refusals: Readonly<Record<string, readonly [string | number | boolean, RegExp]>> = {
      appendonly: [true, /in memory only: open\('file:/],
      save: ['900 1', /in memory only: open\('file:/],
      dir: ['/tmp', /in memory only: open\('file:/],
      port: [7000, /store\.listen\(\{ port \}\)/],
      bind: ['127.0.0.1', /store\.listen/],
      'tls-port': [7000, /store\.listen\(\{ port \}\)/],
      'tls-cert-file': ['server.crt', /store\.listen/],
      unixsocket: ['/tmp/x', /store\.unixSocket\(\)/],
      logfile: ['log', /no log/],
      loglevel: ['debug', /no log/],
      pidfile: ['pid', /belongs to the program/],
      'oom-score-adj': ['yes', /belongs to the program/],
      'cluster-enabled': [true, /openCluster\(\)/],
      'shutdown-on-sigterm': ['nosave', /belongs to the program/],
    };
    for (const [name, [value, message]] of Object.entries(refusals)) {
      await assert.rejects(
        open('memory:', { settings: { [name]: value } }),
        { code: 'OPTION', message },
        name,
      );
    }
    await using store = await open('memory:', { settings: { appendonly: false, save: '' } });
    await assert.rejects(store.send('CONFIG', 'SET', 'appendonly', 'yes'), {
      message:
        /^ERR CONFIG SET failed \(possibly related to argument 'appendonly'\) - this store keeps its data in m/,
    });
    assert.deepEqual(await store.send('CONFIG', 'GET', 'save'), ['save', '']);
  });

  it('is refused by serve without a folder, and works with one', async () => {
    await assert.rejects(serve({ port: 0, appendonly: true }), {
      code: 'SETTING',
      setting: 'appendonly',
      message: /in memory only: name a folder with 'dir'/,
    });
    await assert.rejects(serve({ port: 0, pidfile: 'x' }), {
      setting: 'pidfile',
      message: /belongs to the program/,
    });
    const dir = join(folder, 'kept');
    for (const [kind, keeps] of Object.entries({
      appendonly: { appendonly: true },
      save: { save: '900 1' },
    })) {
      const options = { port: 0, unixsocket: join(folder, 's'), dir: join(dir, kind), ...keeps };
      const first = await serve(options);
      await send(options.unixsocket, 'SET key value');
      await first.close();
      await using again = await serve(options);
      assert.equal(await send(options.unixsocket, 'GET key'), 'value', kind);
      await assert.rejects(send(options.unixsocket, 'CONFIG SET dir /tmp'), /protected/);
      assert.equal(again.engine.settings.text('dir'), join(dir, kind));
    }
  });

  it('is refused by a store in a folder if it would change the folder', async () => {
    await using store = await open(`file:${join(folder, 'stays')}`, {
      settings: { 'enable-protected-configs': true },
    });
    await assert.rejects(store.send('CONFIG', 'SET', 'dir', '/tmp'), {
      message: /the folder of a store stays the same/,
    });
    assert.deepEqual(await store.send('CONFIG', 'GET', 'dir'), ['dir', join(folder, 'stays')]);
  });
});

/** Sends one command over a socket in the file system. */
async function send(path: string, line: string): Promise<unknown> {
  await using store = await open(`unix:${path}`);
  const [command, ...args] = line.split(' ') as [string, ...string[]];
  return await store.send(command, ...args);
}
