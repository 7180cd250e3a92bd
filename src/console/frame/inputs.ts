import { ApiError, invalid } from './api-error.js';
import { fromWire } from './wire-bytes.js';

interface IntegerRange {
  readonly min?: number;
  readonly max?: number;
  readonly default?: number;
}

/** The inputs of one request, by name: from the query, or from a JSON body. Each is checked when it is read. */
export class Inputs {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  /** Every key of the query; binary keys are JSON, after a `~`. */
  static ofQuery(query: URLSearchParams): Inputs {
    return new Inputs(Object.fromEntries([...query].map(([name, text]) => [name, queryValue(name, text)])));
  }

  static ofBody(text: string): Inputs {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw invalid('the body must be JSON');
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw invalid('the body must be a JSON object');
    }
    return new Inputs(value as Record<string, unknown>);
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#values, name) && this.#values[name] !== undefined && this.#values[name] !== '';
  }

  /** The value as it came, for what has a form of its own. */
  raw(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
  }

  /** Text, `''` if it is missing and no other default is given. */
  text(name: string, fallback = ''): string {
    const value = this.raw(name) ?? fallback;
    if (typeof value !== 'string') throw invalid(`\`${name}\` must be text`);
    if (value.length > MAX_TEXT) throw invalid(`\`${name}\` is longer than ${MAX_TEXT} characters`);
    return value;
  }

  /** A key, member or value: any bytes. */
  bytes(name: string): Buffer {
    const bytes = fromWire(this.raw(name));
    if (bytes === undefined) throw invalid(`\`${name}\` must be text, or an object with \`base64\``);
    return bytes;
  }

  /** A list of keys, members or values. */
  byteList(name: string, maxLength: number): Buffer[] {
    const list = this.raw(name);
    if (!Array.isArray(list)) throw invalid(`\`${name}\` must be a list`);
    if (list.length > maxLength)
      throw invalid(`\`${name}\` may have ${maxLength} elements, not ${list.length}`);
    return list.map((element, index) => {
      const bytes = fromWire(element);
      if (bytes === undefined)
        throw invalid(`\`${name}[${index}]\` must be text, or an object with \`base64\``);
      return bytes;
    });
  }

  integer(name: string, range: IntegerRange = {}): number {
    const { min = 0, max = Number.MAX_SAFE_INTEGER } = range;
    if (!this.has(name) && range.default !== undefined) return range.default;
    const value = this.raw(name);
    const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < min || number > max) {
      throw invalid(`\`${name}\` must be an integer from ${min} to ${max}`);
    }
    return number;
  }

  boolean(name: string): boolean {
    const value = this.raw(name);
    if (value === undefined || value === false || value === 'false' || value === '') return false;
    if (value === true || value === 'true') return true;
    throw invalid(`\`${name}\` must be true or false`);
  }

  oneOf<const Name extends string>(name: string, names: readonly Name[], fallback?: Name): Name {
    const value = this.raw(name) ?? fallback;
    if (!names.includes(value as Name)) throw invalid(`\`${name}\` must be one of ${names.join(', ')}`);
    return value as Name;
  }
}

const MAX_TEXT = 16 * 1024 * 1024;

function queryValue(name: string, text: string): unknown {
  if (!text.startsWith('~')) return text;
  try {
    return JSON.parse(text.slice(1));
  } catch {
    throw new ApiError(400, 'INPUT', `\`${name}\` begins with ~ and is not JSON`);
  }
}
