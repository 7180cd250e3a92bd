import { cluster, replication } from './distribution-rows.js';
import { forDevelopers, general } from './general-rows.js';
import { memoryAndEncodings } from './memory-rows.js';
import { network, tls } from './network-rows.js';
import { persistence } from './persistence-rows.js';
import type { SettingRow, SettingStatus } from './row.js';

/** Every setting of Redis 7.0. */
export const settingRows: readonly SettingRow[] = [
  ...network,
  ...tls,
  ...general,
  ...memoryAndEncodings,
  ...persistence,
  ...replication,
  ...cluster,
  ...forDevelopers,
];

/** A directive of files and the command line that is not a setting: CONFIG does not show it. */
export interface DirectiveRow {
  readonly status: SettingStatus;
  readonly name: string;
  readonly note: string;
}

export const directiveRows: readonly DirectiveRow[] = [
  { status: 'works', name: 'include', note: 'reads other files at this place; names may contain wildcards' },
  {
    status: 'works',
    name: 'rename-command',
    note: 'renames a command, or disables it if the new name is empty',
  },
  { status: 'works', name: 'user', note: 'defines a user: its name, then rules as for ACL SETUSER' },
  {
    status: 'refused',
    name: 'loadmodule',
    note: 'modules are not implemented: remove the line, or use redis-server',
  },
  {
    status: 'refused',
    name: 'sentinel',
    note: 'it belongs to a Sentinel: sorrel sentinel FILE',
  },
  { status: 'idle', name: 'list-max-ziplist-entries', note: 'Redis 7 ignores it, too' },
  { status: 'idle', name: 'list-max-ziplist-value', note: 'Redis 7 ignores it, too' },
];
