import { spawn } from 'node:child_process';
import { argv, env, execArgv, execPath } from 'node:process';
import type { Settings } from '../../commands/config/settings.js';
import { ConfigurationError } from '../configuration/configuration.js';

/**
 * `daemonize`: starts this program again in the background, in a session of its own and without a terminal. Returns whether this
 * process must end. Node cannot fork, so the new process reads the configuration again.
 */
export function continuesInBackground(settings: Settings, parameters: readonly string[]): boolean {
  if (!settings.isOn('daemonize') || env[MARK] !== undefined) return false;
  // As in Redis: a supervisor watches the process that it has started, so that process must stay.
  if (settings.text('supervised') !== 'no') return false;
  if (parameters[0] === '-') {
    throw new ConfigurationError(
      "option 'daemonize yes' cannot be used with a configuration from standard input: name a file",
    );
  }
  const child = spawn(execPath, [...execArgv, ...argv.slice(1)], {
    detached: true,
    stdio: 'ignore',
    env: { ...env, [MARK]: '1' },
  });
  child.unref();
  return true;
}

/** The path of the file with the process id: a daemon has one even if none is configured. */
export function pidFileOf(settings: Settings): string {
  const path = settings.text('pidfile');
  return path === '' && env[MARK] !== undefined ? DEFAULT_PID_FILE : path;
}

/** Set in the environment of the process in the background. */
const MARK = 'SORREL_IN_BACKGROUND';
const DEFAULT_PID_FILE = '/var/run/redis.pid';
