import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Settings } from '../../commands/config/settings.js';
import { commandTable } from '../../engine/running/command-table.js';
import { ConfigurationError, configure } from './configuration.js';

/** The setting `name` after reading a file with these lines. */
function afterReading(name: string, ...lines: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-configuration-'));
  try {
    const path = join(folder, 'redis.conf');
    writeFileSync(path, lines.join('\n'));
    const settings = new Settings();
    configure(settings, [path]);
    return settings.text(name);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a list of settings may be empty, with or without quotes', () => {
  assert.equal(afterReading('save', 'save ""'), '');
  assert.equal(afterReading('save', 'save '), '');
});

test('a single value of a setting that takes several words is split once more', () => {
  assert.equal(afterStart('--save', '""').text('save'), '');
  assert.equal(afterStart('--save', '60 "1000"').text('save'), '60 1000');
  assert.equal(afterReading('save', 'save "10 1 20 2"'), '10 1 20 2');
  assert.throws(() => afterStart('--save', '"60'), ConfigurationError);
});

test('several save lines are combined, and an empty value clears them', () => {
  assert.equal(afterReading('save', 'save 10 1', 'save 20 2'), '10 1 20 2');
  assert.equal(afterReading('save', 'save 10 1', 'save', 'save 20 2'), '10 1 20 2');
  assert.equal(afterReading('save', 'save 10 1', 'save ""', 'save 20 2'), '20 2');
});

test('a line that would be refused may be overridden by a later one', () => {
  assert.throws(() => afterReading('socket-mark-id', 'socket-mark-id 5'), /socket-mark-id 5/);
  assert.throws(() => afterReading('socket-mark-id', 'socket-mark-id 0', 'socket-mark-id 5'), /line 2/);
  assert.equal(afterReading('socket-mark-id', 'socket-mark-id 5', 'socket-mark-id 0'), '0');
});

test('a setting with one value needs exactly one', () => {
  assert.throws(() => afterReading('port', 'port'), ConfigurationError);
  assert.throws(() => afterReading('port', 'port 1 2'), ConfigurationError);
});

/** The settings after reading the command line. */
function afterStart(...parameters: readonly string[]): Settings {
  const settings = new Settings();
  configure(settings, parameters);
  return settings;
}

test('an option and its value may be one command-line argument', () => {
  const settings = afterStart('--maxmemory 700mb', "--maxmemory-policy 'volatile-lru'");
  assert.equal(settings.text('maxmemory'), String(700 << 20));
  assert.equal(settings.text('maxmemory-policy'), 'volatile-lru');
});

test('the argument after an option is its value, even if it begins with two dashes', () => {
  const settings = afterStart('--proc-title-template', '--save', '--save', '--loglevel', 'verbose');
  assert.equal(settings.text('proc-title-template'), '--save');
  assert.equal(settings.text('save'), '');
  assert.equal(settings.text('loglevel'), 'verbose');
});

test('a setting with several values takes several command-line arguments', () => {
  const settings = afterStart(
    '--shutdown-on-sigint',
    'nosave',
    'force',
    'now',
    '--shutdown-on-sigterm',
    'now force',
  );
  assert.equal(settings.text('shutdown-on-sigint'), 'nosave now force');
  assert.equal(settings.text('shutdown-on-sigterm'), 'now force');
  assert.throws(() => afterStart('--shutdown-on-sigint', 'save nosave'), ConfigurationError);
});

test('errors quote the option', () => {
  const message = (...parameters: string[]): string => {
    try {
      afterStart(...parameters);
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };
  const place = 'the command line: ';
  assert.equal(message('--port'), `${place}'port': wrong number of arguments`);
  assert.equal(message('--port', '1', '2'), `${place}'port "1" "2"': wrong number of arguments`);
  assert.equal(message('--bla', '1'), `${place}'bla "1"': Bad directive or wrong number of arguments`);
  assert.match(message('--replicaof', '--host', 'abc'), /'replicaof "--host" "abc"': Invalid master port/);
});

test('rename-command renames and removes commands', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-configuration-'));
  const path = join(folder, 'redis.conf');
  writeFileSync(path, 'rename-command FLUSHALL ""\nrename-command get fetch');
  const { renamings } = configure(new Settings(), [path]);
  rmSync(folder, { recursive: true });
  const table = commandTable.renamed(renamings);
  assert.equal(table.byName('flushall'), undefined);
  assert.equal(table.byName('get'), undefined);
  assert.equal(table.byName('FETCH')?.name, 'get');
  assert.throws(() => commandTable.renamed([{ from: 'get', to: 'set' }]), /already exists/);
  assert.throws(() => commandTable.renamed([{ from: 'bla', to: 'x' }]), /No such command/);
});

test('with enable-protected-configs local, protected settings can be changed from this machine', () => {
  const change = (allowed: string, isLocal: boolean): void =>
    afterStart('--enable-protected-configs', allowed).set([['dbfilename', 'other.rdb']], isLocal);
  assert.throws(() => change('no', true));
  assert.throws(() => change('local', false));
  change('local', true);
  change('yes', false);
});

test('include reads other files at its position, with wildcards all matching files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-configuration-'));
  try {
    mkdirSync(join(folder, 'parts'));
    for (const [name, text] of Object.entries({
      'b.conf': 'hz 20',
      'a.conf': 'hz 30\ntimeout 5',
      '.c.conf': 'hz 40',
    })) {
      writeFileSync(join(folder, 'parts', name), text);
    }
    assert.equal(afterReading('hz', `include ${folder}/parts/*.conf`), '20');
    assert.equal(afterReading('timeout', `include ${folder}/p?rts/[a-z].conf`, 'hz 50'), '5');
    assert.equal(afterReading('hz', 'hz 50', `include ${folder}/parts/a.conf`), '30');
    assert.equal(afterReading('hz', `include ${folder}/none/*.conf`), '10');
    assert.throws(() => afterReading('hz', `include ${folder}/parts/none.conf`), /can't open config file/);
    assert.throws(() => afterReading('hz', 'include'), /line 1 of .*: 'include': wrong number of arguments/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('file names must not contain a path, as in Redis', () => {
  const refusals: Readonly<Record<string, string>> = {
    'appenddirname ../x': "appenddirname can't be a path, just a dirname",
    'appenddirname a\\\\b': "appenddirname can't be a path, just a dirname",
    'appenddirname ""': "appenddirname can't be empty",
    'appendfilename a/b': "appendfilename can't be a path, just a filename",
    'appendfilename ""': "appendfilename can't be empty",
    'dbfilename /tmp/x': "dbfilename can't be a path, just a filename",
  };
  for (const [line, reason] of Object.entries(refusals)) {
    assert.throws(() => afterReading('dir', line), { message: new RegExp(`: ${reason}$`) }, line);
  }
});
