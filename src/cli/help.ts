import type { Command } from './command.ts';
import { COMMON_OPTIONS, type Option } from './options.ts';

const CALL = 'npm run parley --';

/** The help text: a list of the commands, or the options if there is only one command. */
export function help(commands: readonly Command[]): string {
  const [only, ...others] = commands;
  return only && others.length === 0 ? commandHelp(only) : overview(commands);
}

function overview(commands: readonly Command[]): string {
  return `Usage: ${CALL} COMMAND [OPTIONS]

Uses the database of the service's configuration: DATABASE_URL, or DATA_DIR if DATABASE_URL is not set.

${table(commands.map(({ name, summary }) => [name, summary]))}

${CALL} COMMAND --help shows the options of a command. --json prints the result as JSON.
`;
}

function commandHelp({ name, summary, options }: Command): string {
  const all: [string, Option][] = [...Object.entries(options), ...Object.entries(COMMON_OPTIONS)];
  const rows = all.map(([option, { value, help: text, required }]): [string, string] => [
    `--${option}${value ? ` ${value}` : ''}`,
    required ? `${text} (required)` : text,
  ]);
  return `Usage: ${CALL} ${name} [OPTIONS]

${summary}

${table(rows)}
`;
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}

/** Names the help to read after a usage error. */
export function helpHint(command: Command | undefined): string {
  return `See ${CALL} ${command ? `${command.name} ` : ''}--help`;
}
