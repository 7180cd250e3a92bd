import type { BinaryOperator, CallExpression, Expression, FunctionBody, TableItem } from './ast.js';
import { numberLiteral, type SiteMarks, stringLiteral } from './emitter.js';
import {
  callName,
  isBoolean,
  isIdentity,
  isRecord,
  nameOf,
  operandSite,
  operation,
} from './expression-facts.js';
import { isCall } from './expression-parser.js';
import type { LineTrace } from './line-trace.js';
import type { Site } from './site.js';

/** The state that all functions of a chunk share during code generation. */
export interface ChunkContext {
  readonly marks: SiteMarks;
  /** Names of the variables that remember where constant keys were found: h0, h1 … */
  readonly hints: string[];
  /** Functions become generators, so that they can be suspended. */
  readonly suspendable: boolean;
  /** The debugger is told of each line. */
  readonly tracesLines: boolean;
  /** Each function has an environment `E`, in which it looks up globals; otherwise all share the table `G`. */
  readonly hasEnvironments: boolean;
}

/**
 * Turns expressions into JavaScript source. Variables are named v1, v2 …, temporaries t1, t2 …, hints h0, h1 …; all other names are functions
 * of the runtime. Operations on numbers are generated inline, so that V8 collects type feedback for each place; other operands
 * go to the runtime.
 */
export abstract class ExpressionGenerator {
  protected readonly context: ChunkContext;
  /** Set if the script is compiled for the debugger. */
  protected readonly trace: LineTrace | undefined;
  protected temporaries = 0;
  #temporariesInUse = 0;

  constructor(context: ChunkContext, trace: LineTrace | undefined) {
    this.context = context;
    this.trace = trace;
  }

  /** The JavaScript function of a Lua function. */
  protected abstract nestedFunction(body: FunctionBody): string;

  protected mark(site: Site): string {
    return this.context.marks.mark(site);
  }

  protected temporary(): string {
    this.#temporariesInUse++;
    this.temporaries = Math.max(this.temporaries, this.#temporariesInUse);
    return `t${this.#temporariesInUse}`;
  }

  /** Temporaries live for one statement. */
  protected releaseTemporaries(): void {
    this.#temporariesInUse = 0;
  }

  /** A value that Lua loads on a line of its own: a constant, a variable or a field. Others load themselves. */
  protected loaded(expression: Expression, line: number): string {
    const value = this.single(expression);
    if (this.trace === undefined || !isLoad(expression)) return value;
    return `(${this.trace.reach(line)},${value})`;
  }

  /** Like `single`, and then reaches the line of an instruction that uses the value. */
  protected singleThen(expression: Expression, line: number): string {
    const value = this.single(expression);
    if (this.trace === undefined) return value;
    const kept = this.temporary();
    return `(${kept}=${value},${this.trace.reach(line)},${kept})`;
  }

  /** Source that yields exactly one value. */
  protected single(expression: Expression): string {
    switch (expression.kind) {
      case 'nil':
        return 'undefined';
      case 'true':
      case 'false':
        return expression.kind;
      case 'number':
        return numberLiteral(expression.value);
      case 'string':
        return stringLiteral(expression.value);
      case 'vararg':
        return 'va[0]';
      case 'function':
        return this.closure(expression.body);
      case 'local':
        return `v${expression.variable.id}`;
      case 'global':
        return this.#global(expression);
      case 'index':
        return this.#index(expression);
      case 'call':
      case 'method': {
        const result = this.temporary();
        return `((${result}=${this.call(expression, false)}) instanceof Array?first(${result}):${result})`;
      }
      case 'and':
      case 'or':
        return this.#logical(expression);
      case 'binary':
        return this.#binary(expression);
      case 'unary':
        return this.#unary(expression);
      case 'table':
        return this.#table(expression);
      case 'parenthesised':
        return this.single(expression.inner);
    }
  }

  /** The table of globals, as source. */
  protected get globals(): string {
    return this.context.hasEnvironments ? 'E.table' : 'G';
  }

  #global({ name, line }: Expression & { kind: 'global' }): string {
    const value = `${this.mark({ line })}getGlobal(${this.globals},${stringLiteral(name)},${this.#hint()})`;
    const needsCaller = this.context.hasEnvironments && (name === 'setfenv' || name === 'getfenv');
    return needsCaller ? `knowingCaller(E,${value})` : value;
  }

