/** A change of a file of the copy. Without `find`, `text` is the content of a new file. */
export interface Edit {
  readonly file: string;
  /** Text that occurs once in the file. */
  readonly find?: string;
  readonly text: string;
}

/** How a forgotten step is found: test files, the type check, or the comparison of the contracts with the code. */
export type Check = { readonly tests: readonly string[] } | 'types' | 'types of pages' | 'schema';

/** A part of a recipe that a person can forget. The declaration itself is always done: without it nothing is missing. */
export interface Step {
  /** The number of the step in CONTRIBUTING.md. */
  readonly number: number;
  readonly edits: readonly Edit[];
  /** What a person does who forgets a part of the step. Default: nothing. */
  readonly instead?: readonly Edit[];
  readonly check: Check;
  /** What the failure must contain: the file to edit, or a part of its path, and the name of what was added. */
  readonly names: readonly string[];
}

export interface Recipe {
  /** The heading in CONTRIBUTING.md. */
  readonly name: string;
  /** The numbers of the steps that no check can find forgotten, with the reason. */
  readonly unchecked?: Readonly<Record<number, string>>;
  /** What declares the new thing, by the number of its step. */
  readonly declares: readonly Pick<Step, 'number' | 'edits'>[];
  readonly steps: readonly Step[];
}
