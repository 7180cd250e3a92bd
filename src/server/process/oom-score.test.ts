import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Settings } from '../../commands/config/settings.js';
import { CommandError } from '../../commands/errors.js';
import { OomScore } from './oom-score.js';

test('the OOM score is adjusted within its bounds, and restored', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-oom-'));
  const path = join(folder, 'score');
  writeFileSync(path, '100\n');
  const settings = new Settings();
  new OomScore(settings, path);
  const after = (name: string, value: string): number => {
    settings.set([[name, value]]);
    return Number(readFileSync(path, 'latin1'));
  };
  assert.equal(after('oom-score-adj-values', '10 20 30'), 100);
  assert.equal(after('oom-score-adj', 'yes'), 110);
  assert.equal(after('oom-score-adj-values', '15 20 30'), 115);
  assert.equal(after('oom-score-adj', 'absolute'), 15);
  assert.equal(after('oom-score-adj', 'relative'), 115);
  settings.configure('replicaof', '127.0.0.1 6379');
  assert.equal(Number(readFileSync(path, 'latin1')), 120, 'of a replica');
  settings.configure('replicaof', '');
  assert.equal(Number(readFileSync(path, 'latin1')), 115);
  assert.equal(after('oom-score-adj-values', '2000 2000 2000'), 1000);
  assert.equal(after('oom-score-adj', 'no'), 100);
  rmSync(folder, { recursive: true });
  assert.throws(() => settings.set([['oom-score-adj', 'yes']]), CommandError);
  assert.equal(settings.text('oom-score-adj'), 'no');
});
