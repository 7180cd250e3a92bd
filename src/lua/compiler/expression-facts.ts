import type { CallExpression, Expression } from './ast.js';
import type { NameOf, Site } from './site.js';

/** Properties of expressions that the generator needs. */

const ARITHMETIC = new Map<string, readonly [helper: string, operator: string]>([
  ['+', ['add', '+']],
  ['-', ['subtract', '-']],
  ['*', ['multiply', '*']],
  ['/', ['divide', '/']],
]);

/** The maximum number of fields of a table without an index of its keys. */
const RECORD_SIZE = 8;

/** Whether the keys of a constructor are few, constant and all different. */
export function isRecord(keys: readonly Expression[]): boolean {
  const names = new Set(keys.map((key) => (key.kind === 'string' ? key.value : undefined)));
  return keys.length <= RECORD_SIZE && names.size === keys.length && !names.has(undefined);
}

/** How error texts describe the expression that a value came from. */
export function nameOf(expression: Expression): NameOf | undefined {
  switch (expression.kind) {
    case 'local':
      return { kind: expression.isUpvalue ? 'upvalue' : 'local', name: expression.variable.name };
    case 'global':
      return { kind: 'global', name: expression.name };
    case 'index':
      return { kind: 'field', name: expression.key.kind === 'string' ? expression.key.value : '?' };
    case 'parenthesised':
      return nameOf(expression.inner);
    default:
      return undefined;
  }
}

export function callName(expression: CallExpression): NameOf | undefined {
  return expression.kind === 'method' ? { kind: 'method', name: expression.name } : nameOf(expression.callee);
}

export function operandSite(left: Expression, right: Expression, line: number): Site {
  return { line, operands: [nameOf(left), nameOf(right)] };
}

/** Whether `===` is enough for a comparison because no metamethod can apply. */
export function isIdentity(expression: Expression): boolean {
  switch (expression.kind) {
    case 'nil':
    case 'true':
    case 'false':
    case 'number':
    case 'string':
      return true;
    default:
      return false;
  }
}

export function isBoolean(expression: Expression): boolean {
  switch (expression.kind) {
    case 'true':
    case 'false':
      return true;
    case 'unary':
      return expression.operator === 'not';
    case 'binary':
      return ['==', '~=', '<', '<=', '>', '>='].includes(expression.operator);
    case 'parenthesised':
      return isBoolean(expression.inner);
    default:
      return false;
  }
}

/** The JavaScript operator for two numbers, and the runtime's function for any two values. */
export function operation(operator: string, a: string, b: string): readonly [fast: string, slow: string] {
  const arithmetic = ARITHMETIC.get(operator);
  if (arithmetic !== undefined) return [`${a}${arithmetic[1]} ${b}`, `${arithmetic[0]}(${a},${b})`];
  switch (operator) {
    case '%':
      return [`${a}-floor(${a}/ ${b})*${b}`, `modulo(${a},${b})`];
    case '^':
      return [`power(${a},${b})`, `raiseTo(${a},${b})`];
    case '<':
      return [`${a}<${b}`, `lessThan(${a},${b})`];
    case '>':
      return [`${a}>${b}`, `lessThan(${b},${a})`];
    case '<=':
      return [`${a}<=${b}`, `lessOrEqual(${a},${b})`];
    default:
      return [`${a}>=${b}`, `lessOrEqual(${b},${a})`];
  }
}
