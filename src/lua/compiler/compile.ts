import { type ChunkRecord, newChunkUrl, rememberChunk } from '../runtime/frames.js';
import type { LuaFunction } from '../runtime/value.js';
import { SiteMarks } from './emitter.js';
import { generateFunction } from './function-generator.js';
import { parse } from './parser.js';
import { LuaSyntaxError } from './syntax-error.js';

/** Everything that generated code can access: functions by name, the globals `G` and the budget `B`. */
export type Runtime = Readonly<Record<string, unknown>>;

/**
 * Compiles a chunk of Lua 5.1 into a function. Error texts begin with `chunkName`, shortened for display. Throws LuaSyntaxError.
 * Scripts that mention coroutines are compiled into generators, which are slower and can be suspended. With `tracesLines` the code
 * tells the debugger of each line: the runtime is then extended by a `LineTracing`. With `hasEnvironments`, `setfenv` can change where
 * a function looks up globals, which makes all functions slower.
 */
export function compile(
  source: string,
  chunkName: string,
  runtime: Runtime,
  {
    tracesLines = false,
    hasEnvironments = false,
  }: { readonly tracesLines?: boolean; readonly hasEnvironments?: boolean } = {},
): LuaFunction {
  const displayName = displayNameOf(chunkName);
  const marks = new SiteMarks();
  const url = newChunkUrl();
  let generated: ReturnType<SiteMarks['resolve']>;
  let make: (runtime: Runtime, record: ChunkRecord) => LuaFunction;
  try {
    const body = parse(source, displayName);
    const hints: string[] = [];
    const main = generateFunction(body, {
      marks,
      hints,
      suspendable: source.includes('coroutine'),
      tracesLines,
      hasEnvironments,
    });
    const names = Object.keys(runtime).join(',');
    const places = hints.length === 0 ? '' : `const ${hints.map((name) => `${name}={at:0}`).join(',')};`;
    generated = marks.resolve(`'use strict';const{${names}}=R;${places}return ${main}`);
    make = new Function('R', 'I', `${generated.code}\n//# sourceURL=${url}`) as typeof make;
  } catch (error) {
    if (error instanceof RangeError) {
      throw new LuaSyntaxError(`${displayName}:1: chunk has too many syntax levels`);
    }
    throw error;
  }
  const record: ChunkRecord = { chunkName, displayName, sites: generated.sites };
  rememberChunk(url, record);
  return make(runtime, record);
}

/** The maximum length of a chunk's name in error texts, including C's terminator. */
const NAME_ROOM = 80;

/** The name of a chunk in error texts. For a chunk without a name: its first line, shortened. */
export function displayNameOf(chunkName: string): string {
  const first = chunkName.charAt(0);
  if (first === '=') return chunkName.slice(1, NAME_ROOM);
  if (first === '@') {
    const name = chunkName.slice(1);
    const room = NAME_ROOM - 8;
    return name.length > room ? `...${name.slice(-room)}` : name;
  }
  const newline = chunkName.search(/[\n\r]/);
  const line = newline < 0 ? chunkName : chunkName.slice(0, newline);
  const room = NAME_ROOM - ' [string "..."] '.length - 1;
  const fits = line.length <= room;
  if (fits && newline < 0) return `[string "${line}"]`;
  return `[string "${fits ? line : line.slice(0, room)}..."]`;
}
