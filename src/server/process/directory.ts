import { chdir, cwd } from 'node:process';
import { SettingError } from '../../commands/config/kinds.js';
import type { Settings } from '../../commands/config/settings.js';
import { systemReason } from '../../persistence/system-error.js';
import { ConfigurationError } from '../configuration/configuration.js';

/** Makes `dir` the current directory, now and when it is changed. */
export function enterDirectory(settings: Settings): void {
  const directory = settings.text('dir');
  try {
    if (directory !== '') chdir(directory);
  } catch (error) {
    throw new ConfigurationError(`option 'dir ${directory}': ${systemReason(error)}`);
  }
  settings.configure('dir', cwd());
  settings.onChange('dir', (path) => {
    if (path === cwd()) return;
    try {
      chdir(path);
    } catch (error) {
      throw new SettingError(systemReason(error));
    }
    settings.configure('dir', cwd());
  });
}
