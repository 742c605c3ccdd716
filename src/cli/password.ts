import { text } from 'node:stream/consumers';
import { newPassword } from '../domain/access/tokens.ts';
import { CommandError, type ParsedOptions } from './options.ts';
import type { Terminal } from './terminal.ts';

/** A password is never an argument, because other users of the machine could read it. */
export const PASSWORD_OPTION = {
  'password-stdin': {
    help: 'reads the password from standard input; without it a password is generated and printed once',
  },
} as const;

/** The option name for error messages. */
export const PASSWORD_FIELD = { password: 'password-stdin' } as const;

/** Reads or generates a password. A generated password must be printed. */
export async function readPassword(
  { stdin, stderr }: Terminal,
  options: ParsedOptions,
): Promise<{ readonly password: string; readonly isGenerated: boolean }> {
  if (!options.isSet('password-stdin')) return { password: newPassword(), isGenerated: true };
  if (stdin.isTTY) stderr.write('Type the password, then press Enter and Ctrl-D: ');
  const password = (await text(stdin)).replace(/\r?\n$/, '');
  if (password === '') throw new CommandError('--password-stdin: standard input is empty. Send the password there.');
  return { password, isGenerated: false };
}
