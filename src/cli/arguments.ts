import { parseArgs } from 'node:util';
import { type Command, type Given, type Option, UsageError } from './command.ts';

/** What the command line asks for. */
export type Asked =
  | { readonly kind: 'help'; readonly commands: readonly Command[] }
  | { readonly kind: 'command'; readonly command: Command; readonly given: Given };

/** Options of every command. */
export const COMMON = {
  json: { help: 'tells what was done as JSON' },
  help: { help: 'tells what there is to give' },
} as const;

/** @throws {UsageError} */
export function readArguments(commands: readonly Command[], argv: readonly string[]): Asked {
  const wantsHelp = argv.includes('--help') || argv.includes('-h');
  const words = argv.slice(0, argv.findIndex((word) => word.startsWith('-')) >>> 0);
  const [name = ''] = words;
  const command = commands.find((one) => one.name === name || one.name === words.slice(0, 2).join(' '));
  if (command && !wantsHelp) return { kind: 'command', command, given: parse(command, argv) };
  const group = command ? [command] : commands.filter((one) => one.name.startsWith(`${name} `));
  if (wantsHelp && (name === '' || group.length > 0)) return { kind: 'help', commands: name ? group : commands };
  throw new UsageError(unknown(name, group));
}

function unknown(name: string, group: readonly Command[]): string {
  if (name === '') return 'Name a command.';
  if (group.length === 0) return `There is no command ${name}.`;
  return `Say which: ${group.map((one) => one.name).join(', ')}.`;
}

function parse(command: Command, argv: readonly string[]): Given {
  const options: Readonly<Record<string, Option>> = { ...command.options, ...COMMON };
  const types = Object.entries(options).map(([name, { value }]) => [name, { type: value ? 'string' : 'boolean' }]);
  const args = argv.slice(command.name.split(' ').length);
  const values = valuesOf(command, args, Object.fromEntries(types));
  for (const [name, { required }] of Object.entries(command.options)) {
    if (required && values[name] === undefined) throw new UsageError(`--${name} is required.`, command);
    if (values[name] === '') throw new UsageError(`--${name} must not be empty.`, command);
  }
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : undefined);
  return { text, required: (name) => text(name) ?? '', isSet: (name) => values[name] === true };
}

function valuesOf(
  command: Command,
  args: string[],
  options: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>,
): Readonly<Record<string, unknown>> {
  try {
    return parseArgs({ args, options, strict: true }).values;
  } catch (error) {
    // Its own words name the option; what follows the first sentence tells of other ways to say the same.
    const [sentence = ''] = (error as Error).message.split(/\. |\n/);
    throw new UsageError(`${sentence.replace(/\.$/, '')}.`, command);
  }
}
