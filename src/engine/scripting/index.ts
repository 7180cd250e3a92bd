import type { Engine } from '../engine.js';
import { Scripting } from './scripting.js';

export type { Scripting } from './scripting.js';

/**
 * What runs an engine's scripts and functions. The only way in from outside this folder, and a function, so that a
 * build can leave all that is behind it, Lua too, unread until it is first called.
 */
export function startScripting(engine: Engine): Scripting {
  return new Scripting(engine);
}
