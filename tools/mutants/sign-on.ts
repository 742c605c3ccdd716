import { ACCOUNTS } from './accounts.ts';
import type { Mutant } from './mutant.ts';
import { SECOND_FACTORS } from './second-factors.ts';

const SSO = 'domain/access/sso';
const ATTEMPT = `${SSO}/attempt.ts`;
const PERSON = `${SSO}/verified-person.ts`;
const ADMIT = `${SSO}/admit.ts`;
const SETTINGS = `${SSO}/settings.ts`;
const ATTACKS = 'spec/single-sign-on.test.ts';
const ROLES = 'spec/sign-on-roles.test.ts';
const RULES = 'spec/sign-in-settings.test.ts';
const RESETS = 'spec/password-resets.test.ts';

/** Guards of single sign-on and of links for new passwords. */
export const SIGN_ON: readonly Mutant[] = [
  ...ACCOUNTS,
  ...SECOND_FACTORS,
  {
    name: 'the state of a response is not compared with the attempt',
    file: ATTEMPT,
    find: ' || found.state !== state',
    replace: '',
    test: ATTACKS,
  },
  {
    name: 'an attempt never expires',
    file: ATTEMPT,
    find: ' || found.until <= open.now()',
    replace: '',
    test: ATTACKS,
  },
  {
    name: 'the response of an attempt works twice',
    file: ATTEMPT,
    find: 'if (count === 0) throw',
    replace: 'if (count < 0) throw',
    test: ATTACKS,
  },
  {
    name: 'an attempt at one workspace works at another one',
    file: ATTEMPT,
    find: 'return `sign-in attempt at ${name}`;',
    replace: 'return `sign-in attempt at ${name.length}`;',
    test: ATTACKS,
  },
  {
    name: 'the signature of an ID token is not checked',
    file: 'identity/configuration.ts',
    find: 'enableNonRepudiationChecks(config);',
    replace: 'void enableNonRepudiationChecks;',
    test: ATTACKS,
  },
  {
    name: 'an unverified email address is accepted',
    file: PERSON,
    find: "isVerified === true || isVerified === 'true'",
    replace: "isVerified !== 'never'",
    test: ATTACKS,
  },
  {
    name: 'an email address of any domain is accepted',
    file: PERSON,
    find: 'where: { domain, workspaceId } })) === 0',
    replace: 'where: { domain, workspaceId } })) < 0',
    test: ATTACKS,
  },
  {
    name: 'another account of the provider takes over a linked member',
    file: ADMIT,
    find: 'where: { workspaceId, issuer, userId } })) > 0',
    replace: 'where: { workspaceId, issuer, userId } })) > 9',
    test: ATTACKS,
  },
  {
    name: 'everybody with an address of the domain becomes a member',
    file: ADMIT,
    find: 'if (!invitation && !jitMembership) throw',
    replace: 'if (!invitation && jitMembership === undefined) throw',
    test: RULES,
  },
  {
    name: 'a role map takes the role from the last owner',
    file: ADMIT,
    find: 'return namesOwners && (await hasAnotherOwner(tx, owner));',
    replace: 'void hasAnotherOwner(tx, owner); return namesOwners;',
    test: ROLES,
  },
  {
    name: 'a role map without owners takes the role from owners',
    file: ADMIT,
    find: 'return namesOwners && (await hasAnotherOwner(tx, owner));',
    replace: 'return namesOwners !== undefined && (await hasAnotherOwner(tx, owner));',
    test: ROLES,
  },
  {
    name: 'an admin changes the provider',
    file: SETTINGS,
    find: "if (oidc !== undefined) requireMayTouch(actor, 'owner', 'oidc');",
    replace: "if (oidc !== undefined) requireMayTouch(actor, 'viewer', 'oidc');",
    test: RULES,
  },
  {
    name: 'a stored client secret goes to another issuer',
    file: SETTINGS,
    find: 'clientSecret == null && before?.issuer !== input.issuer',
    replace: 'clientSecret == null && before === null',
    test: RULES,
  },
  {
    name: 'single sign-on is required before it has worked',
    file: SETTINGS,
    find: 'if (required) await requireLink(tx, caller, after);',
    replace: 'if (required && !after) await requireLink(tx, caller, after);',
    test: RULES,
  },
  {
    name: 'sessions of passwords outlast the requirement of single sign-on',
    file: SETTINGS,
    find: 'const sessions = await endSessions(ctx, tx, others);',
    replace: 'const sessions: string[] = [];\n    void [others, endSessions];',
    test: RULES,
  },
  {
    name: 'a password opens a workspace that requires single sign-on',
    file: 'domain/access/sign-in.ts',
    find: 'if (account.requires_sso) throw ssoRequired();',
    replace: '',
    test: RULES,
  },
  {
    name: 'the link of an invitation opens a workspace that requires single sign-on',
    file: 'domain/access/members/accept-invitation.ts',
    find: 'where: { workspaceId, required: true } })) > 0',
    replace: 'where: { workspaceId, required: true } })) > 9',
    test: RULES,
  },
  {
    name: 'a link for a password works twice',
    file: 'domain/access/passwords/reset-links.ts',
    find: 'if (count === 0) throw linkNotOpen();',
    replace: 'void count;',
    test: RESETS,
  },
  {
    name: 'a link for a password never expires',
    file: 'domain/access/passwords/reset-links.ts',
    find: 'const where = { tokenHash: hashToken(token), expiresAt: { gt: open.now() } };',
    replace: 'const where = { tokenHash: hashToken(token) };',
    test: RESETS,
  },
  {
    name: 'a new password keeps the other links',
    file: 'domain/access/passwords/replace-password.ts',
    find: 'await tx.passwordReset.deleteMany({ where: { userId } });',
    replace: '',
    test: RESETS,
  },
];
