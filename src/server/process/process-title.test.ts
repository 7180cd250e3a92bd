import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Settings } from '../../commands/config/settings.js';
import { ProcessTitle, programTitle } from './process-title.js';

test('the title of the process follows the settings', () => {
  const settings = new Settings();
  let shown = '';
  new ProcessTitle(settings, 'standalone', (title) => {
    shown = title;
  });
  assert.equal(shown, 'sorrel server *:6379');
  settings.configure('port', '7000');
  settings.configure('bind', '127.0.0.1 ::1');
  assert.equal(shown, 'sorrel server 127.0.0.1:7000');
  settings.configure('unixsocket', '/tmp/socket');
  settings.configure('port', '0');
  settings.configure('proc-title-template', 'mine {listen-addr} {port} {config-file}');
  assert.equal(shown, 'mine unixsocket:/tmp/socket 0 -');
});

test('with set-proc-title no, the title of the process is not changed', () => {
  const settings = new Settings();
  settings.configure('set-proc-title', 'no');
  new ProcessTitle(settings, 'standalone', () => assert.fail('the title was set'));
  settings.configure('port', '7000');
});

test('the title says that a node of a cluster or a Sentinel runs', () => {
  const settings = new Settings();
  const shown: string[] = [];
  new ProcessTitle(settings, 'cluster', (title) => shown.push(title));
  new ProcessTitle(settings, 'sentinel', (title) => shown.push(title));
  assert.equal(shown.includes('sorrel server *:6379 [cluster]'), true);
  assert.equal(shown.includes('sorrel sentinel *:6379 [sentinel]'), true);
});

test('a link with the name of a program of Redis is the title', () => {
  assert.equal(programTitle('standalone', '/usr/bin/redis-server'), '/usr/bin/redis-server');
  assert.equal(programTitle('standalone', '/usr/bin/sorrel'), 'sorrel server');
});
