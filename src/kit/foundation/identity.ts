import { randomBytes } from 'node:crypto';

/** A name that nobody else has: 16 characters without spaces, safe in keys and messages. */
export function newId(): string {
  return randomBytes(12).toString('base64url');
}
