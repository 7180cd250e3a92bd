import type { Block, CallExpression, Expression, FunctionBody, Statement, Target, Variable } from './ast.js';
import { stringLiteral } from './emitter.js';
import { nameOf } from './expression-facts.js';
import { type ChunkContext, ExpressionGenerator } from './expression-generator.js';
import { isCall } from './expression-parser.js';
import { LineTrace } from './line-trace.js';

/** Generates the source of a JavaScript function that behaves like the Lua function. */
export function generateFunction(body: FunctionBody, context: ChunkContext): string {
  return new FunctionGenerator(context).generate(body);
}

class FunctionGenerator extends ExpressionGenerator {
  /** The state of loops is in separate variables: s1, s2 … */
  #states = 0;
  /** No instruction precedes the next statement: variables without a value need none. */
  #isAtStart = true;

  constructor(context: ChunkContext) {
    const trace = new LineTrace((line) => context.marks.mark({ line }));
    super(context, context.tracesLines ? trace : undefined);
  }

  generate(body: FunctionBody): string {
    for (const variable of body.parameters) this.#declare(variable);
    if (body.argVariable !== undefined) this.#declare(body.argVariable);
    const parameters = body.parameters.map(nameOfVariable);
    const needsArg = body.argVariable !== undefined && !body.usesVararg;
    if (body.usesVararg || needsArg) parameters.push('...va');
    let prologue = `${this.#budget(Math.max(1, body.line), 'calls')}`;
    if (body.argVariable !== undefined) {
      prologue += `let v${body.argVariable.id}${needsArg ? '=packArguments(va)' : ''};`;
    }
    if (this.trace !== undefined) prologue += this.trace.prologue;
    const statements = this.#block(body.statements) + (this.trace?.statement(body.endLine) ?? '');
    const temporaries = Array.from({ length: this.temporaries }, (_, i) => `t${i + 1}`);
    if (temporaries.length > 0) prologue = `let ${temporaries.join(',')};${prologue}`;
    const ending = body.statements.at(-1)?.kind === 'return' ? '' : 'return NOTHING;';
    const list = parameters.join(',');
    const fn = this.context.suspendable
      ? `suspendable(function*(${list}){${prologue}${statements}${ending}})`
      : `((${list})=>{${prologue}${statements}${ending}})`;
    return this.context.hasEnvironments ? `inEnvironment(E,(E)=>${fn})` : fn;
  }

  protected nestedFunction(body: FunctionBody): string {
    return generateFunction(body, this.context);
  }

