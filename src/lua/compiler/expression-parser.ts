import type {
  BinaryOperator,
  CallExpression,
  Expression,
  FunctionBody,
  TableItem,
  UnaryOperator,
  Variable,
} from './ast.js';
import { Lexer } from './lexer.js';
import { FunctionScope } from './scope.js';

/** Left and right binding power; a lower right power makes an operator associate to the right. */
const PRIORITIES = new Map<string, readonly [left: number, right: number]>([
  ['or', [1, 1]],
  ['and', [2, 2]],
  ['<', [3, 3]],
  ['>', [3, 3]],
  ['<=', [3, 3]],
  ['>=', [3, 3]],
  ['~=', [3, 3]],
  ['==', [3, 3]],
  ['..', [5, 4]],
  ['+', [6, 6]],
  ['-', [6, 6]],
  ['*', [7, 7]],
  ['/', [7, 7]],
  ['%', [7, 7]],
  ['^', [10, 9]],
]);
const UNARY_PRIORITY = 8;
const MAXIMUM_LEVELS = 200;

/** Parses expressions; a subclass parses the bodies of functions. */
export abstract class ExpressionParser {
  protected readonly lexer: Lexer;
  protected scope: FunctionScope;
  #levels = 0;
  #variables = 0;

  constructor(source: string, chunkName: string) {
    this.lexer = new Lexer(source, chunkName);
    this.scope = new FunctionScope(this.lexer, 0, undefined);
  }

  protected abstract statements(): FunctionBody['statements'];

  protected newVariable(name: string): Variable {
    return { name, id: ++this.#variables, owner: this.scope.body };
  }

  /** Rejects source that is nested so deeply that parsing it would exhaust the stack. */
  protected enterLevel(): void {
    if (++this.#levels > MAXIMUM_LEVELS) this.lexer.failWithoutToken('chunk has too many syntax levels');
  }

  protected leaveLevel(): void {
    this.#levels--;
  }

  protected accept(kind: string): boolean {
    if (this.lexer.kind !== kind) return false;
    this.lexer.advance();
    return true;
  }

  protected expect(kind: string): void {
    if (this.lexer.kind !== kind) this.lexer.fail(`'${kind}' expected`);
    this.lexer.advance();
  }

  /** Expects the closing token of a construct. If it is missing, the error names the line of the opening token. */
  protected expectClosing(closing: string, opening: string, line: number): void {
    if (this.lexer.kind !== closing && line !== this.lexer.line) {
      this.lexer.fail(`'${closing}' expected (to close '${opening}' at line ${line})`);
    }
    this.expect(closing);
  }

  protected name(): string {
    if (this.lexer.kind !== '<name>') this.lexer.fail("'<name>' expected");
    const name = this.lexer.text;
    this.lexer.advance();
    return name;
  }

  /** The line of the first instruction of the expression that begins here: Lua creates a table before it reads the brace. */
  protected get startLine(): number {
    return this.lexer.kind === '{' ? this.lexer.previousLine : this.lexer.line;
  }

  /** `lines` gets the line of each comma, and that of the last token. */
  protected expressions(lines?: number[]): Expression[] {
    const list = [this.expression()];
    while (this.accept(',')) {
      lines?.push(this.lexer.previousLine);
      list.push(this.expression());
    }
    lines?.push(this.lexer.previousLine);
    return list;
  }

  protected expression(minimum = 0): Expression {
    this.enterLevel();
    let left = this.#unaryOrSimple();
    for (;;) {
      const operator = this.lexer.kind;
      const priorities = PRIORITIES.get(operator);
      if (priorities === undefined || priorities[0] <= minimum) break;
      this.lexer.advance();
      const operatorLine = this.lexer.previousLine;
      const right = this.expression(priorities[1]);
      const lines = { operatorLine, line: this.lexer.previousLine };
      if (operator === 'and' || operator === 'or') left = { kind: operator, left, right, ...lines };
      else left = { kind: 'binary', operator: operator as BinaryOperator, left, right, ...lines };
    }
    this.leaveLevel();
    return left;
  }

  #unaryOrSimple(): Expression {
    const operator = this.lexer.kind;
    if (operator !== 'not' && operator !== '-' && operator !== '#') return this.#simple();
    this.lexer.advance();
    const operand = this.expression(UNARY_PRIORITY);
    return { kind: 'unary', operator: operator as UnaryOperator, operand, line: this.lexer.previousLine };
  }

  #simple(): Expression {
    const { lexer } = this;
    switch (lexer.kind) {
      case '<number>': {
        const { value } = lexer;
        lexer.advance();
        return { kind: 'number', value };
      }
      case '<string>': {
        const { text } = lexer;
        lexer.advance();
        return { kind: 'string', value: text };
      }
      case 'nil':
      case 'true':
      case 'false': {
        const { kind } = lexer;
        lexer.advance();
        return { kind };
      }
      case '...':
        if (!this.scope.body.isVararg) lexer.fail("cannot use '...' outside a vararg function");
        lexer.advance();
        this.scope.body.usesVararg = true;
        return { kind: 'vararg' };
      case '{':
        return this.#table();
      case 'function':
        lexer.advance();
        return { kind: 'function', body: this.functionBody(false, lexer.line) };
      default:
        return this.suffixed();
    }
  }