  /** A variable of the chunk that remembers where a constant key was found. */
  #hint(): string {
    const name = `h${this.context.hints.length}`;
    this.context.hints.push(name);
    return name;
  }

  /** Lua creates a function when it has reached its end. */
  protected closure(body: FunctionBody): string {
    const fn = this.nestedFunction(body);
    return this.trace === undefined ? fn : `(${this.trace.reach(body.endLine)},${fn})`;
  }

  #index(expression: Expression & { kind: 'index' }): string {
    const { object, key, line } = expression;
    const mark = this.mark({ line, operands: [nameOf(object)] });
    // A library: its functions are always at the same place.
    if (key.kind === 'string' && object.kind === 'global') {
      return `${mark}indexConstant(${this.single(object)},${this.single(key)},${this.#hint()})`;
    }
    if (key.kind === 'string') return `${mark}indexString(${this.single(object)},${this.single(key)})`;
    return `${mark}index(${this.single(object)},${this.single(key)})`;
  }

  /** Source that yields a JavaScript boolean: whether the value is neither nil nor false. */
  protected condition(expression: Expression): string {
    switch (expression.kind) {
      case 'nil':
      case 'false':
        return 'false';
      case 'true':
      case 'number':
      case 'string':
      case 'function':
        return 'true';
      case 'and':
      case 'or': {
        const operator = expression.kind === 'and' ? '&&' : '||';
        const left = this.traced(this.condition(expression.left), expression.operatorLine);
        return `(${left}${operator}${this.traced(this.condition(expression.right), expression.line)})`;
      }
      case 'parenthesised':
        return this.condition(expression.inner);
      case 'local': {
        const variable = this.single(expression);
        return `(${variable}!==undefined&&${variable}!==false)`;
      }
      default: {
        if (isBoolean(expression)) return this.single(expression);
        const value = this.temporary();
        return `((${value}=${this.single(expression)})!==undefined&&${value}!==false)`;
      }
    }
  }

  /** A condition that is tested on this line. */
  protected traced(condition: string, line: number): string {
    return this.trace === undefined ? condition : `(${this.trace.reach(line)},${condition})`;
  }

  #logical(expression: Expression & { kind: 'and' | 'or' }): string {
    const { left, right, kind, operatorLine, line } = expression;
    const second = this.loaded(right, line);
    if (isBoolean(left)) return `(${this.single(left)}${kind === 'and' ? '&&' : '||'}${second})`;
    const value = this.temporary();
    const isFalse = `(${value}=${this.loaded(left, operatorLine)})===undefined||${value}===false`;
    return kind === 'and' ? `(${isFalse}?${value}:${second})` : `(${isFalse}?${second}:${value})`;
  }

  #binary(expression: Expression & { kind: 'binary' }): string {
    const { operator, left, right, line, operatorLine } = expression;
    switch (operator) {
      case '..': {
        const operands = `${this.loaded(left, operatorLine)},${this.loaded(right, line)}`;
        return `${this.mark(operandSite(left, right, line))}concat(${operands})`;
      }
      case '==':
      case '~=':
        return this.#equality(operator, left, right, line);
      default:
        return this.#numeric(operator, left, right, line);
    }
  }

  #equality(operator: '==' | '~=', left: Expression, right: Expression, line: number): string {
    const negation = operator === '~=';
    if (isIdentity(left) || isIdentity(right)) {
      return `(${this.single(left)}${negation ? '!==' : '==='}${this.single(right)})`;
    }
    const test = `${this.mark({ line })}equal(${this.single(left)},${this.single(right)})`;
    return negation ? `!${test}` : test;
  }

  /** An operand that is used twice: a variable or constant is repeated, anything else is stored in a temporary. */
  #operand(expression: Expression, before: string[]): string {
    if (expression.kind === 'parenthesised') return this.#operand(expression.inner, before);
    if (expression.kind === 'local' || expression.kind === 'number') return this.single(expression);
    const value = this.single(expression);
    const operand = this.temporary();
    before.push(`${operand}=${value}`);
    return operand;
  }

  #numeric(
    operator: Exclude<BinaryOperator, '..' | '==' | '~='>,
    left: Expression,
    right: Expression,
    line: number,
  ): string {
    const before: string[] = [];
    const a = this.#operand(left, before);
    const b = this.#operand(right, before);
    const tests: string[] = [];
    if (left.kind !== 'number') tests.push(`typeof ${a}==='number'`);
    if (right.kind !== 'number' && a !== b) tests.push(`typeof ${b}==='number'`);
    const test = tests.length === 0 ? 'true' : tests.join('&&');
    if (this.trace !== undefined) before.push(this.trace.reach(line));
    const mark = this.mark(operandSite(left, right, line));
    const [fast, slow] = operation(operator, a, b);
    return `(${[...before, `${test}?${fast}:${mark}${slow}`].join(',')})`;
  }

  #unary(expression: Expression & { kind: 'unary' }): string {
    const { operator, operand, line } = expression;
    const mark = this.mark({ line, operands: [nameOf(operand)] });
    switch (operator) {
      case 'not':
        return `!${this.condition(operand)}`;
      case '#':
        return `${mark}length(${this.single(operand)})`;
      case '-': {
        if (operand.kind === 'number') return numberLiteral(-operand.value);
        const before: string[] = [];
        const value = this.#operand(operand, before);
        const negation = `typeof ${value}==='number'?-${value}:${mark}negate(${value})`;
        return `(${[...before, negation].join(',')})`;
      }
    }
  }

  #table({ items, line, start }: Expression & { kind: 'table' }): string {
    if (this.trace !== undefined) return this.#tracedTable(items, start, line);
    const elements: Expression[] = [];
    const keys: Expression[] = [];
    const keyTexts: string[] = [];
    const values: string[] = [];
    for (const item of items) {
      if (item.kind === 'element') elements.push(item.value);
      else {
        keys.push(item.key);
        keyTexts.push(this.single(item.key));
        values.push(this.single(item.value));
      }
    }
    const list = this.list(elements, items.at(-1)?.kind === 'element');
    if (keys.length === 0) return elements.length === 0 ? 'new Table()' : `new Table([${list}])`;
    if (isRecord(keys)) return `recordOf([${list}],[${keyTexts.join(',')}],[${values.join(',')}])`;
    const fields = keyTexts.map((key, i) => `${key},${values[i]}`);
    return `${this.mark({ line })}tableOf([${list}],[${fields.join(',')}])`;
  }

  /** A table whose items are stored one by one, in the order of the source. */
  #tracedTable(items: readonly TableItem[], start: number, end: number): string {
    const trace = this.trace as LineTrace;
    const pairs: string[] = [];
    const elements: string[] = [];
    items.forEach((item, i) => {
      const isLast = i === items.length - 1;
      if (item.kind === 'field') {
        pairs.push(`${this.single(item.key)},${this.singleThen(item.value, item.line)}`);
      } else if (isLast && (item.value.kind === 'vararg' || isCall(item.value))) {
        elements.push(this.list([item.value]));
      } else elements.push(this.loaded(item.value, isLast ? end : item.line));
    });
    return `(${trace.reach(start)},${this.mark({ line: end })}tableOf([${elements.join(',')}],[${pairs.join(',')}]))`;
  }

  /**
   * Values separated by commas. With `open`, the last one is expanded to all its results if it can have several. `lines` are those
   * on which Lua loads them.
   */
  protected list(expressions: readonly Expression[], open = true, lines?: readonly number[]): string {
    return expressions
      .map((expression, i) => {
        const line = lines?.[i];
        if (line !== undefined && isLoad(expression)) {
          return this.loaded(expression, line);
        }
        if (!open || i < expressions.length - 1) return this.single(expression);
        if (expression.kind === 'vararg') return '...va';
        return isCall(expression) ? `...all(${this.call(expression, false)})` : this.single(expression);
      })
      .join(',');
  }

  /** Source that yields the results of a call as the function returned them: one value or an array. */
  protected call(expression: CallExpression, isTailCall: boolean): string {
    const before: string[] = [];
    const called = callName(expression);
    const mark = this.mark({ line: expression.line, called, operands: [called], isTailCall });
    let callee: string;
    const args: string[] = [];
    if (expression.kind === 'call') {
      callee = this.#callee(expression.callee);
    } else {
      const object = this.#operand(expression.object, before);
      const lookup = this.mark({ line: expression.line, operands: [nameOf(expression.object)] });
      const method = this.temporary();
      const name = stringLiteral(expression.name);
      callee = `(typeof(${method}=${lookup}indexString(${object},${name}))==='function'?${method}:callable(${method}))`;
      args.push(object);
    }
    const invocation = this.#invocation(callee, args, expression, mark, isTailCall);
    return before.length === 0 ? invocation : `(${[...before, invocation].join(',')})`;
  }

  #callee(expression: Expression): string {
    if (expression.kind === 'local') {
      const name = this.single(expression);
      return `(typeof ${name}==='function'?${name}:callable(${name}))`;
    }
    const callee = this.temporary();
    return `(typeof(${callee}=${this.single(expression)})==='function'?${callee}:callable(${callee}))`;
  }

  #invocation(
    callee: string,
    first: string[],
    expression: CallExpression,
    mark: string,
    isTailCall: boolean,
  ): string {
    const { args } = expression;
    const last = args.at(-1);
    if (this.context.suspendable) {
      return `(yield*${mark}invoke(${[callee, ...first, ...this.#argumentList(expression)].join(',')}))`;
    }
    if (isTailCall && this.trace === undefined) return this.#tailCall(callee, first, args, mark);
    if (last === undefined || !isCall(last) || this.trace !== undefined) {
      return `${callee}${mark}(${[...first, ...this.#argumentList(expression)].join(',')})`;
    }
    return this.#callWithResults(callee, first, args.slice(0, -1), last, mark);
  }

  #argumentList({ args, argLines, line }: CallExpression): string[] {
    const list = args.length === 0 ? [] : [this.list(args, true, argLines)];
    // The call itself is on its first line. Reaching a line yields an empty array.
    return this.trace === undefined ? list : [...list, `...${this.trace.reach(line)}`];
  }

  /** `f(a, g())`: spreading is slow, and g usually has one result. */
  #callWithResults(
    callee: string,
    first: string[],
    args: readonly Expression[],
    last: CallExpression,
    mark: string,
  ): string {
    const fn = this.temporary();
    const before = [`${fn}=${callee}`];
    const values = [...first, ...args.map((arg) => this.#argument(arg, before))];
    const results = this.temporary();
    before.push(`${results}=${this.call(last, false)}`);
    const several = `${fn}(${[...values, `...all(${results})`].join(',')})`;
    const one = `${fn}(${[...values, results].join(',')})`;
    return `(${before.join(',')},${results} instanceof Array?${mark}${several}:${mark}${one})`;
  }

  /** Evaluates an argument before the code that follows it. */
  #argument(expression: Expression, before: string[]): string {
    if (expression.kind === 'number' || expression.kind === 'string') return this.single(expression);
    const value = this.single(expression);
    const argument = this.temporary();
    before.push(`${argument}=${value}`);
    return argument;
  }

  /** Some tail calls are returned to the caller, which makes them, so that the stack does not grow. */
  #tailCall(callee: string, first: string[], args: readonly Expression[], mark: string): string {
    const fn = this.temporary();
    const before = [`${fn}=${callee}`];
    const values = [...first];
    for (let i = 0; i < args.length; i++) {
      const arg = args[i] as Expression;
      const isLast = i === args.length - 1;
      if (isLast && arg.kind === 'vararg') values.push('...va');
      else if (isLast && isCall(arg)) {
        const results = this.temporary();
        before.push(`${results}=all(${this.call(arg, false)})`);
        values.push(`...${results}`);
      } else values.push(this.#argument(arg, before));
    }
    const list = values.join(',');
    return `(${before.join(',')},++tails.made>150?${mark}deferCall(${fn},[${list}]):${mark}${fn}(${list}))`;
  }
}

/** Whether the expression is only loaded: it has no instruction of its own before that. */
function isLoad({ kind }: Expression): boolean {
  switch (kind) {
    case 'nil':
    case 'true':
    case 'false':
    case 'number':
    case 'string':
    case 'local':
    case 'global':
    case 'index':
      return true;
    default:
      return false;
  }
}
