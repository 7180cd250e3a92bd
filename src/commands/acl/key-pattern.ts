import type { Bytes } from '../../bytes/bytes.js';
import { globMatch } from '../../bytes/glob.js';
import { KEY_FLAG } from '../flag.js';

/** What a key pattern allows. */
export const Permission = { read: 1, write: 2, both: 3 } as const;

/** The permissions that a command needs for a key, by the `KEY_FLAG` bits of the key. */
export function neededPermission(keyFlags: number): number {
  const reads = (keyFlags & KEY_FLAG.access) !== 0 ? Permission.read : 0;
  return (keyFlags & WRITES) !== 0 ? reads | Permission.write : reads;
}

const WRITES = KEY_FLAG.insert | KEY_FLAG.delete | KEY_FLAG.update;

/** A glob pattern of keys or channels. */
export class AccessPattern {
  /** As latin1 text. */
  readonly text: string;
  readonly #bytes: Buffer;
  /** The length of the text before the only star, which ends the pattern; -1 for other patterns. */
  readonly #prefix: number;

  constructor(text: string) {
    this.text = text;
    this.#bytes = Buffer.from(text, 'latin1');
    this.#prefix = /^[^*?[\\]+\*$/.test(text) ? text.length - 1 : -1;
  }

  matches({ buf, start, end }: Bytes): boolean {
    const pattern = this.#bytes;
    const prefix = this.#prefix;
    if (prefix < 0) return globMatch(pattern, 0, pattern.length, buf, start, end, false);
    // `app:*`, as most patterns are.
    if (end - start < prefix) return false;
    for (let i = 0; i < prefix; i++) if (buf[start + i] !== pattern[i]) return false;
    return true;
  }
}

/** `~pattern`, `%R~pattern` or `%W~pattern`. */
export class KeyPattern extends AccessPattern {
  /** `Permission` bits. */
  readonly permission: number;

  constructor(text: string, permission: number) {
    super(text);
    this.permission = permission;
  }

  /** The rule that adds it. */
  get rule(): string {
    const { permission, text } = this;
    if (permission === Permission.both) return `~${text}`;
    return permission === Permission.read ? `%R~${text}` : `%W~${text}`;
  }
}
