import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';
import { SCOPES } from '../contract/scopes.ts';
import { ENVIRONMENT_KINDS } from '../contract/statuses.ts';
import { linkToken } from './accounts.ts';
import { input, required } from './field.ts';
import { choice, choices, flag, id, text, textOf } from './kinds.ts';

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

const request = required(
  text({
    says: 'The ID of the request, from the address of the page',
    note: `It expires after ${LIMITS.appRequestMinutes} minutes.`,
    most: LIMITS.appRequestIdLength,
  }),
);

export const ALLOW_APP = input('AllowAppInput', 'The request of an app, and what the app may do.', {
  request,
  environment: required(choice('The environment whose data the app gets', ENVIRONMENT_KINDS)),
  scopes: required(
    choices(
      {
        says: 'The scopes that the app gets: some of those that it asked for, and that the member has',
        bounds: { minItems: 1, maxItems: SCOPES.length, uniqueItems: true },
      },
      SCOPES,
      { least: 1, eachOnce: true },
    ),
  ),
});

export const DENY_APP = input('DenyAppInput', 'The request of an app.', { request });

export const DISCONNECT_APP = input('DisconnectAppInput', 'The app to disconnect.', {
  appId: required(id('ConnectedApp', 'The ID of a connected app')),
});