  #primary(): Expression {
    const { lexer } = this;
    if (lexer.kind === '(') {
      const { line } = lexer;
      lexer.advance();
      const inner = this.expression();
      this.expectClosing(')', '(', line);
      return { kind: 'parenthesised', inner };
    }
    if (lexer.kind === '<name>') return this.variable(this.name());
    return lexer.fail('unexpected symbol');
  }

  protected variable(name: string): Expression & { kind: 'local' | 'global' } {
    const variable = this.scope.resolve(name);
    if (variable === undefined) return { kind: 'global', name, line: this.lexer.previousLine };
    return { kind: 'local', variable, isUpvalue: variable.owner !== this.scope.body };
  }

  protected suffixed(): Expression {
    let expression = this.#primary();
    for (;;) {
      const { lexer } = this;
      switch (lexer.kind) {
        case '.': {
          lexer.advance();
          const key: Expression = { kind: 'string', value: this.name() };
          expression = { kind: 'index', object: expression, key, line: lexer.previousLine };
          break;
        }
        case '[': {
          const key = this.#bracketedKey();
          expression = { kind: 'index', object: expression, key, line: lexer.previousLine };
          break;
        }
        case ':': {
          lexer.advance();
          const name = this.name();
          const { line } = lexer;
          expression = { kind: 'method', object: expression, name, ...this.#arguments(), line };
          break;
        }
        case '(':
        case '<string>':
        case '{': {
          const { line } = lexer;
          expression = { kind: 'call', callee: expression, ...this.#arguments(), line };
          break;
        }
        default:
          return expression;
      }
    }
  }

  #arguments(): Pick<CallExpression, 'args' | 'argLines'> {
    const { lexer } = this;
    const argLines: number[] = [];
    switch (lexer.kind) {
      case '(': {
        const { line } = lexer;
        if (line !== lexer.previousLine) lexer.fail('ambiguous syntax (function call x new statement)');
        lexer.advance();
        const args = (lexer.kind as string) === ')' ? [] : this.expressions(argLines);
        this.expectClosing(')', '(', line);
        // The last one is loaded after the parenthesis.
        argLines[Math.max(0, args.length - 1)] = lexer.previousLine;
        return { args, argLines };
      }
      case '{':
        return { args: [this.#table()], argLines };
      case '<string>': {
        const { text } = lexer;
        lexer.advance();
        return { args: [{ kind: 'string', value: text }], argLines: [lexer.previousLine] };
      }
      default:
        return lexer.fail('function arguments expected');
    }
  }

  #bracketedKey(): Expression {
    this.lexer.advance();
    const key = this.expression();
    this.expect(']');
    return key;
  }

  #table(): Expression {
    const { lexer } = this;
    const { line, previousLine: start } = lexer;
    this.expect('{');
    const items: TableItem[] = [];
    while (lexer.kind !== '}') {
      items.push(this.#tableItem());
      if (!this.accept(',') && !this.accept(';')) break;
    }
    this.expectClosing('}', '{', line);
    return { kind: 'table', items, start, line: lexer.previousLine };
  }

  #tableItem(): TableItem {
    const { lexer } = this;
    if (lexer.kind === '<name>' && lexer.lookAhead() === '=') {
      const key: Expression = { kind: 'string', value: this.name() };
      this.expect('=');
      return { kind: 'field', key, value: this.expression(), line: lexer.previousLine };
    }
    if (lexer.kind === '[') {
      const key = this.#bracketedKey();
      this.expect('=');
      return { kind: 'field', key, value: this.expression(), line: lexer.previousLine };
    }
    // Lua loads it when it has read the token that follows.
    return { kind: 'element', value: this.expression(), line: lexer.line };
  }

  /** Parameters, statements and `end`. */
  protected functionBody(hasSelf: boolean, line: number): FunctionBody {
    const scope = new FunctionScope(this.lexer, line, this.scope);
    this.scope = scope;
    const { body } = scope;
    this.expect('(');
    if (hasSelf) this.#parameter('self');
    if (this.lexer.kind !== ')') {
      do {
        if (this.lexer.kind === '...') {
          this.lexer.advance();
          body.isVararg = true;
          body.argVariable = this.newVariable('arg');
          break;
        }
        if (this.lexer.kind !== '<name>') this.lexer.fail("<name> or '...' expected");
        this.#parameter(this.name());
      } while (this.accept(','));
    }
    scope.checkLocals(body.parameters.length);
    for (const parameter of body.parameters) scope.activate(parameter);
    if (body.argVariable !== undefined) scope.activate(body.argVariable);
    this.expect(')');
    body.statements = this.statements();
    this.expectClosing('end', 'function', line);
    body.endLine = this.lexer.previousLine;
    this.scope = scope.outer as FunctionScope;
    return body;
  }

  #parameter(name: string): void {
    this.scope.checkLocals(this.scope.body.parameters.length + 1);
    this.scope.body.parameters.push(this.newVariable(name));
  }
}

export function isCall(expression: Expression): expression is CallExpression {
  return expression.kind === 'call' || expression.kind === 'method';
}
