import type { Block, CallExpression, Expression, FunctionBody, Statement, Target, Variable } from './ast.js';
import { stringLiteral } from './emitter.js';
import { nameOf } from './expression-facts.js';
import { type ChunkContext, ExpressionGenerator } from './expression-generator.js';
import { isCall } from './expression-parser.js';

/** Generates the source of a JavaScript function that behaves like the Lua function. */
export function generateFunction(body: FunctionBody, context: ChunkContext): string {
  return new FunctionGenerator(context).generate(body);
}

class FunctionGenerator extends ExpressionGenerator {
  /** The state of loops is in separate variables: s1, s2 … */
  #states = 0;

  generate(body: FunctionBody): string {
    const parameters = body.parameters.map(nameOfVariable);
    const needsArg = body.argVariable !== undefined && !body.usesVararg;
    if (body.usesVararg || needsArg) parameters.push('...va');
    let prologue = `${this.#budget(Math.max(1, body.line), 'calls')}`;
    if (body.argVariable !== undefined) {
      prologue += `let v${body.argVariable.id}${needsArg ? '=packArguments(va)' : ''};`;
    }
    const statements = this.#block(body.statements);
    const temporaries = Array.from({ length: this.temporaries }, (_, i) => `t${i + 1}`);
    if (temporaries.length > 0) prologue = `let ${temporaries.join(',')};${prologue}`;
    const ending = body.statements.at(-1)?.kind === 'return' ? '' : 'return NOTHING;';
    const list = parameters.join(',');
    return this.context.suspendable
      ? `suspendable(function*(${list}){${prologue}${statements}${ending}})`
      : `((${list})=>{${prologue}${statements}${ending}})`;
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

  #block(block: Block): string {
    return block
      .map((statement) => {
        const text = this.#statement(statement);
        this.releaseTemporaries();
        return text;
      })
      .join('');
  }

  #statement(statement: Statement): string {
    switch (statement.kind) {
      case 'local':
        return this.#local(statement.variables, statement.values);
      case 'assign':
        return this.#assign(statement.targets, statement.values, statement.line);
      case 'call': {
        const result = this.temporary();
        return `if((${result}=${this.call(statement.call, false)}) instanceof Array)finish(${result});`;
      }
      case 'do':
        return `{${this.#block(statement.body)}}`;
      case 'while':
        return `while(${this.condition(statement.condition)}){${this.#budget(statement.line)}${this.#block(statement.body)}}`;
      case 'repeat':
        return this.#repeat(statement);
      case 'if':
        return this.#if(statement);
      case 'count':
        return this.#count(statement);
      case 'iterate':
        return this.#iterate(statement);
      case 'localFunction':
        return `let v${statement.variable.id};v${statement.variable.id}=${this.nestedFunction(statement.body)};`;
      case 'return':
        return this.#return(statement.values);
      case 'break':
        return 'break;';
    }
  }

  #local(variables: readonly Variable[], values: readonly Expression[]): string {
    const names = variables.map(nameOfVariable);
    if (values.length === 0) return `let ${names.join(',')};`;
    // Declaring them one by one is safe: the values cannot refer to the new variables.
    if (values.length === names.length || (values.length < names.length && !hasSeveral(values.at(-1)))) {
      return `let ${names.map((name, i) => initialise(name, values[i], (value) => this.single(value))).join(',')};`;
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
        this.single(value as Expression),
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
        return `${this.mark({ line })}setIndex(G,${stringLiteral(target.name)},${value});`;
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

  #repeat(statement: Statement & { kind: 'repeat' }): string {
    const body = this.#block(statement.body);
    return `for(;;){${this.#budget(statement.line)}${body}if(${this.condition(statement.condition)})break;}`;
  }

  #if(statement: Statement & { kind: 'if' }): string {
    const branches = statement.branches.map(({ condition, body }) => {
      const test = this.condition(condition);
      this.releaseTemporaries();
      return `if(${test}){${this.#block(body)}}`;
    });
    const { otherwise } = statement;
    return branches.join('else ') + (otherwise === undefined ? '' : `else{${this.#block(otherwise)}}`);
  }

  #count(statement: Statement & { kind: 'count' }): string {
    const { from, to, step, line, doLine } = statement;
    const [index, limit, increment] = [this.#state(), this.#state(), this.#state()];
    let text = `{let ${index}=${this.single(from)},${limit}=${this.single(to)}`;
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
    this.releaseTemporaries();
    const test = loopTest(step, index, limit, increment);
    const body = `${this.#budget(line)}let v${statement.variable.id}=${index};${this.#block(statement.body)}`;
    return `${text}for(;${test};${index}+=${stepText}){${body}}}`;
  }

  #loopNumber(name: string, value: Expression, what: string, line: number): string {
    if (value.kind === 'number') return '';
    return `if(typeof ${name}!=='number')${name}=${this.mark({ line })}loopNumber(${name},'${what}');`;
  }

  #iterate(statement: Statement & { kind: 'iterate' }): string {
    const { values, variables, line } = statement;
    const states = [this.#state(), this.#state(), this.#state()];
    const [iterator, subject, control] = states as [string, string, string];
    const cursor = this.#state();
    let text = `{let ${states.join(',')};${this.#spread(states, values)}`;
    text += `const ${cursor}=${this.mark({ line })}cursorOver(${states.join(',')});`;
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
    const body = this.#budget(line) + this.#block(statement.body);
    return `${text}for(;;){let ${names.join(',')};if(${cursor}!==undefined){${fromCursor}}else{${fromCall}}${body}}}`;
  }

  #return(values: readonly Expression[]): string {
    const [value] = values;
    if (value === undefined) return 'return NOTHING;';
    if (values.length > 1) return `return[${this.list(values)}];`;
    if (isCall(value)) return `return(${this.call(value as CallExpression, true)});`;
    return value.kind === 'vararg' ? 'return va;' : `return(${this.single(value)});`;
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
