import type { Option, ParsedOptions } from './options.ts';
import type { Session } from './session.ts';

/** The output of a command: an object with `--json`, otherwise text. */
export interface CommandResult {
  readonly data: object;
  readonly text: string;
  /** Prints the result to standard error, because the command wrote its data to standard output. */
  readonly toStandardError?: boolean;
}

export interface Command {
  /** One or two words. */
  readonly name: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, Option>>;
  /** The option of each input field that has another name, for error messages. */
  readonly fields?: Readonly<Record<string, string>>;
  /** The command applies migrations. Other commands fail if a migration is missing. */
  readonly migrates?: boolean;
  run(session: Session, options: ParsedOptions): Promise<CommandResult>;
}

/** The command line is not valid. */
export class UsageError extends Error {
  readonly command: Command | undefined;

  constructor(message: string, command?: Command) {
    super(message);
    this.name = 'UsageError';
    this.command = command;
  }
}
