import { stringLiteral } from './emitter.js';

/**
 * Generates the calls that tell the debugger of each line and of the variables of one function. The runtime ignores a line that
 * the function is already on, so that it can be told of every instruction of Lua's compiler that may begin a line.
 */
export class LineTrace {
  readonly #mark: (line: number) => string;
  /** The visible variables as pairs of Lua's name and the generated one, in the order of Lua's registers. */
  readonly #variables: (readonly [name: string, generated: string])[] = [];

  constructor(mark: (line: number) => string) {
    this.#mark = mark;
  }

  /** The first statement of a function. */
  readonly prologue = 'const F=enterFrame();';
  /** A jump back: the next line counts as new. */
  readonly jump = 'F.line=0;';

  /** Reaches a line. The call yields an empty array. */
  reach(line: number): string {
    return `${this.#mark(line)}reachLine(F,${line})`;
  }

  /** A call in `return f()`. It replaces the function, unless a built-in function was called: then it returns on this line. */
  thenReach(call: string, line: number): string {
    return `reachAfter(F,${line},${call})`;
  }

  /** Reaches a line at the start of a statement, where the visible variables are known. */
  statement(line: number): string {
    const pairs = this.#variables.map(([name, generated]) => `[${stringLiteral(name)},${generated}]`);
    return `${this.#mark(line)}reachLine(F,${line},()=>[${pairs.join(',')}]);`;
  }

  get depth(): number {
    return this.#variables.length;
  }

  declare(name: string, generated: string): void {
    this.#variables.push([name, generated]);
  }

  /** Forgets the variables declared since the depth was `depth`. */
  leave(depth: number): void {
    this.#variables.length = depth;
  }
}
