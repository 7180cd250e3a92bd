const LARGEST = 2n ** 64n - 1n;

/** C's `strtoul` for a whole text; spaces around it are allowed. A negative number wraps around. */
export function parseInBase(text: string, base: number): number | undefined {
  const terminator = text.indexOf('\0');
  const readable = terminator < 0 ? text : text.slice(0, terminator);
  const match = /^[ \t-\r]*([+-]?)(.*?)[ \t-\r]*$/s.exec(readable);
  if (match === null) return undefined;
  let digits = (match[2] as string).toLowerCase();
  if (base === 16 && /^0x[0-9a-f]/.test(digits)) digits = digits.slice(2);
  if (digits === '') return undefined;
  let value = 0n;
  for (const character of digits) {
    const digit = '0123456789abcdefghijklmnopqrstuvwxyz'.indexOf(character);
    if (digit < 0 || digit >= base) return undefined;
    value = value * BigInt(base) + BigInt(digit);
  }
  if (value > LARGEST) return Number(LARGEST);
  return Number(match[1] === '-' ? BigInt.asUintN(64, -value) : value);
}
