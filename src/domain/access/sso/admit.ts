import type { Role } from '../../../contract/roles.ts';
import type { Membership, SsoProvider } from '../../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import { type AuditInput, insertAuditEntry } from '../../audit/append.ts';
import type { PublicContext } from '../../context.ts';
import { accountDb } from '../claimed-effect.ts';
import { notify } from '../mail/notify.ts';
import { lockMembers } from '../member-rules.ts';
import { auditAcceptance } from '../members/accept-invitation.ts';
import { changeRole, hasAnotherOwner } from '../members/members.ts';
import { openSession, type SignedIn } from '../open-session.ts';
import { removeUnprovenPassword } from '../passwords/replace-password.ts';
import { publishSessionChanges } from '../sessions.ts';
import { SignInProblem } from './problem.ts';
import { mappedRole, roleMapOf } from './provider.ts';
import type { VerifiedPerson } from './verified-person.ts';

/** What the functions of one sign-on share. */
interface SignOn {
  readonly open: PublicContext;
  readonly tx: Transaction;
  readonly provider: SsoProvider;
  readonly person: VerifiedPerson;
}

/**
 * Signs a person in as a member of the provider's workspace, and sets the role that the provider gives them. Runs with
 * the members locked, like every change of members.
 * @throws {SignInProblem} not_member, other_account
 */
export async function admitMember(
  open: PublicContext,
  provider: SsoProvider,
  person: VerifiedPerson,
): Promise<SignedIn> {
  const { workspaceId } = provider;
  const { session, changed } = await inTransaction(accountDb(open), async (tx) => {
    await lockMembers(tx, workspaceId);
    const signOn = { open, tx, provider, person };
    const member = (await linkedMember(signOn)) ?? (await linkMember(signOn));
    const ended = await verifyAddress(signOn, member);
    const changed = await applyRole(signOn, member);
    const session = await openSession(open, tx, member.userId, workspaceId, { singleSignOn: true });
    return { session, changed: [...ended, ...changed] };
  });
  publishSessionChanges(open, changed);
  return session;
}

/** The member who signed in with this account of the provider before. */
async function linkedMember({ tx, provider, person }: SignOn): Promise<Membership | undefined> {
  const { workspaceId, issuer } = provider;
  const { subject } = person;
  const where = { workspaceId_issuer_subject: { workspaceId, issuer, subject } };
  const identity = await tx.ssoIdentity.findUnique({ where, select: { membership: true } });
  return identity?.membership;
}

/** Finds the member by email address, once, and links the account of the provider. */
async function linkMember(signOn: SignOn): Promise<Membership> {
  const { open, tx, provider, person } = signOn;
  const { workspaceId, issuer } = provider;
  const { email, subject } = person;
  const user = await tx.user.findUnique({ where: { email }, select: { id: true } });
  const where = user && { workspaceId_userId: { workspaceId, userId: user.id } };
  const member = (where && (await tx.membership.findUnique({ where }))) ?? (await join(signOn, user?.id));
  const { userId } = member;
  // A provider can give the address of a former employee to another person. They must not inherit the account.
  if ((await tx.ssoIdentity.count({ where: { workspaceId, issuer, userId } })) > 0) {
    throw new SignInProblem('other_account', 'the member is linked to another account of the provider');
  }
  await tx.ssoIdentity.create({ data: { workspaceId, issuer, subject, userId, createdAt: open.now() } });
  await audit(signOn, { action: 'member.sso_linked', subjectId: userId, details: { issuer } });
  return member;
}

/** The provider vouches for the address, so it ends what a stranger may have set up with it. */
async function verifyAddress(signOn: SignOn, { userId }: Membership): Promise<readonly string[]> {
  const { open, tx, person } = signOn;
  const { email } = await tx.user.findUniqueOrThrow({ where: { id: userId }, select: { email: true } });
  // A linked person can have another address at the provider now.
  return removeUnprovenPassword(open, tx, userId, email === person.email, () => ({ kind: 'service' }));
}

/** Makes the person a member, by their invitation or because the workspace admits everybody of its domains. */
async function join(signOn: SignOn, existing: string | undefined): Promise<Membership> {
  const { open, tx, provider, person } = signOn;
  const { workspaceId, jitMembership, defaultRole } = provider;
  const { email, name, claims } = person;
  const createdAt = open.now();
  const invitation = await tx.invitation.findFirst({ where: { workspaceId, email, expiresAt: { gt: createdAt } } });
  if (!invitation && !jitMembership) throw new SignInProblem('not_member', 'the person is no member of the workspace');
  const userId = existing ?? open.newId();
  if (!existing) {
    await tx.user.create({ data: { id: userId, email, name, createdAt, emailVerifiedAt: createdAt } });
  }
  const role = invitation?.role ?? mappedRole(provider, claims) ?? defaultRole;
  if (invitation) {
    await tx.invitation.delete({ where: { id: invitation.id } });
    await auditAcceptance(open, tx, invitation, userId);
  } else await audit(signOn, { action: 'member.joined', subjectId: userId, details: { role, email } });
  // An existing account can have a password that the workspace has never accepted.
  return tx.membership.create({ data: { workspaceId, userId, role, createdAt, acceptsPassword: false } });
}

/** Sets the role that the provider gives. Returns the sessions whose permissions changed. */
async function applyRole(signOn: SignOn, member: Membership): Promise<readonly string[]> {
  const { open, tx, provider, person } = signOn;
  const role = mappedRole(provider, person.claims);
  if (role === undefined || role === member.role) return [];
  if (member.role === 'owner' && !(await canDemote(signOn, member))) return [];
  const source = { ...sourceOf(signOn), services: open.services };
  const recipients = { userIds: [member.userId], workspaceId: member.workspaceId };
  await notify(source, tx, recipients, 'role_changed', { from: member.role, to: role });
  return (await changeRole(source, tx, member, role)).sessions;
}

/** A role map without owners does not decide about owners, and the last owner stays. */
async function canDemote({ tx, provider }: SignOn, owner: Membership): Promise<boolean> {
  const namesOwners = roleMapOf(provider).some(({ role }: { readonly role: Role }) => role === 'owner');
  return namesOwners && (await hasAnotherOwner(tx, owner));
}

/** The provider makes the change, not the person. */
function sourceOf({ open, provider }: SignOn) {
  const { workspaceId } = provider;
  const environment = { workspaceId, kind: null };
  return { caller: { kind: 'service' }, environment, request: open.request, now: open.now } as const;
}

async function audit(signOn: SignOn, entry: Omit<AuditInput, 'at'>): Promise<void> {
  await signOn.tx.$executeRaw(insertAuditEntry(sourceOf(signOn), { ...entry, at: signOn.open.now() }));
}
