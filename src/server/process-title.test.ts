import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Settings } from '../commands/config/settings.js';
import { ProcessTitle } from './process-title.js';

test('the title of the process follows the settings', () => {
  const settings = new Settings();
  let shown = '';
  new ProcessTitle(settings, (title) => {
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
  new ProcessTitle(settings, () => assert.fail('the title was set'));
  settings.configure('port', '7000');
});
