import type { Bytes } from '../bytes/bytes.js';
import { CommandError } from '../commands/errors.js';
import type { Engine } from '../engine/engine.js';
import { CorruptData } from '../rdb/byte-source.js';

/** For a loader of RDB files: loads libraries of functions. One that cannot be loaded means that the file is damaged. */
export function functionLoading(engine: Engine, replaces: boolean): (code: Bytes) => void {
  return (code) => {
    try {
      engine.scripting.functions.load(code.toString(), replaces);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      throw new CorruptData(`a library of functions cannot be loaded: ${error.text.replace(/^ERR /, '')}`);
    }
  };
}
