import type { Session } from './session.ts';

/** An option of a command. One without a `value` is a switch. */
export interface Option {
  /** What is to stand behind it, for the help: `NAME`. */
  readonly value?: string;
  readonly help: string;
  readonly required?: boolean;
}

/** What was given: texts by option, and switches. */
export interface Given {
  text(option: string): string | undefined;
  /** Of an option that is required. */
  required(option: string): string;
  isSet(option: string): boolean;
}

/** What a command tells: as an object with `--json`, else as text. */
export interface Told {
  readonly data: object;
  readonly text: string;
  /** Standard output is taken by what was asked for: this goes to standard error. */
  readonly aside?: boolean;
}

export interface Command {
  /** One or two words. */
  readonly name: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, Option>>;
  /** Options by the fields that they fill, where they are called otherwise: how a fault's field is named. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Makes the tables that all others need. */
  readonly migrates?: boolean;
  run(session: Session, given: Given): Promise<Told>;
}

/** It was called wrongly: by an option that is not there, or without one that has to be. */
export class UsageError extends Error {
  readonly command: Command | undefined;

  constructor(message: string, command?: Command) {
    super(message);
    this.name = 'UsageError';
    this.command = command;
  }
}

/** It cannot be done, for a reason that the operator can mend. */
export class CommandError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CommandError';
  }
}

/** Which environment of which workspace, for commands that act in one. */
export const ENVIRONMENT_OPTIONS = {
  workspace: { value: 'ID|NAME', help: 'the workspace; needed where there is more than one' },
  environment: { value: 'live|test', help: 'its environment; live by default' },
} as const;
