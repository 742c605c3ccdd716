import type { AnyCommand } from './command.ts';
import { COMMON_OPTIONS, type Option } from './options.ts';

const CALL = 'npm run parley --';

/** The help text: a list of the commands, or the options if there is only one command. */
export function help(commands: readonly AnyCommand[]): string {
  const [only, ...others] = commands;
  return only && others.length === 0 ? commandHelp(only) : overview(commands);
}

function overview(commands: readonly AnyCommand[]): string {
  return `Usage: ${CALL} COMMAND [OPTIONS]

Uses the database of the service's configuration: DATABASE_URL, or DATA_DIR if DATABASE_URL is not set.
apply, export config and export config-schema use the API of a running service instead: PARLEY_URL and PARLEY_API_KEY.

${table(commands.map(({ name, summary }) => [name, summary]))}

${CALL} COMMAND --help shows the options of a command. --json prints the result as JSON.
`;
}

function commandHelp({ name, summary, options }: AnyCommand): string {
  const all: [string, Option][] = [...Object.entries(options), ...Object.entries(COMMON_OPTIONS)];
  const rows = all.map(([option, { value, short, help: text, required }]): [string, string] => [
    `${short ? `-${short}, ` : ''}--${option}${value ? ` ${value}` : ''}`,
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
export function helpHint(command: AnyCommand | undefined): string {
  return `See ${CALL} ${command ? `${command.name} ` : ''}--help`;
}
