import { KitError, shown } from '../foundation/index.js';

/** One field of a packed record: how its value becomes bits. Made by `choice`, `unsigned`, `signed`, `bool` and `fixedText`. */
export interface PackedField<T> {
  readonly kind: 'choice' | 'unsigned' | 'signed' | 'bool' | 'text';
  readonly bits: number;
  /** Of a choice: its values, in the order of their codes. */
  readonly values?: readonly string[];
  /** What is wrong with a value, as text that follows the field's name; undefined if nothing is. */
  complaint(value: unknown): string | undefined;
  /** The bits, in pieces of at most 48, as numbers from 0. Only called with a valid value. */
  encode(value: T): number[];
  /** The value of these pieces. All bits 0 is the value of a field that was never written. */
  decode(pieces: readonly number[]): T;
}

/** A record: a field for each that was declared. */
export type FieldsOf<Fields> = {
  -readonly [Name in keyof Fields]: Fields[Name] extends PackedField<infer T> ? T : never;
};

/** BITFIELD and JavaScript both handle 48 bits exactly. */
export const PIECE = 48;

/** The widths of a field's pieces. */
export function widths(bits: number): number[] {
  const pieces: number[] = [];
  for (let left = bits; left > 0; left -= PIECE) pieces.push(Math.min(PIECE, left));
  return pieces;
}

/**
 * One of some texts, in as few bits as their number needs; undefined if it was never set. Values can be added at the end later, as
 * long as `bits` has room for them.
 *
 * @example
 * choice(['DEU', 'FRA', 'USA']).bits; // 2
 * choice(['DEU', 'FRA', 'USA'], { bits: 8 }).bits; // 8: room for 255 values
 */
export function choice<const T extends string>(
  values: readonly T[],
  { bits }: { readonly bits?: number } = {},
): PackedField<T | undefined> {
  if (!Array.isArray(values) || values.length === 0 || values.some((value) => typeof value !== 'string')) {
    throw new KitError('OPTION', 'choice: pass a list of at least one text');
  }
  const codes = new Map<string, number>(values.map((value, i) => [value, i + 1]));
  if (codes.size < values.length) throw new KitError('OPTION', 'choice: a value occurs twice');
  const needed = Math.ceil(Math.log2(values.length + 1));
  const width = bits ?? needed;
  if (!Number.isInteger(width) || width < needed || width > 32) {
    throw new KitError('OPTION', `choice: \`bits\` must be from ${needed} to 32, not ${shown(bits)}`);
  }
  return {
    kind: 'choice',
    bits: width,
    values,
    complaint: (value) =>
      value === undefined || codes.has(value as string) ? undefined : 'must be one of its values',
    encode: (value) => [value === undefined ? 0 : (codes.get(value) as number)],
    // A code without a value was written by a newer version of the program.
    decode: ([code = 0]) => values[code - 1],
  };
}

function checkBits(owner: string, bits: unknown, min: number): void {
  if (Number.isInteger(bits) && (bits as number) >= min && (bits as number) <= PIECE) return;
  throw new KitError('OPTION', `${owner}: pass a number of bits from ${min} to ${PIECE}, not ${shown(bits)}`);
}

/**
 * A whole number from 0 to 2^bits - 1; 0 if it was never set.
 *
 * @example
 * unsigned(7).bits; // 7: from 0 to 127
 */
export function unsigned(bits: number): PackedField<number> {
  checkBits('unsigned', bits, 1);
  return whole('unsigned', bits, 0, 2 ** bits - 1);
}

/**
 * A whole number from -2^(bits - 1) to 2^(bits - 1) - 1; 0 if it was never set.
 *
 * @example
 * signed(8).bits; // 8: from -128 to 127
 */
export function signed(bits: number): PackedField<number> {
  checkBits('signed', bits, 2);
  return whole('signed', bits, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1);
}

function whole(kind: 'unsigned' | 'signed', bits: number, min: number, max: number): PackedField<number> {
  return {
    kind,
    bits,
    complaint: (value) =>
      Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
        ? undefined
        : `must be a whole number from ${min} to ${max}`,
    encode: (value) => [value < 0 ? value + 2 ** bits : value],
    decode: ([code = 0]) => (code > max ? code - 2 ** bits : code),
  };
}

/**
 * True or false in one bit; false if it was never set.
 *
 * @example
 * bool().bits; // 1
 */
export function bool(): PackedField<boolean> {
  return {
    kind: 'bool',
    bits: 1,
    complaint: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
    encode: (value) => [value ? 1 : 0],
    decode: ([code]) => code === 1,
  };
}

/**
 * A text of at most this many bytes in UTF-8, without the character NUL; '' if it was never set.
 *
 * @example
 * fixedText(3).bits; // 24
 */
export function fixedText(bytes: number): PackedField<string> {
  if (!Number.isInteger(bytes) || bytes < 1 || bytes > 1_024) {
    throw new KitError('OPTION', `fixedText: pass a number of bytes from 1 to 1024, not ${shown(bytes)}`);
  }
  const pieceBytes = PIECE / 8;
  return {
    kind: 'text',
    bits: bytes * 8,
    complaint: (value) =>
      typeof value === 'string' && !value.includes('\0') && Buffer.byteLength(value) <= bytes
        ? undefined
        : `must be a text of at most ${bytes} bytes without NUL`,
    encode: (value) => {
      const padded = Buffer.alloc(bytes);
      padded.write(value);
      return widths(bytes * 8).map((width, i) => padded.readUIntBE(i * pieceBytes, width / 8));
    },
    decode: (pieces) => {
      const padded = Buffer.alloc(bytes);
      widths(bytes * 8).forEach((width, i) => {
        padded.writeUIntBE(pieces[i] ?? 0, i * pieceBytes, width / 8);
      });
      const end = padded.indexOf(0);
      return padded.toString('utf8', 0, end < 0 ? bytes : end);
    },
  };
}
