import { inspect } from 'node:util';
import { readConfig } from '../config.ts';
import { type FieldPath, formatPath, ServiceError } from '../contract/errors.ts';
import { reasonToStop } from '../stop-reason.ts';
import { readArguments } from './arguments.ts';
import { type AnyCommand, type Command, type CommandResult, UsageError } from './command.ts';
import { APPLY_COMMAND } from './configuration/apply-command.ts';
import { EXPORT_CONFIG_COMMAND, EXPORT_SCHEMA_COMMAND } from './configuration/export-command.ts';
import { DISTRIBUTE_COMMAND } from './distribute-command.ts';
import { EXPORT_COMMAND } from './export-command.ts';
import { FILE_COMMANDS } from './file-commands.ts';
import { help, helpHint } from './help.ts';
import { KEY_COMMANDS } from './key-commands.ts';
import { CommandError, type ParsedOptions } from './options.ts';
import { RETENTION_COMMANDS } from './retention-commands.ts';
import { openSession } from './session.ts';
import { SIGN_IN_COMMANDS } from './sign-in-commands.ts';
import type { Terminal } from './terminal.ts';
import { WORKSPACE_COMMANDS } from './workspace-commands.ts';

const COMMANDS: readonly AnyCommand[] = [
  ...WORKSPACE_COMMANDS,
  DISTRIBUTE_COMMAND,
  ...SIGN_IN_COMMANDS,
  ...KEY_COMMANDS,
  EXPORT_COMMAND,
  EXPORT_CONFIG_COMMAND,
  EXPORT_SCHEMA_COMMAND,
  APPLY_COMMAND,
  ...RETENTION_COMMANDS,
  ...FILE_COMMANDS,
];

/** Exit codes. */
const DONE = 0;
const FAILED = 1;
const USAGE_ERROR = 2;

/** Runs a command of the operator and prints its result. `root` contains the migrations. Returns the exit code. */
export async function runCommandLine(argv: readonly string[], terminal: Terminal, root: string): Promise<number> {
  try {
    const call = readArguments(COMMANDS, argv);
    if (call.kind === 'help') {
      terminal.stdout.write(help(call.commands));
      return DONE;
    }
    const { command, options } = call;
    const result = await (command.isRemote ? command.run(terminal, options) : run(command, options, terminal, root));
    print(result, options.isSet('json'), terminal);
    return result.exitCode ?? DONE;
  } catch (error) {
    printError(error, argv, terminal);
    return error instanceof UsageError ? USAGE_ERROR : FAILED;
  }
}

async function run(command: Command, options: ParsedOptions, terminal: Terminal, root: string): Promise<CommandResult> {
  const session = await openSession(readConfig(terminal.env), terminal, root, command);
  try {
    return await command.run(session, options);
  } catch (error) {
    throw error instanceof ServiceError ? new CommandError(messageOf(error, command)) : error;
  } finally {
    await session.close();
  }
}

function print(
  { data, text, toStandardError = false }: CommandResult,
  json: boolean,
  { stdout, stderr }: Terminal,
): void {
  const stream = toStandardError ? stderr : stdout;
  stream.write(`${json ? JSON.stringify(data) : text}\n`);
}

/** The message of the domain, with the name of the option for the field. */
function messageOf({ message, details }: ServiceError, { fields = {} }: Command): string {
  return message.replaceAll('{param}', details.param ? optionOf(details.param, fields) : 'It');
}

function optionOf([first, ...rest]: FieldPath, fields: Readonly<Record<string, string>>): string {
  const field = String(first);
  const option = fields[field] ?? field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `--${formatPath([option, ...rest])}`;
}

function printError(error: unknown, argv: readonly string[], { stderr }: Terminal): void {
  // The reader of the pipe has closed it, like `head` does.
  if ((error as NodeJS.ErrnoException).code === 'EPIPE') return;
  const isKnown = error instanceof UsageError || error instanceof CommandError;
  const reason = isKnown ? error.message : reasonToStop(error);
  if (typeof reason !== 'string') stderr.write(`${inspect(reason)}\n`);
  else if (argv.includes('--json')) stderr.write(`${JSON.stringify({ error: { message: reason } })}\n`);
  else stderr.write(`${reason}\n${error instanceof UsageError ? `${helpHint(error.command)}\n` : ''}`);
}
