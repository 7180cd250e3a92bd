import { createHash } from 'node:crypto';
import { SettingError } from '../commands/config/kinds.js';
import type { Settings } from '../commands/config/settings.js';

/**
 * `user default …`: accepted if it states the defaults of the default user, as CONFIG REWRITE writes it (here and in
 * Redis), or sets the password. Other rules would need ACL users, which are not implemented: throws a SettingError.
 */
export function applyUser(settings: Settings, rules: readonly string[], refusal: string): void {
  const passwords: string[] = [];
  const missing = new Set(['on', 'keys', 'channels', 'commands']);
  for (const rule of rules) {
    const meaning = EVERYTHING[rule.toLowerCase()];
    if (rule.toLowerCase() === 'nopass' || /^[#>]/.test(rule)) passwords.push(rule);
    else if (meaning === undefined) throw new SettingError(refusal);
    else missing.delete(meaning);
  }
  const [password] = passwords;
  if (missing.size > 0 || passwords.length !== 1 || password === undefined) throw new SettingError(refusal);
  applyPassword(settings, password);
}

function applyPassword(settings: Settings, rule: string): void {
  const present = settings.text('requirepass');
  if (rule.toLowerCase() === 'nopass') {
    if (present !== '') throw new SettingError("'nopass' contradicts requirepass: remove one of them");
  } else if (rule.startsWith('>')) {
    settings.configure('requirepass', rule.slice(1));
  } else if (present === '' || rule.slice(1).toLowerCase() !== sha256(present)) {
    throw new SettingError('password hashes are not supported: set the password itself with requirepass');
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'latin1').digest('hex');
}

const EVERYTHING: Readonly<Record<string, string>> = {
  on: 'on',
  '~*': 'keys',
  allkeys: 'keys',
  '&*': 'channels',
  allchannels: 'channels',
  '+@all': 'commands',
  allcommands: 'commands',
  'sanitize-payload': 'payload',
};
