import { join } from 'node:path';
import { readArguments } from './cli/arguments.ts';
import { type Command, CommandError, type Given, type Told, UsageError } from './cli/command.ts';
import { EXPORT_COMMAND } from './cli/export-command.ts';
import { help, pointer } from './cli/help.ts';
import { KEY_COMMANDS } from './cli/key-commands.ts';
import { RETENTION_COMMANDS } from './cli/retention-commands.ts';
import { openSession } from './cli/session.ts';
import { WORKSPACE_COMMANDS } from './cli/workspace-commands.ts';
import { readConfig } from './config.ts';
import { type FieldPath, formatPath, ServiceError } from './contract/errors.ts';
import { reasonToStop } from './stop-reason.ts';

const COMMANDS: readonly Command[] = [...WORKSPACE_COMMANDS, ...KEY_COMMANDS, EXPORT_COMMAND, ...RETENTION_COMMANDS];

/** Exit codes: it could not be done, and it was called wrongly. */
const FAILED = 1;
const MISUSED = 2;

const root = join(import.meta.dirname, '..');

async function main(argv: readonly string[]): Promise<void> {
  const asked = readArguments(COMMANDS, argv);
  if (asked.kind === 'help') {
    process.stdout.write(help(asked.commands));
    return;
  }
  tell(await run(asked.command, asked.given), asked.given.isSet('json'));
}

async function run(command: Command, given: Given): Promise<Told> {
  const session = await openSession(readConfig(process.env), root, command);
  try {
    return await command.run(session, given);
  } catch (error) {
    throw error instanceof ServiceError ? new CommandError(wordsOf(error, command)) : error;
  } finally {
    await session.close();
  }
}

function tell({ data, text, aside = false }: Told, json: boolean): void {
  const stream = aside ? process.stderr : process.stdout;
  stream.write(`${json ? JSON.stringify(data) : text}\n`);
}

/** What the domain refuses, with the field's name as an option's. */
function wordsOf({ message, details }: ServiceError, { fields = {} }: Command): string {
  return message.replaceAll('{param}', details.param ? optionOf(details.param, fields) : 'It');
}

function optionOf([first, ...rest]: FieldPath, fields: Readonly<Record<string, string>>): string {
  return `--${formatPath([fields[String(first)] ?? String(first), ...rest])}`;
}

function refuse(error: unknown, argv: readonly string[]): void {
  // Whoever reads has read enough.
  if ((error as NodeJS.ErrnoException).code === 'EPIPE') return;
  const isKnown = error instanceof UsageError || error instanceof CommandError;
  const reason = isKnown ? error.message : reasonToStop(error);
  process.exitCode = error instanceof UsageError ? MISUSED : FAILED;
  if (typeof reason !== 'string') console.error(reason);
  else if (argv.includes('--json')) process.stderr.write(`${JSON.stringify({ error: { message: reason } })}\n`);
  else process.stderr.write(`${reason}\n${error instanceof UsageError ? `${pointer(error.command)}\n` : ''}`);
}

const argv = process.argv.slice(2);
await main(argv).catch((error: unknown) => refuse(error, argv));
