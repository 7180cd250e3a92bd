export { bytesFromText, listFromTable, tableFromList, textFromBytes } from './conversion.js';
export { JSON_NULL } from './library/formats/cjson.js';
export { C_STACK_OVERFLOW, enterProtectedCall, leaveProtectedCall } from './library/protected-calls.js';
export { LuaRandom } from './library/random.js';
export { Coroutine } from './runtime/coroutine.js';
export { LuaError } from './runtime/errors.js';
export { captureFrames, type Frame } from './runtime/frames.js';
export type { LineTracing, Local } from './runtime/line-tracing.js';
export { formatGeneral } from './runtime/number.js';
export { LuaTable, TableCursor } from './runtime/table.js';
export {
  addressOf,
  type LuaFunction,
  type LuaResult,
  type LuaValue,
  typeName,
  Userdata,
} from './runtime/value.js';
export { type LuaChunk, LuaState, type LuaStateOptions, LuaSyntaxError } from './state.js';
