import type { Option, ParsedOptions } from './options.ts';
import type { Session } from './session.ts';
import type { Terminal } from './terminal.ts';

/** The output of a command: an object with `--json`, otherwise text. */
export interface CommandResult {
  readonly data: object;
  readonly text: string;
  /** Prints the result to standard error, because the command wrote its data to standard output. */
  readonly toStandardError?: boolean;
  /** Default: 0. */
  readonly exitCode?: number;
}

interface CommandFacts {
  /** One or two words. */
  readonly name: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, Option>>;
}

/** A command that uses the API of a running service, and no database. */
export interface RemoteCommand extends CommandFacts {
  readonly isRemote: true;
  run(terminal: Terminal, options: ParsedOptions): Promise<CommandResult>;
}

export type AnyCommand = Command | RemoteCommand;

export interface Command extends CommandFacts {
  readonly isRemote?: false;
  /** The option of each input field that has another name, for error messages. */
  readonly fields?: Readonly<Record<string, string>>;
  /** The command applies migrations. Other commands fail if a migration is missing. */
  readonly migrates?: boolean;
  run(session: Session, options: ParsedOptions): Promise<CommandResult>;
}

/** The command line is not valid. */
export class UsageError extends Error {
  readonly command: AnyCommand | undefined;

  constructor(message: string, command?: AnyCommand) {
    super(message);
    this.name = 'UsageError';
    this.command = command;
  }
}
