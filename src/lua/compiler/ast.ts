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
      readonly operatorLine: number;
      readonly line: number;
    }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
      readonly operatorLine: number;
      readonly line: number;
    }
  | {
      readonly kind: 'unary';
      readonly operator: UnaryOperator;
      readonly operand: Expression;
      readonly line: number;
    }
  | {
      readonly kind: 'table';
      readonly items: readonly TableItem[];
      /** The line of the token before the opening brace, and that of the closing one. */
      readonly start: number;
      readonly line: number;
    }
  /** An expression in parentheses: keeps only the first result. */
  | { readonly kind: 'parenthesised'; readonly inner: Expression };

export type CallExpression =
  | {
      readonly kind: 'call';
      readonly callee: Expression;
      readonly args: readonly Expression[];
      /** The line on which Lua loads each argument: that of the comma or parenthesis after it. */
      readonly argLines: readonly number[];
      readonly line: number;
    }
  | {
      readonly kind: 'method';
      readonly object: Expression;
      readonly name: string;
      readonly args: readonly Expression[];
      readonly argLines: readonly number[];
      readonly line: number;
    };

export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '^' | '..' | '==' | '~=' | '<' | '<=' | '>' | '>=';
export type UnaryOperator = '-' | 'not' | '#';

/** `line` is the line on which Lua stores the item. */
export type TableItem =
  | { readonly kind: 'element'; readonly value: Expression; readonly line: number }
  | { readonly kind: 'field'; readonly key: Expression; readonly value: Expression; readonly line: number };

/** The target of an assignment. */
export type Target = Extract<Expression, { kind: 'local' | 'global' | 'index' }>;

/**
 * `start` is the line of the first value, `valueLines` are those on which Lua loads each, `line` is that of the last token,
 * `lastLine` that of the last token of the body.
 */
export type Statement =
  | {
      readonly kind: 'local';
      readonly variables: readonly Variable[];
      readonly values: readonly Expression[];
      readonly valueLines: readonly number[];
      readonly start: number;
      readonly line: number;
    }
  | {
      readonly kind: 'assign';
      readonly targets: readonly Target[];
      readonly values: readonly Expression[];
      readonly valueLines: readonly number[];
      readonly start: number;
      readonly line: number;
    }
  | { readonly kind: 'call'; readonly call: CallExpression; readonly start: number }
  | { readonly kind: 'do'; readonly body: Block }
  | {
      readonly kind: 'while';
      readonly condition: Expression;
      readonly body: Block;
      readonly line: number;
      readonly lastLine: number;
    }
  | {
      readonly kind: 'repeat';
      readonly body: Block;
      readonly condition: Expression;
      readonly line: number;
      readonly conditionLine: number;
    }
  | { readonly kind: 'if'; readonly branches: readonly Branch[]; readonly otherwise: Block | undefined }
  | {
      readonly kind: 'count';
      readonly variable: Variable;
      readonly from: Expression;
      readonly to: Expression;
      readonly step: Expression | undefined;
      readonly body: Block;
      readonly line: number;
      /** The line of `do`, which errors about the bounds show. */
      readonly doLine: number;
    }
  | {
      readonly kind: 'iterate';
      readonly variables: readonly Variable[];
      readonly values: readonly Expression[];
      readonly body: Block;
      readonly line: number;
      readonly doLine: number;
    }
  | { readonly kind: 'localFunction'; readonly variable: Variable; readonly body: FunctionBody }
  | {
      readonly kind: 'return';
      readonly values: readonly Expression[];
      readonly valueLines: readonly number[];
      readonly start: number;
      readonly line: number;
    }
  | { readonly kind: 'break'; readonly line: number };

export type Block = readonly Statement[];

/** `if … then` or `elseif … then`: the lines of the condition's first token and of the body's last one. */
export interface Branch {
  readonly condition: Expression;
  readonly body: Block;
  readonly start: number;
  readonly lastLine: number;
}

export interface FunctionBody {
  /** 0 for the main function. */
  readonly line: number;
  /** The line of `end`; in the main function that of the last token. */
  endLine: number;
  parameters: Variable[];
  isVararg: boolean;
  usesVararg: boolean;
  /** The table `arg` of Lua 5.0, which vararg functions have unless they use `...`. */
  argVariable: Variable | undefined;
  statements: Block;
}
