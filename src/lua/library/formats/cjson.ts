import { charged } from '../../runtime/budget.js';
import { failArgument } from '../../runtime/errors.js';
import { LuaTable } from '../../runtime/table.js';
import { Userdata } from '../../runtime/value.js';
import { checkString } from '../arguments.js';
import { install } from '../base.js';
import { JsonDecoder } from './json-decoder.js';
import { encodeJson } from './json-encoder.js';
import { defaultSettings, settingFunctions } from './json-settings.js';

/** C's null pointer: all instances of cjson have the same. */
export const JSON_NULL = new Userdata('userdata: (nil)');

/** lua-cjson 2.1.0 with its own settings. */
export function cjsonLibrary(): LuaTable {
  const settings = defaultSettings();
  const table = new LuaTable();
  install(table, {
    decode(...args) {
      if (args.length !== 1) failArgument(1, 'expected 1 argument');
      return new JsonDecoder(charged(checkString(args, 1)), settings, JSON_NULL).decode();
    },
    encode(...args) {
      if (args.length !== 1) failArgument(1, 'expected 1 argument');
      return charged(encodeJson(args[0], settings));
    },
    ...settingFunctions(settings),
    new: () => cjsonLibrary(),
  });
  table.set('null', JSON_NULL);
  table.set('_NAME', 'cjson');
  table.set('_VERSION', '2.1.0');
  return table;
}
