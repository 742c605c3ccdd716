import type { Format } from './formats.ts';

/** The environment variables that are set, as text. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One environment variable: its documentation, and how its text becomes a value. */
export interface Variable<Value = unknown, Default extends string | undefined = string | undefined>
  extends Format<Value> {
  readonly meaning: string;
  /** The text that applies if the variable is not set. */
  readonly default: Default;
  /** Describes what applies if the variable is not set and has no fixed default. */
  readonly fallback: string | undefined;
  /** The variable is required if this condition holds. */
  readonly required: Requirement | undefined;
}

export interface Requirement {
  /** Completes "required if …". */
  readonly condition: string;
  readonly holds: (environment: Environment) => boolean;
}

interface Documentation<Default extends string | undefined> {
  readonly meaning: string;
  readonly default?: Default;
  readonly fallback?: string;
  readonly required?: Requirement;
}

/** Declares a variable. */
export function variable<Value, const Default extends string | undefined = undefined>(
  documentation: Documentation<Default>,
  format: Format<Value>,
): Variable<Value, Default> {
  return {
    default: undefined as Default,
    fallback: undefined,
    required: undefined,
    ...documentation,
    ...format,
  };
}
