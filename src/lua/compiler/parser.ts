import type { Block, Branch, Expression, FunctionBody, Statement, Target, Variable } from './ast.js';
import { ExpressionParser, isCall } from './expression-parser.js';
import { END_OF_SOURCE } from './lexer.js';

/** Parses a chunk of Lua 5.1. Throws LuaSyntaxError with Lua's error texts. */
export function parse(source: string, chunkName: string): FunctionBody {
  return new Parser(source, chunkName).chunk();
}

class Parser extends ExpressionParser {
  chunk(): FunctionBody {
    const { body } = this.scope;
    body.isVararg = true;
    this.lexer.advance();
    body.statements = this.statements();
    if (this.lexer.kind !== END_OF_SOURCE) this.lexer.fail(`'${END_OF_SOURCE}' expected`);
    body.endLine = this.lexer.previousLine;
    return body;
  }

  protected statements(): Block {
    const list: Statement[] = [];
    this.enterLevel();
    while (!this.#endsBlock()) {
      const statement = this.#statement();
      list.push(statement);
      this.accept(';');
      if (statement.kind === 'return' || statement.kind === 'break') break;
    }
    this.leaveLevel();
    return list;
  }

  #endsBlock(): boolean {
    switch (this.lexer.kind) {
      case 'else':
      case 'elseif':
      case 'end':
      case 'until':
      case END_OF_SOURCE:
        return true;
      default:
        return false;
    }
  }

  /** Statements with a scope of their own. */
  #block(): Block {
    const { depth } = this.scope;
    const block = this.statements();
    this.scope.leave(depth);
    return block;
  }

  #loopBody(variables: readonly Variable[]): Block {
    const { depth } = this.scope;
    this.scope.checkLocals(variables.length);
    for (const variable of variables) this.scope.activate(variable);
    this.scope.loops++;
    const block = this.statements();
    this.scope.loops--;
    this.scope.leave(depth);
    return block;
  }

  #statement(): Statement {
    const { line } = this.lexer;
    switch (this.lexer.kind) {
      case 'if':
        return this.#if(line);
      case 'while':
        return this.#while(line);
      case 'do': {
        this.lexer.advance();
        const body = this.#block();
        this.expectClosing('end', 'do', line);
        return { kind: 'do', body };
      }
      case 'for':
        return this.#for(line);
      case 'repeat':
        return this.#repeat(line);
      case 'function':
        return this.#function(line);
      case 'local':
        this.lexer.advance();
        return this.accept('function') ? this.#localFunction() : this.#local();
      case 'return':
        return this.#return();
      case 'break':
        this.lexer.advance();
        if (this.scope.loops === 0) this.lexer.fail('no loop to break');
        return { kind: 'break', line };
      default:
        return this.#assignmentOrCall();
    }
  }

  #if(line: number): Statement {
    const branches: Branch[] = [];
    do {
      this.lexer.advance();
      const start = this.startLine;
      const condition = this.expression();
      this.expect('then');
      const body = this.#block();
      branches.push({ condition, body, start, lastLine: this.lexer.previousLine });
    } while (this.lexer.kind === 'elseif');
    const otherwise = this.accept('else') ? this.#block() : undefined;
    this.expectClosing('end', 'if', line);
    return { kind: 'if', branches, otherwise };
  }

  #while(line: number): Statement {
    this.lexer.advance();
    const condition = this.expression();
    this.expect('do');
    const body = this.#loopBody([]);
    const lastLine = this.lexer.previousLine;
    this.expectClosing('end', 'while', line);
    return { kind: 'while', condition, body, line, lastLine };
  }

  #repeat(line: number): Statement {
    this.lexer.advance();
    const { depth } = this.scope;
    this.scope.loops++;
    const body = this.statements();
    this.expectClosing('until', 'repeat', line);
    this.scope.loops--;
    const condition = this.expression();
    this.scope.leave(depth);
    return { kind: 'repeat', body, condition, line, conditionLine: this.lexer.previousLine };
  }

  #for(line: number): Statement {
    this.lexer.advance();
    const first = this.name();
    let statement: Statement;
    switch (this.lexer.kind) {
      case '=':
        statement = this.#count(first, line);
        break;
      case ',':
      case 'in':
        statement = this.#iterate(first, line);
        break;
      default:
        return this.lexer.fail("'=' or 'in' expected");
    }
    this.expectClosing('end', 'for', line);
    return statement;
  }

  #count(name: string, line: number): Statement {
    this.lexer.advance();
    const from = this.expression();
    this.expect(',');
    const to = this.expression();
    const step = this.accept(',') ? this.expression() : undefined;
    this.expect('do');
    const doLine = this.lexer.previousLine;
    const variable = this.newVariable(name);
    return { kind: 'count', variable, from, to, step, body: this.#loopBody([variable]), line, doLine };
  }

  #iterate(first: string, line: number): Statement {
    const names = [first];
    while (this.accept(',')) names.push(this.name());
    this.expect('in');
    const values = this.expressions();
    this.expect('do');
    const doLine = this.lexer.previousLine;
    const variables = names.map((name) => this.newVariable(name));
    return { kind: 'iterate', variables, values, body: this.#loopBody(variables), line, doLine };
  }

  #function(line: number): Statement {
    this.lexer.advance();
    let target: Target = this.variable(this.name());
    let hasSelf = false;
    while (this.lexer.kind === '.' || this.lexer.kind === ':') {
      hasSelf = this.lexer.kind === ':';
      this.lexer.advance();
      const key: Expression = { kind: 'string', value: this.name() };
      target = { kind: 'index', object: target, key, line: this.lexer.previousLine };
      if (hasSelf) break;
    }
    const body = this.functionBody(hasSelf, line);
    return {
      kind: 'assign',
      targets: [target],
      values: [{ kind: 'function', body }],
      valueLines: [body.endLine],
      start: body.endLine,
      line,
    };
  }

  #localFunction(): Statement {
    const { line } = this.lexer;
    this.scope.checkLocals(1);
    const variable = this.newVariable(this.name());
    this.scope.activate(variable);
    return { kind: 'localFunction', variable, body: this.functionBody(false, line) };
  }

  #local(): Statement {
    const variables: Variable[] = [];
    do {
      this.scope.checkLocals(variables.length + 1);
      variables.push(this.newVariable(this.name()));
    } while (this.accept(','));
    const hasValues = this.accept('=');
    const start = hasValues ? this.startLine : this.lexer.previousLine;
    const valueLines: number[] = [];
    const values = hasValues ? this.expressions(valueLines) : [];
    for (const variable of variables) this.scope.activate(variable);
    return { kind: 'local', variables, values, valueLines, start, line: this.lexer.previousLine };
  }

  #return(): Statement {
    this.lexer.advance();
    const isEmpty = this.#endsBlock() || this.lexer.kind === ';';
    const start = isEmpty ? this.lexer.previousLine : this.startLine;
    const valueLines: number[] = [];
    const values = isEmpty ? [] : this.expressions(valueLines);
    return { kind: 'return', values, valueLines, start, line: this.lexer.previousLine };
  }

  #assignmentOrCall(): Statement {
    const { line: start } = this.lexer;
    const first = this.suffixed();
    if (isCall(first)) return { kind: 'call', call: first, start };
    const targets = [this.#target(first)];
    while (this.accept(',')) targets.push(this.#target(this.suffixed()));
    this.expect('=');
    const valueLines: number[] = [];
    const values = this.expressions(valueLines);
    return { kind: 'assign', targets, values, valueLines, start, line: this.lexer.previousLine };
  }

  #target(expression: Expression): Target {
    if (expression.kind === 'local' || expression.kind === 'global' || expression.kind === 'index') {
      return expression;
    }
    return this.lexer.fail('syntax error');
  }
}
