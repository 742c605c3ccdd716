/** The members of micromark's tokenizer that syntaxes of ours use. Codes below 0 are line endings and tabs, null is the end. */
export type Code = number | null;

export type State = (code: Code) => State | undefined;

export interface Effects {
  enter(type: string): void;
  exit(type: string): void;
  consume(code: Code): void;
  check(construct: Construct, ok: State, nok: State): State;
  attempt(construct: Construct, ok: State, nok: State): State;
}

export interface Context {
  readonly previous: Code;
  /** Lines of a paragraph without the prefix of the quote or the list that they belong to. */
  readonly parser: { readonly lazy: Readonly<Record<number, boolean | undefined>> };
  now(): { readonly line: number };
}

export interface Construct {
  readonly tokenize: (this: Context, effects: Effects, ok: State, nok: State) => State;
  readonly [member: string]: unknown;
}

export function isLineEnding(code: Code): boolean {
  return code !== null && code < -2;
}

/** Line endings and tabs become spaces. */
export function characterOf(code: Code): string {
  if (code === null) return '';
  return code < 0 ? ' ' : String.fromCharCode(code);
}
