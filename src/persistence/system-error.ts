/**
 * The operating system's description of an error, as C programs print it: `No space left on device`. In Node's
 * message it is between the code and the name of the call.
 */
export function systemReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const known = code === undefined ? undefined : REASONS[code];
  if (known !== undefined) return known;
  const [, reason] = /^\w+: ([^,]+)/.exec(message) ?? [];
  return reason === undefined ? message : reason.charAt(0).toUpperCase() + reason.slice(1);
}

/** Where the descriptions of C differ from Node's. */
const REASONS: Readonly<Record<string, string>> = {
  EBUSY: 'Device or resource busy',
  EEXIST: 'File exists',
  EIO: 'Input/output error',
  EISDIR: 'Is a directory',
  ENAMETOOLONG: 'File name too long',
  EDQUOT: 'Disk quota exceeded',
  EROFS: 'Read-only file system',
};
