import { COMMON } from './arguments.ts';
import type { Command, Option } from './command.ts';

const CALL = 'npm run parley --';

/** What there is to ask for: every command in a line, or one of them with its options. */
export function help(commands: readonly Command[]): string {
  const [only, ...others] = commands;
  return only && others.length === 0 ? helpOf(only) : overview(commands);
}

function overview(commands: readonly Command[]): string {
  return `Usage: ${CALL} COMMAND [OPTIONS]

Works on the database that the service's own configuration names: DATABASE_URL, or else DATA_DIR.

${table(commands.map(({ name, summary }) => [name, summary]))}

${CALL} COMMAND --help tells what a command takes, --json makes it answer in JSON.
`;
}

function helpOf({ name, summary, options }: Command): string {
  const all: [string, Option][] = [...Object.entries(options), ...Object.entries(COMMON)];
  const rows = all.map(([option, { value, help: words, required }]): [string, string] => [
    `--${option}${value ? ` ${value}` : ''}`,
    required ? `${words} (required)` : words,
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

/** Where to read on after a call that was wrong. */
export function pointer(command: Command | undefined): string {
  return `See ${CALL} ${command ? `${command.name} ` : ''}--help`;
}
