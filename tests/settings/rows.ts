import { SettingError } from '../../src/commands/config/kinds.js';
import type { SettingRow, SettingStatus } from '../../src/commands/config/row.js';
import { settingRows } from '../../src/commands/config/rows.js';

export function rowsOf(status: SettingStatus): readonly SettingRow[] {
  return settingRows.filter((row) => row.status === status);
}

/** A value that Redis accepts for this setting, other than the initial one. */
export function otherValue({ name, kind, initial }: SettingRow): string {
  for (const text of CANDIDATES) {
    try {
      if (kind.parse(text, initial) !== initial) return text;
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
    }
  }
  throw new Error(`no other value is known for ${name}`);
}

const CANDIDATES = [
  'yes',
  'no',
  '2',
  '100000',
  '1mb',
  'swapdb',
  'hostname',
  'user',
  'systemd',
  'allchannels',
  '1 2 3',
  '127.0.0.1 6379',
  'x',
];
