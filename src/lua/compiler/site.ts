/** How error texts describe the expression that a value came from: `global 'x'`, `field '?'`. */
export interface NameOf {
  readonly kind: 'local' | 'upvalue' | 'global' | 'field' | 'method';
  readonly name: string;
}

/** A place in a script where an error can occur. */
export interface Site {
  readonly line: number;
  /** The function called here. */
  readonly called?: NameOf | undefined;
  /** The operands of an operation: one for indexing and calling, two for arithmetic and concatenation. */
  readonly operands?: readonly (NameOf | undefined)[];
  /** The call is a tail call: it replaces the function that contains it. */
  readonly isTailCall?: boolean;
}
