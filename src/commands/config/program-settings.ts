import { SettingError } from './kinds.js';
import type { Settings } from './settings.js';

/** Settings by their names in redis.conf, in the form for programs: `yes` and `no` may be booleans. */
export type ProgramSettings = Readonly<Record<string, string | number | boolean>>;

/** Sets the values. Throws the error that `failure` returns for a setting's name and a message. */
export function configureAll(
  settings: Settings,
  values: ProgramSettings,
  failure: (name: string, message: string) => Error,
): void {
  for (const [name, value] of Object.entries(values)) {
    const text = typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value);
    try {
      settings.configure(name, text);
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      const reason = settings.row(name) === undefined ? 'there is no such setting' : error.reason;
      throw failure(name, `setting '${name}' cannot be '${text}': ${reason}`);
    }
  }
}
