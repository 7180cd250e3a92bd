/** How the source refers to a value, as error texts say it: `global 'x'`, `field '?'`. */
export interface NameOf {
  readonly kind: 'local' | 'upvalue' | 'global' | 'field' | 'method';
  readonly name: string;
}

/** A place in a script where something can go wrong. */
export interface Site {
  readonly line: number;
  /** The function called here. */
  readonly called?: NameOf | undefined;
  /** The operands of an operation: one for indexing and calling, two for arithmetic and concatenation. */
  readonly operands?: readonly (NameOf | undefined)[];
  /** The call replaces the function it stands in. */
  readonly isTailCall?: boolean;
}
