import type { FunctionBody, Variable } from './ast.js';
import type { Lexer } from './lexer.js';

const MAXIMUM_LOCALS = 200;
const MAXIMUM_UPVALUES = 60;

/** The variables one function can see, and Lua's limits on them. */
export class FunctionScope {
  readonly body: FunctionBody;
  readonly outer: FunctionScope | undefined;
  readonly #lexer: Lexer;
  readonly #active: Variable[] = [];
  readonly #upvalues = new Set<Variable>();
  /** The number of loops around the current statement. */
  loops = 0;

  constructor(lexer: Lexer, line: number, outer: FunctionScope | undefined) {
    this.#lexer = lexer;
    this.outer = outer;
    this.body = {
      line,
      endLine: line,
      parameters: [],
      isVararg: false,
      usesVararg: false,
      argVariable: undefined,
      statements: [],
    };
  }

  get depth(): number {
    return this.#active.length;
  }

  /** Lua counts declared variables before they become visible: `pending` is the number of variables that are not visible yet. */
  checkLocals(pending: number): void {
    if (this.#active.length + pending > MAXIMUM_LOCALS) this.#exceed(MAXIMUM_LOCALS, 'local variables');
  }

  activate(variable: Variable): void {
    this.#active.push(variable);
  }

  /** Removes the variables declared since the depth was `depth`. */
  leave(depth: number): void {
    this.#active.length = depth;
  }

  /** The variable of that name, or undefined for a global one. */
  resolve(name: string): Variable | undefined {
    for (let i = this.#active.length - 1; i >= 0; i--) {
      const variable = this.#active[i] as Variable;
      if (variable.name === name) return variable;
    }
    const variable = this.outer?.resolve(name);
    if (variable !== undefined && !this.#upvalues.has(variable)) {
      if (this.#upvalues.size >= MAXIMUM_UPVALUES) this.#exceed(MAXIMUM_UPVALUES, 'upvalues');
      this.#upvalues.add(variable);
    }
    return variable;
  }

  #exceed(limit: number, what: string): never {
    const where = this.body.line === 0 ? 'main function' : `function at line ${this.body.line}`;
    this.#lexer.failWithoutToken(`${where} has more than ${limit} ${what}`);
  }
}
