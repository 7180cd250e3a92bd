/** The system's words for an error, as C programs print them: `No space left on device`. Node has them between code and call. */
export function systemReason(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const known = code === undefined ? undefined : REASONS[code];
  if (known !== undefined) return known;
  const [, reason] = /^\w+: ([^,]+)/.exec(message) ?? [];
  return reason === undefined ? message : reason.charAt(0).toUpperCase() + reason.slice(1);
}

/** Where the words differ. */
const REASONS: Readonly<Record<string, string>> = {
  EIO: 'Input/output error',
  EDQUOT: 'Disk quota exceeded',
  EROFS: 'Read-only file system',
};
