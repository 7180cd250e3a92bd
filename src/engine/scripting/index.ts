import type { Engine } from '../engine.js';
import { Scripting } from './scripting.js';

export type { Scripting } from './scripting.js';

/**
 * Creates what runs an engine's scripts and functions. Code outside this folder uses only this function, so that the build
 * can defer loading the folder, and Lua, until it is first called.
 */
export function startScripting(engine: Engine): Scripting {
  return new Scripting(engine);
}
