import { KitError, shown } from '../foundation/index.js';
import { type FieldsOf, type PackedField, widths } from './fields.js';

export type Fields = Readonly<Record<string, PackedField<unknown>>>;

/** A piece of a field: where it is in the record, in bits from the left as BITFIELD counts them. */
export interface Piece {
  readonly offset: number;
  readonly width: number;
}

interface Placed {
  readonly name: string;
  readonly field: PackedField<unknown>;
  readonly pieces: readonly Piece[];
}

/** Where the fields of a record are. The first bit says whether the record exists. */
export class RecordLayout<F extends Fields> {
  /** Bytes of a record. */
  readonly bytes: number;
  readonly #placed = new Map<string, Placed>();

  constructor(fields: F) {
    if (typeof fields !== 'object' || fields === null || Object.keys(fields).length === 0) {
      throw new KitError('OPTION', 'packedRecords: `fields` must declare at least one field');
    }
    let offset = 1;
    for (const [name, field] of Object.entries(fields)) {
      if (typeof field?.encode !== 'function') {
        throw new KitError(
          'OPTION',
          `packedRecords: the field '${name}' must be made by choice, unsigned, signed, bool or fixedText, not ${shown(field)}`,
        );
      }
      const pieces = widths(field.bits).map((width, i, all) => ({
        offset: offset + all.slice(0, i).reduce((sum, w) => sum + w, 0),
        width,
      }));
      offset += field.bits;
      this.#placed.set(name, { name, field, pieces });
    }
    this.bytes = Math.ceil(offset / 8);
  }

  /** What all programs that use the records must declare in the same way. */
  get schema(): string {
    const fields = [...this.#placed.values()].map(({ name, field: { kind, bits, values } }) => ({
      name,
      kind,
      bits,
      ...(values === undefined ? {} : { values }),
    }));
    return JSON.stringify(fields);
  }

  named(name: string): Placed {
    const placed = this.#placed.get(name);
    if (placed !== undefined) return placed;
    throw new KitError(
      'OPTION',
      `packedRecords: there is no field ${shown(name)}: there are ${[...this.#placed.keys()].join(', ')}`,
    );
  }

  /** The pieces of some fields with their values, after all were checked. */
  encoded(record: Partial<FieldsOf<F>>): (Piece & { readonly value: number })[] {
    if (typeof record !== 'object' || record === null) {
      throw new KitError('OPTION', `packedRecords: a record must be an object, not ${shown(record)}`);
    }
    return Object.entries(record).flatMap(([name, value]) => {
      const { field, pieces } = this.named(name);
      const complaint = field.complaint(value);
      if (complaint !== undefined) {
        throw new KitError('OPTION', `packedRecords: \`${name}\` ${complaint}, not ${shown(value)}`);
      }
      return field.encode(value).map((code, i) => ({ ...(pieces[i] as Piece), value: code }));
    });
  }

  /** The bytes of a whole record. Fields that are missing are 0. */
  packed(record: Partial<FieldsOf<F>>): Buffer {
    const bytes = Buffer.alloc(this.bytes);
    writeBits(bytes, 0, 1, 1);
    for (const { offset, width, value } of this.encoded(record)) writeBits(bytes, offset, width, value);
    return bytes;
  }

  /** The record that begins at this byte; undefined if there is none. */
  unpacked(bytes: Buffer, at = 0): FieldsOf<F> | undefined {
    if (!hasRecord(bytes, at)) return undefined;
    const record: Record<string, unknown> = {};
    for (const { name, field, pieces } of this.#placed.values()) {
      record[name] = field.decode(pieces.map(({ offset, width }) => readBits(bytes, at * 8 + offset, width)));
    }
    return record as FieldsOf<F>;
  }
}

/** Whether there is a record at this byte: its first bit is set. */
export function hasRecord(bytes: Buffer, at: number): boolean {
  return ((bytes[at] ?? 0) & 0x80) !== 0;
}

/** Up to 48 bits, the most significant first. Bytes beyond the end are 0, as in Redis's strings. */
export function readBits(bytes: Buffer, offset: number, width: number): number {
  const first = offset >>> 3;
  const last = (offset + width - 1) >>> 3;
  // The bits of the first byte that are before the offset, and those of the last byte after the end, are cut off.
  const head = (bytes[first] ?? 0) & (0xff >>> (offset & 7));
  const cut = 7 - ((offset + width - 1) & 7);
  if (first === last) return head >>> cut;
  let value = head;
  for (let at = first + 1; at < last; at++) value = value * 256 + (bytes[at] ?? 0);
  return value * 2 ** (8 - cut) + ((bytes[last] ?? 0) >>> cut);
}

function writeBits(bytes: Buffer, offset: number, width: number, value: number): void {
  let left = value;
  for (let bit = offset + width - 1; bit >= offset; bit--) {
    if (left % 2 === 1) bytes[bit >>> 3] = (bytes[bit >>> 3] as number) | (0x80 >>> (bit & 7));
    left = Math.floor(left / 2);
  }
}
