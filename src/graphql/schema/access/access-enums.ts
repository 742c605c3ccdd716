import { LIMITS } from '../../../contract/limits.ts';
import { ROLES } from '../../../contract/roles.ts';
import { SCOPES } from '../../../contract/scopes.ts';
import { SECOND_FACTOR_KINDS, SECOND_FACTOR_METHODS, SIGN_IN_METHODS } from '../../../contract/sign-in.ts';
import { ENVIRONMENT_KINDS } from '../../../contract/statuses.ts';
import { enumType } from '../enum-type.ts';

export const EnvironmentKindEnum = enumType('EnvironmentKind', ENVIRONMENT_KINDS, {
  description: 'One of the two environments of a workspace. Their data is separate.',
  values: {
    live: 'For production. API keys start with `sk_live_`.',
    test: 'For development and tests. API keys start with `sk_test_`.',
  },
});

export const RoleEnum = enumType('Role', ROLES, {
  description: "The role of a member. It determines the scopes of the member's sessions.",
  values: {
    owner: 'Has every scope. Only owners can make, change and remove owners.',
    admin: 'Has every scope. Can manage members and invitations, except owners.',
    developer: 'Has every scope except `KEYS_MANAGE`.',
    viewer: 'Has every scope that ends in `_READ`, except `TRACES_READ`.',
  },
});

export const ScopeEnum = enumType('Scope', SCOPES, {
  description: 'A permission, for example `RESOURCES_READ`. A write scope does not include its read scope.',
  values: {
    'resources:read': 'Read resources.',
    'resources:write': 'Create, change and delete resources.',
    'events:read': 'Read and follow the event log.',
    'conversations:read': 'Read, list, follow and export conversations.',
    'conversations:write': 'Run turns, and cancel and delete conversations.',
    'conversations:handle': 'Take conversations over from the assistant, write in them, and hand them back.',
    'traces:read': 'Read the traces of turns: prompts, and the arguments and results of server tools.',
    'triggers:read': 'List triggers.',
    'triggers:write': 'Create triggers.',
    'workflows:read': 'Read workflows, deployments, the workflow log and usage.',
    'workflows:write': 'Change and publish workflows and deployments.',
    'documents:read': 'Read published documents and their typed artefacts.',
    'documents:write': 'Check, publish and unpublish documents.',
    'budgets:read': 'Read budgets and what was spent of them.',
    'budgets:write': 'Set and remove budgets, and set the time zone of the environment.',
    'webhooks:manage': 'Manage webhook endpoints and their deliveries.',
    'integrations:manage': 'Manage integrations.',
    'keys:manage': 'Create, rotate and revoke API keys.',
    'end_users:manage': 'Create and revoke tokens of end users, and erase their data.',
  },
});

export const SignInMethodEnum = enumType('SignInMethod', SIGN_IN_METHODS, {
  description: 'How a member can sign in to a workspace.',
  values: {
    password: 'With the password of their account.',
    single_sign_on: 'With the identity provider of the workspace.',
  },
});

export const SecondFactorKindEnum = enumType('SecondFactorKind', SECOND_FACTOR_KINDS, {
  description: 'What a member can prove in addition to the password.',
  values: {
    totp: `A code of ${LIMITS.totpDigits} digits from an authenticator app (RFC 6238).`,
    passkey: 'A passkey or security key (WebAuthn), with user verification.',
  },
});

export const SecondFactorMethodEnum = enumType('SecondFactorMethod', SECOND_FACTOR_METHODS, {
  description: 'How a member can complete a sign-in.',
  values: {
    totp: `With \`code\`: ${LIMITS.totpDigits} digits from an authenticator app.`,
    passkey: 'With `passkey`: the response of the browser.',
    recovery_code: 'With `recoveryCode`, which works once.',
  },
});
