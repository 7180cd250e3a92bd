/**
 * The name of a module's type, from the 64-bit number that files have for it: nine characters of six bits each,
 * then ten bits of version.
 */
export function moduleTypeName(id: bigint): string {
  let name = '';
  for (let shift = 58n; shift >= 10n; shift -= 6n) name += CHARACTERS[Number((id >> shift) & 63n)];
  return name;
}

const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
