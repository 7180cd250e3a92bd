/**
 * The syntax of numbers that C's `strtod` and `strtold` accept: which prefix of a text is a number, and of what kind. The caller
 * computes the value, because it knows the precision.
 */

export type NumberText =
  | { readonly kind: 'infinity'; readonly negative: boolean; readonly length: number }
  | { readonly kind: 'nan'; readonly length: number }
  | {
      /** The value is `digits * base^power`: base 10 for decimal, 2 for hexadecimal text. */
      readonly kind: 'decimal' | 'hexadecimal';
      readonly negative: boolean;
      /** The digits without the point: decimal or hexadecimal ones. */
      readonly digits: string;
      readonly power: number;
      /** The number of characters read, including leading blanks. */
      readonly length: number;
    };

const DECIMAL = /([ \t-\r]*)([+-]?)(?:([0-9]+)(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([+-]?[0-9]+))?/y;
const HEXADECIMAL =
  /([ \t-\r]*)([+-]?)0[xX](?:([0-9a-fA-F]+)(?:\.([0-9a-fA-F]*))?|\.([0-9a-fA-F]+))(?:[pP]([+-]?[0-9]+))?/y;
const NAMED = /([ \t-\r]*)([+-]?)(infinity|inf|nan(?:\([0-9A-Za-z_]*\))?)/iy;

/** A larger exponent has the same effect for any digits, which are at most a few thousand. */
const EXPONENT_LIMIT = 1e9;

/** Reads the longest number at the beginning of the text, or undefined when there is none. */
export function readNumberText(text: string): NumberText | undefined {
  return (
    readDigits(text, HEXADECIMAL, 'hexadecimal') ?? readDigits(text, DECIMAL, 'decimal') ?? readNamed(text)
  );
}

function readDigits(text: string, shape: RegExp, kind: 'decimal' | 'hexadecimal'): NumberText | undefined {
  shape.lastIndex = 0;
  const match = shape.exec(text);
  if (match === null) return undefined;
  const whole = match[3] ?? '';
  const fraction = match[4] ?? match[5] ?? '';
  const written = Number(match[6] ?? 0);
  const exponent = Math.max(-EXPONENT_LIMIT, Math.min(EXPONENT_LIMIT, written));
  const power = exponent - fraction.length * (kind === 'decimal' ? 1 : 4);
  return { kind, negative: match[2] === '-', digits: whole + fraction, power, length: match[0].length };
}

function readNamed(text: string): NumberText | undefined {
  NAMED.lastIndex = 0;
  const match = NAMED.exec(text);
  if (match === null) return undefined;
  const { length } = match[0];
  const infinite = /^i/i.test(match[3] as string);
  return infinite ? { kind: 'infinity', negative: match[2] === '-', length } : { kind: 'nan', length };
}
