import type { Mutant } from './mutant.ts';

const ENTRANCE = 'domain/access/members/entrance.ts';
const ACCEPT = 'domain/access/members/accept-invitation.ts';
const REPLACE = 'domain/access/passwords/replace-password.ts';
const ADMIT = 'domain/access/sso/admit.ts';
const TAKEOVER = 'spec/account-takeover.test.ts';
const EMAILED = 'spec/emailed-invitations.test.ts';
const INVITATIONS = 'spec/invitations.test.ts';
const PAYLOADS = 'spec/credential-payloads.test.ts';

/** Guards of accounts whose address nobody has proved. */
export const ACCOUNTS: readonly Mutant[] = [
  {
    name: 'the password of a stranger outlasts single sign-on',
    file: ADMIT,
    find: 'const ended = await verifyAddress(signOn, member);',
    replace: 'const ended: string[] = [];\n    void verifyAddress;',
    test: TAKEOVER,
  },
  {
    name: 'single sign-on removes the password of a verified account',
    file: REPLACE,
    find: 'where: { id: userId, emailVerifiedAt: null, ...isOpen }',
    replace: 'where: { id: userId, ...isOpen }',
    test: TAKEOVER,
  },
  {
    name: 'a link proves another address than the one of the account',
    file: REPLACE,
    find: 'emailVerifiedAt: isSameAddress ? source.now() : null',
    replace: 'emailVerifiedAt: source.now()',
    test: TAKEOVER,
  },
  {
    name: 'a password opens a workspace that admitted the account without it',
    file: 'domain/access/sign-in.ts',
    find: 'if (!account.accepts_password) throw passwordNotAccepted();',
    replace: 'void passwordNotAccepted;',
    test: TAKEOVER,
  },
  {
    name: 'a workspace that admits a person by single sign-on accepts their password',
    file: ADMIT,
    find: 'acceptsPassword: false',
    replace: 'acceptsPassword: true',
    test: TAKEOVER,
  },
  {
    name: 'members of earlier releases can use their password everywhere',
    file: 'domain/access/accepts-password.ts',
    find: 'm.created_at = u.created_at OR NOT EXISTS',
    replace: 'true OR NOT EXISTS',
    test: TAKEOVER,
  },
  {
    name: 'an unverified account joins with a link that its inviter saw',
    file: ENTRANCE,
    find: 'if (account.emailVerifiedAt !== null) return',
    replace: 'if (account) return',
    test: TAKEOVER,
  },
  {
    name: 'two invited persons get the same account',
    file: ACCEPT,
    find: 'if (!isDeepStrictEqual(await findAccount(tx, email), entrance.account)) throw wrongPassword();',
    replace: 'void isDeepStrictEqual;',
    test: TAKEOVER,
  },
  {
    name: 'a password that was replaced in the meantime opens a session',
    file: 'domain/access/open-session.ts',
    find: ' AND (${passwordHash}::text IS NULL OR u.password_hash = ${passwordHash}::text)',
    replace: '',
    test: TAKEOVER,
  },
  {
    name: 'a link that its inviter saw verifies the address',
    file: ENTRANCE,
    find: 'provesAddress: invitation.emailed',
    replace: 'provesAddress: true',
    test: TAKEOVER,
  },
  {
    name: 'an emailed invitation does not verify the address',
    file: ENTRANCE,
    find: 'provesAddress: invitation.emailed',
    replace: 'provesAddress: false',
    test: EMAILED,
  },
  {
    name: 'the password of a stranger can be chosen again',
    file: ENTRANCE,
    find: 'if (account.workspaces > 0) throw',
    replace: 'if (account.workspaces < 0) throw',
    test: EMAILED,
  },
  {
    name: 'the holder of an emailed link sets the password of a verified account',
    file: ENTRANCE,
    find: 'account.emailVerifiedAt === null && (emailed',
    replace: '(emailed',
    test: EMAILED,
  },
  {
    name: 'the inviter sees the link of an emailed invitation',
    file: 'domain/access/members/invitations.ts',
    find: 'url: emailed ? null : url',
    replace: 'url',
    test: 'spec/password-resets.test.ts',
  },
  {
    name: 'the inviter learns from the offer who has an account',
    file: 'domain/access/members/invitation-offer.ts',
    find: 'emailed ? findAccount(prisma, email) : undefined',
    replace: 'findAccount(prisma, email)',
    test: INVITATIONS,
  },
  {
    name: 'the inviter learns from errors who has an account',
    file: ENTRANCE,
    find: "if (name === undefined) throw new ServiceError('invalid_request', NEEDS_NAME",
    replace: "if (isClaim && name === undefined) throw new ServiceError('invalid_request', NEEDS_NAME",
    test: INVITATIONS,
  },
  {
    name: 'the payload of a sign-in needs credentials',
    file: 'graphql/schema/access/workspaces.ts',
    find: 'resolve: (_workspace, _args, { services }) => services.settings.currency',
    replace: 'resolve: (_workspace, _args, { domain }) => domain.services.settings.currency',
    test: PAYLOADS,
  },
  {
    name: 'the payload of a sign-in has no environments',
    file: 'graphql/schema/access/workspaces.ts',
    find: ", carriedAs: 'environments'",
    replace: '',
    test: PAYLOADS,
  },
];
