import type { ArgumentList } from './key-positions.js';
import type { Command } from './table.js';

/** Shown in place of a secret. */
export const REDACTED = '(redacted)';

/** Whether MONITOR and SLOWLOG must not show the argument: passwords, and the names that go with them. */
export function isSecret(command: Command, args: ArgumentList, index: number): boolean {
  switch (command.fullName) {
    case 'auth':
      return index > 0 && args.argc <= 3;
    case 'hello':
      return follows('auth', 2, 2, args, index);
    case 'migrate':
      return follows('auth', 1, 6, args, index) || follows('auth2', 2, 6, args, index);
    case 'acl|setuser':
      return index >= 2;
    case 'config|set':
      return (
        index % 2 === 1 &&
        index > 2 &&
        SECRET_SETTINGS.has(
          args
            .arg(index - 1)
            .prefix(64)
            .toLowerCase(),
        )
      );
    default:
      return false;
  }
}

/** Whether the argument is one of the `count` after `option`, which is searched for from `first` on. */
function follows(option: string, count: number, first: number, args: ArgumentList, index: number): boolean {
  for (let at = Math.max(first, index - count); at < index; at++) {
    if (args.arg(at).is(option) && at + count < args.argc) return true;
  }
  return false;
}

const SECRET_SETTINGS = new Set([
  'requirepass',
  'masterauth',
  'masteruser',
  'tls-key-file-pass',
  'tls-client-key-file-pass',
]);
