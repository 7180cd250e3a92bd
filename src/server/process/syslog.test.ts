import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Settings } from '../../commands/config/settings.js';
import { ConfigurationError } from '../configuration/configuration.js';
import { Log } from './log.js';
import { checkSyslog } from './syslog.js';

/** Puts a program `logger` before the real one that writes its parameters and input to a file. */
function recordedLogger(t: TestContext): () => string {
  const folder = mkdtempSync(join(tmpdir(), 'sorrel-syslog-'));
  const file = join(folder, 'lines');
  const script = `#!/bin/sh\necho "$@" >> ${file}\nexec cat >> ${file}\n`;
  writeFileSync(join(folder, 'logger'), script, { mode: 0o755 });
  const { PATH } = process.env;
  process.env.PATH = `${folder}:${PATH}`;
  t.after(() => {
    process.env.PATH = PATH;
    rmSync(folder, { recursive: true });
  });
  return () => (existsSync(file) ? readFileSync(file, 'utf8') : '');
}

function settingsWith(values: Readonly<Record<string, string>>): Settings {
  const settings = new Settings();
  for (const [name, text] of Object.entries(values)) settings.configure(name, text);
  return settings;
}

test('lines are sent to the log of the system with syslog-enabled, as syslog-ident and syslog-facility say', async (t) => {
  const recorded = recordedLogger(t);
  const settings = settingsWith({
    ...{ 'syslog-enabled': 'yes', 'syslog-ident': 'cache', 'syslog-facility': 'local3' },
    ...{ logfile: '/dev/null', loglevel: 'verbose' },
  });
  const log = new Log((name, listener) => settings.onChange(name, listener));
  log.write('warning', 'two\nlines');
  log.write('debug', 'below loglevel');
  log.write('verbose', 'the last');
  while (!recorded().includes('the last')) await new Promise((resolve) => setTimeout(resolve, 5));
  const facility = 19 * 8;
  assert.deepEqual(recorded().trim().split('\n'), [
    `--prio-prefix --tag cache --id=${process.pid}`,
    `<${facility + 4}>two lines`,
    `<${facility + 6}>the last`,
  ]);
});

test('syslog-enabled is refused without the program that sends the lines', (t) => {
  const { PATH } = process.env;
  t.after(() => {
    process.env.PATH = PATH;
  });
  process.env.PATH = '/nowhere';
  checkSyslog(settingsWith({}));
  assert.throws(() => checkSyslog(settingsWith({ 'syslog-enabled': 'yes' })), ConfigurationError);
});
