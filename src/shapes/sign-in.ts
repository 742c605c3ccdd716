import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';
import { linkToken } from './accounts.ts';
import { input, required } from './field.ts';
import { flag, id, text, textOf } from './kinds.ts';

/** With it, a page requests a cookie. */
export const cookie = flag(
  'For pages of this service: true sends the session as a cookie that scripts cannot read, instead of the token',
  false,
);

export const SIGN_IN = input('SignInInput', 'The account and its password.', {
  email: required(textOf(z.string(), { says: 'The email address, in upper or lower case', most: LIMITS.emailLength })),
  password: required(textOf(z.string(), { says: 'The password of the account' })),
  workspaceId: id('Workspace', {
    says: 'The workspace for the session',
    form: 'Default: of the workspaces that accept passwords, the one that the user joined first.',
  }),
  cookie,
});

export const ACCEPT_INVITATION = input('AcceptInvitationInput', 'The invitation and the account that joins.', {
  token: linkToken,
  name: text({
    says: 'Display name',
    note: 'Required for a new account, ignored otherwise.',
    most: LIMITS.personNameLength,
  }),
  password: text({
    says: 'The password of the existing account, or a password for a new one',
    note: 'Not needed with a session of the account, if its address is verified.',
    least: LIMITS.minPasswordLength,
    most: LIMITS.passwordLength,
    canBeBlank: true,
  }),
  cookie,
});
