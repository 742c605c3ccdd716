import { LIMITS } from '../../../../contract/limits.ts';
import { Prisma } from '../../../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../../../db/transaction.ts';
import { insertAuditEntry } from '../../../audit/append.ts';
import type { PublicContext } from '../../../context.ts';
import { connectedEntry, decide, storeAllowance, storeDenial } from '../../apps/decisions.ts';
import { appsOfEndUsers, endApps } from '../../apps/end-apps.ts';
import { useRegistration } from '../../apps/registered-apps.ts';
import { credentialTopic } from '../../caller-ends.ts';
import { endUserDigest } from '../../end-user-digest.ts';
import { endUserHash, isRevoked } from '../../end-user-revocations.ts';
import { unauthorized } from '../../unauthorized.ts';
import { lockIssuer } from '../issuer-lock.ts';
import type { OfferedSignIn } from '../offered-sign-in.ts';
import { requireEndUserRequest } from './request.ts';
import { grantedScopes, openUser, type SignedInUser } from './signed-in-user.ts';

/** Expired apps that a new one deletes. More than one, so that their number decreases. */
const SWEPT_ROWS = 10;

/** The answer of an end user, with the cookie of their sign-in. */
export interface EndUserDecision {
  readonly requestId: string;
  readonly isAllowed: boolean;
  readonly cookie: string | undefined;
}

/**
 * Connects the app of a request, or refuses it, for the end user who signed in for it in this browser.
 * @throws {ServiceError} not_found; unauthorized if the user has to sign in again
 */
export async function decideAsEndUser(
  open: PublicContext,
  { requestId, isAllowed, cookie }: EndUserDecision,
): Promise<void> {
  const { offered } = await requireEndUserRequest(open, requestId);
  const user = openUser(open, { requestId, offered }, cookie);
  if (!user) throw unauthorized();
  const { prisma, pubSub } = open.services.stores;
  const ended = await inTransaction(prisma, async (tx) => {
    if (isAllowed) return allow(open, tx, { requestId, offered, user });
    await decide(open, tx, requestId);
    await storeDenial(open, tx, requestId);
    return [];
  });
  for (const id of ended) pubSub.publish(credentialTopic(id));
}

interface Allowed {
  readonly requestId: string;
  readonly offered: OfferedSignIn;
  readonly user: SignedInUser;
}

/** Returns the IDs of apps that ended. */
async function allow(
  open: PublicContext,
  tx: Transaction,
  { requestId, offered, user }: Allowed,
): Promise<readonly string[]> {
  const { environment, deployment } = offered;
  await requireCurrent(tx, offered, user);
  const { payload, request } = await decide(open, tx, requestId);
  const ended = await makeRoom(open, tx, { requestId, offered, user });
  const createdAt = open.now();
  const app = await tx.connectedApp.create({
    data: {
      id: open.newId(),
      workspaceId: environment.workspaceId,
      environment: environment.kind,
      endUser: user.endUser,
      deploymentId: deployment.id,
      clientId: request.clientId,
      clientName: request.clientName,
      clientHost: request.clientHost,
      registrationId: await useRegistration(open, tx, request.clientId),
      scopes: grantedScopes(request.scopes, user),
      createdAt,
      expiresAt: new Date(createdAt.getTime() + LIMITS.appDays * 86_400_000),
    },
  });
  await storeAllowance(open, tx, { app, requestId, payload });
  const caller = { kind: 'end_user', id: endUserDigest(open.services, environment, user.endUser) } as const;
  await tx.$executeRaw(insertAuditEntry({ caller, environment, request: open.request }, connectedEntry(app)));
  return ended;
}

/**
 * The settings and the sign-in must count until the commit: a change of the settings and a revocation wait for the lock, and
 * then end the app. @throws {ServiceError} unauthorized
 */
async function requireCurrent(tx: Transaction, offered: OfferedSignIn, user: SignedInUser): Promise<void> {
  const { environment, deployment, issuer, clientId, scopeClaim } = offered;
  const locked = await lockIssuer(tx, environment.id);
  if (!locked) throw unauthorized();
  const isSame = locked.issuer === issuer && locked.signInClientId === clientId && locked.scopeClaim === scopeClaim;
  if (!isSame || !locked.deploymentIds.includes(deployment.id)) throw unauthorized();
  const key = { environmentId: environment.id, endUserHash: endUserHash(user.endUser) };
  const revocation = await tx.revokedEndUser.findUnique({ where: { environmentId_endUserHash: key } });
  if (isRevoked(user.issuedAt, revocation?.revokedAt)) throw unauthorized();
}

/**
 * Ends the apps that the user has not used for longest, if there are too many: an app may have lost its tokens, and then only
 * this ends it. The lock of the issuer makes users of the environment wait, so two requests cannot exceed the limit together.
 */
async function makeRoom(
  open: PublicContext,
  tx: Transaction,
  { offered: { environment }, user: { endUser } }: Allowed,
): Promise<string[]> {
  const ofUsers = appsOfEndUsers(environment);
  await tx.$executeRaw`
    DELETE FROM connected_app WHERE id IN (
      SELECT id FROM connected_app WHERE ${ofUsers} AND expires_at <= now()
      LIMIT ${SWEPT_ROWS} FOR UPDATE SKIP LOCKED)`;
  const source = { request: open.request, now: open.now, actorAt: () => ({ kind: 'service' }) as const };
  const unused = Prisma.sql`id IN (
    SELECT id FROM connected_app WHERE ${ofUsers} AND end_user = ${endUser}
    ORDER BY coalesce(last_used_at, created_at) DESC, id OFFSET ${LIMITS.endUserApps - 1})`;
  return endApps(source, tx, unused);
}
