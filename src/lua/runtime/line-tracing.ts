import type { Runtime } from '../compiler/compile.js';
import type { LuaResult, LuaValue } from './value.js';

/** A local variable: its name and its value. */
export type Local = readonly [name: string, value: LuaValue];

/** A running function of a script that is being debugged. */
export class TracedFrame {
  /** The frame that was running when the function was called. */
  readonly outer: TracedFrame | undefined;
  /** The line that it is on; 0 before the first one and after a jump back. */
  line = 0;
  /** Its visible variables, in the order of their declaration. */
  locals: () => readonly Local[] = () => [];

  constructor(outer: TracedFrame | undefined) {
    this.outer = outer;
  }
}

/** Follows the lines of a script that was compiled for the debugger, and calls the debugger at each. */
export class LineTracing {
  /** The innermost running function. */
  current: TracedFrame | undefined;
  readonly #onLine: (line: number) => void;

  constructor(onLine: (line: number) => void) {
    this.#onLine = onLine;
  }

  /** The functions that generated code calls. */
  extend(runtime: Runtime): Runtime {
    return {
      ...runtime,
      enterFrame: () => new TracedFrame(this.current),
      reachLine: (frame: TracedFrame, line: number, locals?: TracedFrame['locals']) =>
        this.#reach(frame, line, locals),
      reachAfter: (frame: TracedFrame, line: number, result: LuaResult) => {
        if (this.current === frame) this.#reach(frame, line);
        return result;
      },
    };
  }

  #reach(frame: TracedFrame, line: number, locals?: TracedFrame['locals']): readonly LuaValue[] {
    this.current = frame;
    if (locals !== undefined) frame.locals = locals;
    if (frame.line !== line) {
      frame.line = line;
      this.#onLine(line);
    }
    return NONE;
  }
}

const NONE: readonly LuaValue[] = Object.freeze([]);
