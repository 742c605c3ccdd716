import { text } from 'node:stream/consumers';
import { newPassword } from '../domain/access/tokens.ts';
import { CommandError, type Given } from './command.ts';

/** How a password is given: never as an argument, which other users of the machine could read. */
export const PASSWORD_OPTION = {
  'password-stdin': { help: 'reads the password from standard input; without it one is made, and shown once' },
} as const;

/** As faults name it. */
export const PASSWORD_FIELD = { password: 'password-stdin' } as const;

/** A password, and whether it was made here and so has to be shown. */
export async function readPassword(given: Given): Promise<{ readonly password: string; readonly isMade: boolean }> {
  if (!given.isSet('password-stdin')) return { password: newPassword(), isMade: true };
  if (process.stdin.isTTY) process.stderr.write('The password, then Enter and Ctrl-D: ');
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  if (password === '') throw new CommandError('--password-stdin found nothing on standard input.');
  return { password, isMade: false };
}