  /** Counts steps down. At zero the host is called and decides whether the script continues. */
  #budget(line: number, counter: 'left' | 'calls' = 'left'): string {
    return `if(--B.${counter}<0)${this.mark({ line })}refill(I);`;
  }

  #state(): string {
    this.#states++;
    return `s${this.#states}`;
  }

  #declare(variable: Variable): void {
    this.trace?.declare(variable.name, nameOfVariable(variable));
  }

  /** `tail` is what the debugger is told after the block, unless the block ends with a jump. */
  #block(block: Block, tail = ''): string {
    const depth = this.trace?.depth ?? 0;
    const text = this.#statements(block, tail);
    this.trace?.leave(depth);
    return text;
  }

  #statements(block: Block, tail: string): string {
    if (tail !== '' && !passesTail(block.at(-1))) return this.#statements(block, '') + tail;
    return block
      .map((statement, i) => {
        const text = this.#statement(statement, i === block.length - 1 ? tail : '');
        this.#isAtStart &&= statement.kind === 'local' && statement.values.length === 0;
        this.releaseTemporaries();
        return text;
      })
      .join('');
  }

  /** Tells the debugger that a statement begins. */
  #begin(line: number): string {
    return this.trace?.statement(line) ?? '';
  }

  /** The first instruction of a statement whose first value is a function is at the function's end. */
  #beginValues([first]: readonly Expression[], start: number): string {
    return this.#begin(first?.kind === 'function' ? first.body.endLine : start);
  }

  #statement(statement: Statement, tail: string): string {
    switch (statement.kind) {
      case 'local': {
        const { variables, values, valueLines } = statement;
        const needsCode = values.length > 0 || !this.#isAtStart;
        const text =
          (needsCode ? this.#beginValues(values, statement.start) : '') +
          this.#local(variables, values, valueLines);
        for (const variable of variables) this.#declare(variable);
        return text;
      }
      case 'assign': {
        const { targets, values, start, line } = statement;
        if (isSelfAssignment(statement)) return '';
        return this.#beginValues(values, start) + this.#assign(targets, values, line);
      }
      case 'call': {
        const result = this.temporary();
        const call = `if((${result}=${this.call(statement.call, false)}) instanceof Array)finish(${result});`;
        return this.#begin(statement.start) + call;
      }
      case 'do':
        return `{${this.#block(statement.body, tail)}}`;
      case 'while':
        return this.#while(statement);
      case 'repeat':
        return this.#repeat(statement);
      case 'if':
        return this.#if(statement, tail);
      case 'count':
        return this.#count(statement);
      case 'iterate':
        return this.#iterate(statement);
      case 'localFunction': {
        const name = nameOfVariable(statement.variable);
        const text = `${this.#begin(statement.body.endLine)}let ${name};${name}=${this.closure(statement.body)};`;
        this.#declare(statement.variable);
        return text;
      }
      case 'return':
        return this.#beginValues(statement.values, statement.start) + this.#return(statement);
      case 'break':
        return `${this.#begin(statement.line)}break;`;
    }
  }

  #local(variables: readonly Variable[], values: readonly Expression[], lines: readonly number[]): string {
    const names = variables.map(nameOfVariable);
    if (values.length === 0) return `let ${names.join(',')};`;
    // Declaring them one by one is safe: the values cannot refer to the new variables.
    if (values.length === names.length || (values.length < names.length && !hasSeveral(values.at(-1)))) {
      return `let ${names.map((name, i) => initialise(name, values[i], (value) => this.loaded(value, lines[i] as number))).join(',')};`;
    }
    return `let ${names.join(',')};${this.#spread(names, values)}`;
  }

  /** Assigns a list of values, whose length differs from that of the names, to names that no value refers to. */
  #spread(names: readonly string[], values: readonly Expression[]): string {
    let text = '';
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as Expression;
      const name = names[i];
      const isLast = i === values.length - 1;
      if (isLast && i < names.length - 1 && hasSeveral(value)) text += this.#several(names.slice(i), value);
      else if (name === undefined) text += `${this.single(value)};`;
      else text += `${name}=${this.single(value)};`;
    }
    return text;
  }

  #several(names: readonly string[], value: Expression): string {
    if (!isCall(value)) return names.map((name, i) => `${name}=va[${i}];`).join('');
    return this.#fromResults(names, this.call(value, false));
  }

  #fromResults(names: readonly string[], call: string): string {
    const result = this.temporary();
    const fromArray = names.map((name, i) => `${name}=${result}[${i}];`).join('');
    return `if((${result}=${call}) instanceof Array){${result}=all(${result});${fromArray}}else ${names[0]}=${result};`;
  }

  #assign(targets: readonly Target[], values: readonly Expression[], line: number): string {
    const [target] = targets;
    const [value] = values;
    if (targets.length === 1 && values.length === 1) {
      return this.#store(
        target as Target,
        this.#prepare(target as Target),
        // A local variable is the direct destination of all values but the results of calls.
        (target as Target).kind === 'local' && !isCall(value as Expression)
          ? this.loaded(value as Expression, line)
          : this.singleThen(value as Expression, line),
        line,
      );
    }
    return this.#assignSeveral(targets, values, line);
  }

  /** Object and key of an indexed target, as source. */
  #prepare(target: Target): [object: string, key: string] | undefined {
    return target.kind === 'index' ? [this.single(target.object), this.single(target.key)] : undefined;
  }

  #store(target: Target, place: [string, string] | undefined, value: string, line: number): string {
    switch (target.kind) {
      case 'local':
        return `v${target.variable.id}=${value};`;
      case 'global':
        return `${this.mark({ line })}setIndex(${this.globals},${stringLiteral(target.name)},${value});`;
      case 'index': {
        const [object, key] = place as [string, string];
        const mark = this.mark({ line, operands: [nameOf(target.object)] });
        return `${mark}setIndex(${object},${key},${value});`;
      }
    }
  }

  /** All objects, keys and values are evaluated before the first assignment; then Lua assigns from right to left. */
  #assignSeveral(targets: readonly Target[], values: readonly Expression[], line: number): string {
    let text = '';
    const keep = (source: string): string => {
      const name = this.temporary();
      text += `${name}=${source};`;
      return name;
    };
    const places = targets.map((target): [string, string] | undefined => {
      if (target.kind !== 'index') return undefined;
      const object = keep(this.single(target.object));
      const constant = target.key.kind === 'string' || target.key.kind === 'number';
      return [object, constant ? this.single(target.key) : keep(this.single(target.key))];
    });
    const names = targets.map(() => this.temporary());
    text += names
      .slice(values.length)
      .map((name) => `${name}=undefined;`)
      .join('');
    text += this.#spread(names, values);
    for (let i = targets.length - 1; i >= 0; i--) {
      text += this.#store(targets[i] as Target, places[i], names[i] as string, line);
    }
    return text;
  }

  #while({ condition, body, line, lastLine }: Statement & { kind: 'while' }): string {
    const test = this.#test(condition, line);
    if (this.trace === undefined) return `while(${test}){${this.#budget(line)}${this.#block(body)}}`;
    const block = this.#block(body, this.trace.statement(lastLine));
    return `while(${test}){${this.#budget(line)}${block}${this.trace.jump}}`;
  }

  #repeat(statement: Statement & { kind: 'repeat' }): string {
    const depth = this.trace?.depth ?? 0;
    const body = this.#statements(statement.body, '');
    const test = this.condition(statement.condition);
    const reached = isTrue(statement.condition) ? '' : this.#begin(statement.conditionLine);
    this.trace?.leave(depth);
    return `for(;;){${this.#budget(statement.line)}${body}${reached}if(${test})break;${this.trace?.jump ?? ''}}`;
  }

  #if({ branches, otherwise }: Statement & { kind: 'if' }, tail: string): string {
    let text = '';
    branches.forEach(({ condition, body, start, lastLine }, i) => {
      const test = this.#test(condition, start);
      this.releaseTemporaries();
      const isLast = i === branches.length - 1 && otherwise === undefined;
      // Lua jumps over the other branches on the line of the body's last token.
      const after = isLast ? tail : (this.trace?.statement(lastLine) ?? '');
      text += `${i === 0 ? '' : 'else '}if(${test}){${this.#block(body, after)}}`;
    });
    return text + (otherwise === undefined ? '' : `else{${this.#block(otherwise, tail)}}`);
  }

  /** A condition that begins on this line. Lua has no instruction for a constant one. */
  #test(condition: Expression, start: number): string {
    const test = this.condition(condition);
    if (this.trace === undefined || isTrue(condition)) return test;
    return `(${this.trace.statement(start).slice(0, -1)},${test})`;
  }

  #count(statement: Statement & { kind: 'count' }): string {
    const { from, to, step, line, doLine } = statement;
    const [index, limit, increment] = [this.#state(), this.#state(), this.#state()];
    let text = `${this.#begin(line)}{let ${index}=${this.single(from)},${limit}=${this.single(to)}`;
    if (step !== undefined) text += `,${increment}=${this.single(step)}`;
    text += ';';
    const stepText = step === undefined ? '1' : increment;
    text += this.#loopNumber(index, from, 'initial value', doLine);
    text += this.#loopNumber(limit, to, 'limit', doLine);
    if (step !== undefined) text += this.#loopNumber(increment, step, 'step', doLine);
    // Lua subtracts the step first and adds it at the start of each iteration, which rounds fractions differently.
    if (from.kind !== 'number' || !Number.isSafeInteger(from.value) || step !== undefined) {
      text += `${index}=${index}-${stepText}+${stepText};`;
    }
    text += this.#reachLoop(doLine, line);
    this.releaseTemporaries();
    const test = loopTest(step, index, limit, increment);
    const block = this.#loopBody(
      [
        ['(for index)', index],
        ['(for limit)', limit],
        ['(for step)', stepText],
      ],
      [statement.variable],
      statement,
    );
    const body = `${this.#budget(line)}let v${statement.variable.id}=${index};${block}`;
    return `${text}for(;${test};${index}+=${stepText}){${body}}}`;
  }

  /** A loop is entered by a jump on the line of `do`, to an instruction on the line of `for`. */
  #reachLoop(doLine: number, line: number): string {
    return this.trace === undefined || doLine === line
      ? ''
      : `${this.trace.reach(doLine)};${this.trace.reach(line)};`;
  }

  /** The debugger shows the loop's own variables too. Each iteration begins with a jump back and ends on the line of `for`. */
  #loopBody(
    own: readonly (readonly [name: string, generated: string])[],
    variables: readonly Variable[],
    { body, line }: Statement & { kind: 'count' | 'iterate' },
  ): string {
    const { trace } = this;
    if (trace === undefined) return this.#block(body);
    const depth = trace.depth;
    for (const [name, generated] of own) trace.declare(name, generated);
    const end = trace.statement(line);
    for (const variable of variables) this.#declare(variable);
    const text = trace.jump + this.#block(body) + end;
    trace.leave(depth);
    return text;
  }

  #loopNumber(name: string, value: Expression, what: string, line: number): string {
    if (value.kind === 'number') return '';
    return `if(typeof ${name}!=='number')${name}=${this.mark({ line })}loopNumber(${name},'${what}');`;
  }

  #iterate(statement: Statement & { kind: 'iterate' }): string {
    const { values, variables, line, doLine } = statement;
    const states = [this.#state(), this.#state(), this.#state()];
    const [iterator, subject, control] = states as [string, string, string];
    const cursor = this.#state();
    let text = `${this.#begin(line)}{let ${states.join(',')};${this.#spread(states, values)}`;
    text += `const ${cursor}=${this.mark({ line })}cursorOver(${states.join(',')});${this.#reachLoop(doLine, line)}`;
    const names = variables.map(nameOfVariable);
    const called = { kind: 'local', name: '(for generator)' } as const;
    const mark = this.mark({ line, called });
    const call = `(typeof ${iterator}==='function'?${iterator}:callable(${iterator}))${mark}(${subject},${control})`;
    const [first, second] = names as [string, string | undefined];
    const fromCursor =
      `if(!${cursor}.advance())break;${first}=${cursor}.key;` +
      (second === undefined ? '' : `${second}=${cursor}.value;`);
    const fromCall = `${this.#fromResults(names, call)}if(${first}===undefined)break;${control}=${first};`;
    this.releaseTemporaries();
    const own = [
      ['(for generator)', iterator],
      ['(for state)', subject],
      ['(for control)', first],
    ] as const;
    const body = this.#budget(line) + this.#loopBody(own, variables, statement);
    return `${text}for(;;){let ${names.join(',')};if(${cursor}!==undefined){${fromCursor}}else{${fromCall}}${body}}}`;
  }

  #return({ values, valueLines, line }: Statement & { kind: 'return' }): string {
    const [value] = values;
    if (value === undefined) return 'return NOTHING;';
    if (values.length > 1) return `return[${this.list(values, true, valueLines)}];`;
    if (isCall(value)) {
      const call = this.call(value as CallExpression, true);
      return this.trace === undefined ? `return(${call});` : `return(${this.trace.thenReach(call, line)});`;
    }
    return value.kind === 'vararg' ? 'return va;' : `return(${this.loaded(value, line)});`;
  }
}

