/** An option of a command. An option without a `value` is a switch. */
export interface Option {
  /** The name of the value in the help, like `NAME`. */
  readonly value?: string;
  /** The letter after a single dash. */
  readonly short?: string;
  readonly help: string;
  readonly required?: boolean;
}

/** The options of a call. */
export interface ParsedOptions {
  text(option: string): string | undefined;
  /** Returns the value of a required option. */
  required(option: string): string;
  isSet(option: string): boolean;
}

/** Options of every command. */
export const COMMON_OPTIONS = {
  json: { help: 'prints the result as JSON' },
  help: { help: 'prints this help' },
} as const;

/** Options of commands that act in one environment. */
export const ENVIRONMENT_OPTIONS = {
  workspace: { value: 'ID|NAME', help: 'the workspace; required if there are several' },
  environment: { value: 'live|test', help: 'the environment; default: live' },
} as const;

/** The command failed for a reason that the operator can fix. */
export class CommandError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CommandError';
  }
}
