/**
 * A value too large for one packed block: an object in the database's object table whose bytes are in the arena.
 * Each type's class implements this; everything else about it is that type's own.
 */
export interface LargeValue {
  /** Elements it holds. */
  readonly length: number;
  /** Bytes it occupies, arena and heap, about. */
  memory(): number;
  /** Frees about `steps` nodes of arena memory and returns how many; fewer than `steps` means that all is freed. */
  release(steps: number): number;
}