function nameOfVariable(variable: Variable): string {
  return `v${variable.id}`;
}

function hasSeveral(expression: Expression | undefined): boolean {
  return expression !== undefined && (expression.kind === 'vararg' || isCall(expression));
}

function initialise(
  name: string,
  value: Expression | undefined,
  source: (value: Expression) => string,
): string {
  return value === undefined ? name : `${name}=${source(value)}`;
}

function loopTest(step: Expression | undefined, index: string, limit: string, increment: string): string {
  if (step === undefined || (step.kind === 'number' && step.value > 0)) return `${index}<=${limit}`;
  return `(${increment}>0?${index}<=${limit}:${limit}<=${index})`;
}

function isTrue({ kind }: Expression): boolean {
  return kind === 'true' || kind === 'number' || kind === 'string';
}

/** Whether the end of a block is reached inside its last statement, which then tells the debugger itself. */
function passesTail(statement: Statement | undefined): boolean {
  return statement?.kind === 'if' || statement?.kind === 'do' || statement?.kind === 'while';
}

/** `x = x`, for which Lua has no instruction. */
function isSelfAssignment({ targets, values }: Statement & { kind: 'assign' }): boolean {
  const [target] = targets;
  const [value] = values;
  if (targets.length > 1 || values.length > 1) return false;
  return target?.kind === 'local' && value?.kind === 'local' && target.variable === value.variable;
}
