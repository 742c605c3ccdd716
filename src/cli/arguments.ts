import { parseArgs } from 'node:util';
import { type AnyCommand, UsageError } from './command.ts';
import { COMMON_OPTIONS, type Option, type ParsedOptions } from './options.ts';

export type ParsedCommandLine =
  | { readonly kind: 'help'; readonly commands: readonly AnyCommand[] }
  | { readonly kind: 'command'; readonly command: AnyCommand; readonly options: ParsedOptions };

/** @throws {UsageError} */
export function readArguments(commands: readonly AnyCommand[], argv: readonly string[]): ParsedCommandLine {
  const needsHelp = argv.includes('--help') || argv.includes('-h');
  const words = argv.slice(0, argv.findIndex((word) => word.startsWith('-')) >>> 0);
  const [name = ''] = words;
  const named = (text: string) => commands.find((one) => one.name === text);
  const command = named(words.slice(0, 2).join(' ')) ?? named(name);
  if (command && !needsHelp) return { kind: 'command', command, options: parse(command, argv) };
  const group: readonly AnyCommand[] = command ? [command] : commands.filter((one) => one.name.startsWith(`${name} `));
  if (needsHelp && (name === '' || group.length > 0)) return { kind: 'help', commands: name ? group : commands };
  throw new UsageError(unknownCommand(name, group));
}

function unknownCommand(name: string, group: readonly AnyCommand[]): string {
  if (name === '') return 'A command is missing.';
  if (group.length === 0) return `There is no command ${name}.`;
  return `The command is incomplete. Use one of: ${group.map((one) => one.name).join(', ')}.`;
}

function parse(command: AnyCommand, argv: readonly string[]): ParsedOptions {
  const options: Readonly<Record<string, Option>> = { ...command.options, ...COMMON_OPTIONS };
  const types = Object.entries(options).map(([name, { value, short }]) => {
    return [name, { type: value ? 'string' : 'boolean', ...(short && { short }) }];
  });
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
  command: AnyCommand,
  args: string[],
  options: Readonly<Record<string, { readonly type: 'string' | 'boolean'; readonly short?: string }>>,
): Readonly<Record<string, unknown>> {
  try {
    return parseArgs({ args, options, strict: true }).values;
  } catch (error) {
    // The first sentence of Node.js names the option. The rest suggests alternatives that do not help here.
    const [sentence = ''] = (error as Error).message.split(/\. |\n/);
    throw new UsageError(`${sentence.replace(/\.$/, '')}.`, command);
  }
}
