/** A part of `npm run bench -- search`: a file of bench/search, which exports it as `part`. */
export interface SearchPart {
  /** One line for the title. */
  readonly about: string;
  /** Measures, asserts that the results are right, and prints its tables. */
  run(): Promise<void>;
}
