/** A local variable. Its number is unique within the chunk; the generated code uses it as the name. */
export interface Variable {
  readonly name: string;
  readonly id: number;
  readonly owner: FunctionBody;
}

export type Expression =
  | { readonly kind: 'nil' | 'true' | 'false' | 'vararg' }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'function'; readonly body: FunctionBody }
  | { readonly kind: 'local'; readonly variable: Variable; readonly isUpvalue: boolean }
  | { readonly kind: 'global'; readonly name: string; readonly line: number }
  | { readonly kind: 'index'; readonly object: Expression; readonly key: Expression; readonly line: number }
  | CallExpression
  | {
      readonly kind: 'and' | 'or';
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
      readonly line: number;
    }
  | {
      readonly kind: 'unary';
      readonly operator: UnaryOperator;
      readonly operand: Expression;
      readonly line: number;
    }
  | { readonly kind: 'table'; readonly items: readonly TableItem[]; readonly line: number }
  /** An expression in parentheses: keeps only the first result. */
  | { readonly kind: 'parenthesised'; readonly inner: Expression };

export type CallExpression =
  | {
      readonly kind: 'call';
      readonly callee: Expression;
      readonly args: readonly Expression[];
      readonly line: number;
    }
  | {
      readonly kind: 'method';
      readonly object: Expression;
      readonly name: string;
      readonly args: readonly Expression[];
      readonly line: number;
    };

export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '^' | '..' | '==' | '~=' | '<' | '<=' | '>' | '>=';
export type UnaryOperator = '-' | 'not' | '#';

export type TableItem =
  | { readonly kind: 'element'; readonly value: Expression }
  | { readonly kind: 'field'; readonly key: Expression; readonly value: Expression };

/** The target of an assignment. */
export type Target = Extract<Expression, { kind: 'local' | 'global' | 'index' }>;

export type Statement =
  | {
      readonly kind: 'local';
      readonly variables: readonly Variable[];
      readonly values: readonly Expression[];
      readonly line: number;
    }
  | {
      readonly kind: 'assign';
      readonly targets: readonly Target[];
      readonly values: readonly Expression[];
      readonly line: number;
    }
  | { readonly kind: 'call'; readonly call: CallExpression }
  | { readonly kind: 'do'; readonly body: Block }
  | { readonly kind: 'while'; readonly condition: Expression; readonly body: Block; readonly line: number }
  | { readonly kind: 'repeat'; readonly body: Block; readonly condition: Expression; readonly line: number }
  | {
      readonly kind: 'if';
      readonly branches: readonly { readonly condition: Expression; readonly body: Block }[];
      readonly otherwise: Block | undefined;
    }
  | {
      readonly kind: 'count';
      readonly variable: Variable;
      readonly from: Expression;
      readonly to: Expression;
      readonly step: Expression | undefined;
      readonly body: Block;
      readonly line: number;
      /** The line that errors about the bounds show. */
      readonly doLine: number;
    }
  | {
      readonly kind: 'iterate';
      readonly variables: readonly Variable[];
      readonly values: readonly Expression[];
      readonly body: Block;
      readonly line: number;
    }
  | { readonly kind: 'localFunction'; readonly variable: Variable; readonly body: FunctionBody }
  | { readonly kind: 'return'; readonly values: readonly Expression[]; readonly line: number }
  | { readonly kind: 'break' };

export type Block = readonly Statement[];

export interface FunctionBody {
  /** 0 for the main function. */
  readonly line: number;
  parameters: Variable[];
  isVararg: boolean;
  usesVararg: boolean;
  /** The table `arg` of Lua 5.0, which vararg functions have unless they use `...`. */
  argVariable: Variable | undefined;
  statements: Block;
}
