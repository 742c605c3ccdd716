import { LIMITS } from '../contract/limits.ts';
import { formatCount } from '../contract/quantities.ts';
import { ROLES } from '../contract/roles.ts';
import { address } from './address.ts';
import { input, type Meaning, required } from './field.ts';
import { choice, flag, list, object, textOf, textRule } from './kinds.ts';

const filled = (most: number) => textRule({ least: 1, most, canBeBlank: true });

/** A text that has to match what the provider has, so white space counts. */
const exact = (most: number, meaning: Meaning) =>
  textOf(filled(most), { most, range: `at most ${formatCount(most)} characters`, ...meaning });

/** The client ID of Parley at a provider of OpenID Connect. */
export const oidcClientId = required(
  exact(LIMITS.clientIdLength, { says: 'The client ID of Parley at the provider, {bounds}' }),
);

/** Its secret. */
export const oidcClientSecret = (note: string) =>
  exact(LIMITS.clientSecretLength, {
    says: 'The client secret, {bounds}',
    note: `It is stored encrypted and never shown again. ${note}`,
  });

export const ROLE_MAPPING = input('RoleMappingInput', 'The role for people whose role claim has a value.', {
  value: required(textOf(filled(LIMITS.claimLength), { says: 'A value of the role claim' })),
  role: required(choice({ says: 'The role for people with this value', note: 'The highest role wins.' }, ROLES)),
});

export const OIDC = input(
  'OidcInput',
  'The OpenID Connect provider. It replaces the stored one. Omitted fields get their default.',
  {
    issuer: required(address('The issuer: a public https URL')),
    clientId: oidcClientId,
    clientSecret: oidcClientSecret('Omit it to keep the stored secret of the same issuer.'),
    roleClaim: exact(LIMITS.claimLength, {
      says: 'The claim with the groups of a person, {bounds}',
      note: 'Then each sign-in sets the role. Without it, sign-ins change no role.',
    }),
    roleMap: list(ROLE_MAPPING, {
      says: 'Roles for values of the role claim, {bounds}',
      note: 'Without a value for OWNER, owners keep their role. The last owner always does.',
      most: LIMITS.roleMapEntries,
      noun: 'entries',
    }),
    defaultRole: required(
      choice(
        {
          says: 'The role of new members, and with a role claim of people without a mapped value',
          note: 'Not OWNER.',
        },
        ROLES,
      ),
    ),
    jitMembership: flag({
      says: 'Whether the first sign-in of a person without an invitation makes them a member',
      form: 'Default: false, which rejects them.',
    }),
  },
);

export const UPDATE_SIGN_IN_SETTINGS = input(
  'UpdateSignInSettingsInput',
  'Changes to the sign-in settings. Omitted fields stay as they are.',
  {
    oidc: object(OIDC, {
      says: 'The provider',
      note: 'Null removes it, and members sign in with a password again. Needs an owner.',
    }),
    ssoOnly: flag({
      says: 'Whether the workspace requires single sign-on',
      note: 'The caller must have used it once, so a wrong provider locks nobody out. true ends the other sessions that a password opened. Null keeps the value.',
    }),
    secondFactorRequired: flag({
      says: 'Whether members who sign in with a password need a second factor',
      note: 'Needs an owner whose session proved one, or single sign-on. true ends the sessions that a password alone opened: their members set up a factor when they sign in again. Null keeps the value.',
    }),
  },
);
