import { failArgument } from '../../runtime/errors.js';
import type { LuaResult, LuaValue } from '../../runtime/value.js';
import { checkInteger, checkString, isAbsent } from '../arguments.js';

/** The settings of one instance of `cjson`. */
export interface JsonSettings {
  sparseConvert: boolean;
  sparseRatio: number;
  sparseSafe: number;
  encodeMaxDepth: number;
  decodeMaxDepth: number;
  keepBuffer: boolean;
  numberPrecision: number;
  encodeInvalidNumbers: 'off' | 'on' | 'null';
  decodeInvalidNumbers: boolean;
}

export function defaultSettings(): JsonSettings {
  return {
    sparseConvert: false,
    sparseRatio: 2,
    sparseSafe: 10,
    encodeMaxDepth: 1000,
    decodeMaxDepth: 1000,
    keepBuffer: true,
    numberPrecision: 14,
    encodeInvalidNumbers: 'off',
    decodeInvalidNumbers: true,
  };
}

const LARGEST = 0x7fff_ffff;

function checkCount(args: LuaValue[], maximum: number): void {
  if (args.length > maximum) failArgument(maximum + 1, 'found too many arguments');
}

function integerOption(args: LuaValue[], position: number, before: number, min: number, max: number): number {
  if (isAbsent(args, position)) return before;
  const value = checkInteger(args, position);
  // The library names the first argument in the error, whatever the position.
  if (value < min || value > max) failArgument(1, `expected integer between ${min} and ${max}`);
  return value;
}

function choiceOption(args: LuaValue[], position: number, before: string, choices: string[]): string {
  const value = args[position - 1];
  if (value === undefined) return before;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  const text = checkString(args, position);
  if (!choices.includes(text)) failArgument(position, `invalid option '${text}'`);
  return text;
}

function booleanOption(args: LuaValue[], position: number, before: boolean): boolean {
  return choiceOption(args, position, before ? 'on' : 'off', ['off', 'on']) === 'on';
}

/** The functions that read and change settings. Each returns the new value of the setting. */
export function settingFunctions(settings: JsonSettings): Record<string, (...args: LuaValue[]) => LuaResult> {
  return {
    encode_sparse_array(...args) {
      checkCount(args, 3);
      settings.sparseConvert = booleanOption(args, 1, settings.sparseConvert);
      settings.sparseRatio = integerOption(args, 2, settings.sparseRatio, 0, LARGEST);
      settings.sparseSafe = integerOption(args, 3, settings.sparseSafe, 0, LARGEST);
      return [settings.sparseConvert, settings.sparseRatio, settings.sparseSafe];
    },
    encode_max_depth(...args) {
      checkCount(args, 1);
      settings.encodeMaxDepth = integerOption(args, 1, settings.encodeMaxDepth, 1, LARGEST);
      return settings.encodeMaxDepth;
    },
    decode_max_depth(...args) {
      checkCount(args, 1);
      settings.decodeMaxDepth = integerOption(args, 1, settings.decodeMaxDepth, 1, LARGEST);
      return settings.decodeMaxDepth;
    },
    encode_keep_buffer(...args) {
      checkCount(args, 1);
      settings.keepBuffer = booleanOption(args, 1, settings.keepBuffer);
      return settings.keepBuffer;
    },
    encode_number_precision(...args) {
      checkCount(args, 1);
      settings.numberPrecision = integerOption(args, 1, settings.numberPrecision, 1, 14);
      return settings.numberPrecision;
    },
    encode_invalid_numbers(...args) {
      checkCount(args, 1);
      const choice = choiceOption(args, 1, settings.encodeInvalidNumbers, ['off', 'on', 'null']);
      settings.encodeInvalidNumbers = choice as JsonSettings['encodeInvalidNumbers'];
      return choice === 'null' ? 'null' : choice === 'on';
    },
    decode_invalid_numbers(...args) {
      checkCount(args, 1);
      settings.decodeInvalidNumbers = booleanOption(args, 1, settings.decodeInvalidNumbers);
      return settings.decodeInvalidNumbers;
    },
  };
}
