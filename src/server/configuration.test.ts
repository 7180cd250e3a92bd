import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Settings } from '../commands/config/settings.js';
import { ConfigurationError, configure } from './configuration.js';

/** The setting `name` after reading a file of these lines. */
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

test('lines of save points add up, and an empty value starts over', () => {
  assert.equal(afterReading('save', 'save 10 1', 'save 20 2'), '10 1 20 2');
  assert.equal(afterReading('save', 'save 10 1', 'save', 'save 20 2'), '10 1 20 2');
  assert.equal(afterReading('save', 'save 10 1', 'save ""', 'save 20 2'), '20 2');
});

test('a setting of one word needs exactly one', () => {
  assert.throws(() => afterReading('port', 'port'), ConfigurationError);
  assert.throws(() => afterReading('port', 'port 1 2'), ConfigurationError);
});
