/** A guard of the source that is removed or reversed, and the test file that must notice it. */
export interface Mutant {
  /** What the mutated code does wrong. */
  readonly name: string;
  /** The source file, in `src`. */
  readonly file: string;
  /** Text that occurs once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The test file, in `test`. */
  readonly test: string;
}
