import { parseMemorySize } from '../../bytes/memory-size.js';
import { parseInteger64Text } from '../../bytes/numbers/integer.js';
import { quote } from '../../bytes/quoting.js';

/** A value was refused. The message is sent to the client, or shown to the operator at start-up. */
export class SettingError {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/**
 * The syntax of a setting. `parse` returns the canonical text, as CONFIG GET shows it, or throws a SettingError. The text of a
 * setting is its value; `Settings` also returns it as a number or boolean where possible.
 */
export interface SettingKind {
  parse(text: string, current: string): string;
  /** The value that CONFIG GET shows, if that is not the whole value. */
  shown?(text: string): string;
  /** In a configuration file the value is several words; in CONFIG SET it is one argument with spaces. */
  readonly severalWords?: boolean;
  /** A second line of the same name in a file adds to the first instead of replacing it. */
  readonly accumulates?: boolean;
  /** The lines to write to a file, without the name; none if the setting can be omitted. Default: `text` itself. */
  lines?(text: string): readonly string[];
  /** CONFIG REWRITE writes it even if it has its initial value. */
  readonly alwaysWritten?: boolean;
}

export const yesNo: SettingKind = {
  parse(text) {
    const value = text.toLowerCase();
    if (value !== 'yes' && value !== 'no') throw new SettingError("argument must be 'yes' or 'no'");
    return value;
  },
};

export const anyText: SettingKind = {
  parse: (text) => text,
  lines: (text) => (text === '' ? [] : [quote(text)]),
};

/** The name of a file or folder in `dir`, without a path. */
export function plainName(setting: string, what: 'filename' | 'dirname', mayBeEmpty = false): SettingKind {
  return {
    ...anyText,
    parse(text) {
      if (text === '' && !mayBeEmpty) throw new SettingError(`${setting} can't be empty`);
      if (/[/\\]/.test(text)) throw new SettingError(`${setting} can't be a path, just a ${what}`);
      return text;
    },
  };
}

export function oneOf(...words: string[]): SettingKind {
  return {
    parse(text) {
      const value = text.toLowerCase();
      if (!words.includes(value)) {
        throw new SettingError(`argument(s) must be one of the following: ${words.join(', ')}`);
      }
      return value;
    },
  };
}

/** Several of `words`, shown in this order; `none` if there are none. */
export function someOf(none: string, ...words: string[]): SettingKind {
  return {
    severalWords: true,
    parse(text) {
      const given = text
        .toLowerCase()
        .split(' ')
        .filter((word) => word !== '');
      if (given.length === 0 || !given.every((word) => word === none || words.includes(word))) {
        throw new SettingError(`argument(s) must be one of the following: ${[none, ...words].join(', ')}`);
      }
      return words.filter((word) => given.includes(word)).join(' ') || none;
    },
  };
}

const MAX_LONG = 0x7fffffffffffffffn;

function within(value: bigint, min: bigint, max: bigint): string {
  if (value < min || value > max) {
    throw new SettingError(`argument must be between ${min} and ${max} inclusive`);
  }
  return value.toString();
}

export function integer(min: number, max: number | bigint = MAX_LONG): SettingKind {
  return {
    parse(text) {
      const value = parseInteger64Text(text);
      if (value === undefined) throw new SettingError("argument couldn't be parsed into an integer");
      return within(value, BigInt(min), BigInt(max));
    },
  };
}

/** Like `kind`, but clamps the value to the bounds. */
export function clamped(kind: SettingKind, min: number, max = Number.POSITIVE_INFINITY): SettingKind {
  return {
    ...kind,
    parse(text, current) {
      const value = kind.parse(text, current);
      if (Number(value) < min) return String(min);
      return Number(value) > max ? String(max) : value;
    },
  };
}

/** Bytes, with units: `100mb`. */
export function memory(min = 0, max: bigint = MAX_LONG): SettingKind {
  return {
    parse(text) {
      const value = parseMemorySize(text);
      if (value === undefined) throw new SettingError('argument must be a memory value');
      return within(BigInt(value), BigInt(min), max);
    },
    lines: (text) => [roundMemory(text)],
  };
}

/** Bytes in the largest unit that divides them: `100mb`. */
export function roundMemory(text: string): string {
  const bytes = BigInt(text);
  for (const [unit, size] of MEMORY_UNITS) {
    if (bytes !== 0n && bytes % size === 0n) return `${bytes / size}${unit}`;
  }
  return text;
}

const MEMORY_UNITS = [
  ['gb', 1n << 30n],
  ['mb', 1n << 20n],
  ['kb', 1n << 10n],
] as const;

/** Bytes, or a share of `maxmemory` in percent. */
export function memoryOrPercent(): SettingKind {
  const bytes = memory();
  return {
    parse(text) {
      if (!text.endsWith('%')) {
        if (parseMemorySize(text) === undefined) {
          throw new SettingError('argument must be a memory or percent value');
        }
        return bytes.parse(text, '');
      }
      const percent = parseInteger64Text(text.slice(0, -1));
      if (percent === undefined || percent < 0n) {
        throw new SettingError('argument must be a memory or percent value');
      }
      if (percent > 100n) throw new SettingError('percentage argument must be less or equal to 100');
      return `${percent}%`;
    },
    lines: (text) => [text.endsWith('%') ? text : roundMemory(text)],
  };
}

export const octalMode: SettingKind = {
  parse(text) {
    if (!/^[0-7]+$/.test(text)) throw new SettingError("argument couldn't be parsed as an octal number");
    const mode = Number.parseInt(text, 8);
    if (mode > 0o777) throw new SettingError('argument must be between 0 and 777 inclusive');
    return mode.toString(8);
  },
};
