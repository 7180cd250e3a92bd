import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Settings } from '../../commands/config/settings.js';
import { fitClients } from './open-files.js';

test('maxclients leaves 32 open files to the server', () => {
  const settings = new Settings();
  assert.equal(fitClients(settings, 100).length, 2);
  assert.equal(settings.text('maxclients'), '68');
  assert.throws(() => settings.configure('maxclients', '69'), { reason: /try with 68$/ });
  settings.configure('maxclients', '60');
  assert.equal(settings.text('maxclients'), '60');
});

test('a limit that is high enough, or unknown, changes nothing', () => {
  for (const limit of [10_032, Number.POSITIVE_INFINITY]) {
    const settings = new Settings();
    assert.deepEqual(fitClients(settings, limit), []);
    assert.equal(settings.text('maxclients'), '10000');
  }
});

test('a limit that is too low even without clients is an error', () => {
  assert.throws(() => fitClients(new Settings(), 32), {
    message: /^Your current 'ulimit -n' of 32 is not enough for the server to start\. .* at least 10032\.$/,
  });
});
