import type { PrismaClient } from '../../db/generated/client.ts';
import type { ApiKeyCaller, AppCaller, Caller, EndUserCaller } from '../caller.ts';
import { endUserHash, isRevoked } from './end-user-revocations.ts';
import { hashToken } from './tokens.ts';

/** The topic that is published when a credential is revoked or changed. */
export function credentialTopic(id: string): string {
  return `credential:${id}`;
}

/** The topic that is published when all tokens of an end user are revoked. The ID can be long, so it is hashed. */
export function endUserTopic(environmentId: string, endUser: string): string {
  return credentialTopic(`end_user ${hashToken(`${environmentId} ${endUser}`)}`);
}

/** The topic that is published when apps of many end users may have ended. */
export function endUserAppsTopic(environmentId: string): string {
  return credentialTopic(`apps of end users ${environmentId}`);
}

/** The topics of the changes that can end a caller's credential. */
export function topicsOf(caller: Caller): readonly string[] {
  const { kind, id, environment } = caller;
  if (kind !== 'end_user') return [credentialTopic(id)];
  const ofUser = endUserTopic(environment.id, caller.endUser);
  if (caller.app) return [ofUser, credentialTopic(caller.app.id), endUserAppsTopic(environment.id)];
  return caller.jwt ? [ofUser, credentialTopic(caller.jwt.issuerId)] : [ofUser];
}

/** Why a caller as it was identified is no longer one. After `changed`, the same credential has other permissions. */
export type CallerEnd = 'ended' | 'changed';

/** When the credential of a caller ends: undefined if it never does. A {@link CallerEnd} if the caller is one no longer. */
export async function readEnd(prisma: PrismaClient, caller: Caller): Promise<Date | CallerEnd | undefined> {
  const { kind, id, tokenHash } = caller;
  if (kind === 'anonymous') {
    const open = caller.visitor ? { hostedPage: true } : { authRequired: false };
    return (await prisma.deployment.count({ where: { id, ...open } })) > 0 ? caller.visitor?.until : 'ended';
  }
  if (kind === 'operator' || kind === 'service') return undefined;
  if (kind === 'api_key') return readEndOfKey(prisma, caller);
  if (kind === 'end_user') return (await isEndUserAlive(prisma, caller)) ? caller.expiresAt : 'ended';
  if (kind === 'app') return readEndOfApp(prisma, caller);
  const { role, user, environment, expiresAt } = caller;
  const member = { userId: user.id, workspaceId: environment.workspaceId };
  const [sessions, membership] = await Promise.all([
    prisma.session.count({ where: { id, tokenHash, revokedAt: null, expiresAt: { gt: new Date() } } }),
    prisma.membership.findFirst({ where: member, select: { role: true } }),
  ]);
  if (sessions === 0 || !membership) return 'ended';
  return membership.role === role ? expiresAt : 'changed';
}

async function isEndUserAlive(
  prisma: PrismaClient,
  { id, tokenHash, environment, endUser, jwt, app }: EndUserCaller,
): Promise<boolean> {
  if (app) return (await prisma.connectedApp.count({ where: openApp(app.id, tokenHash) })) > 0;
  if (!jwt) return (await prisma.endUserToken.count({ where: { id, tokenHash } })) > 0;
  const { issuerId, issuedAt } = jwt;
  const key = { environmentId: environment.id, endUserHash: endUserHash(endUser) };
  const [issuers, revocation] = await Promise.all([
    prisma.endUserIssuer.count({ where: { id: issuerId } }),
    prisma.revokedEndUser.findUnique({ where: { environmentId_endUserHash: key } }),
  ]);
  return issuers > 0 && !isRevoked(issuedAt, revocation?.revokedAt);
}

async function readEndOfApp(prisma: PrismaClient, caller: AppCaller): Promise<Date | CallerEnd> {
  const { id, tokenHash, role, expiresAt } = caller;
  const app = await prisma.connectedApp.findFirst({
    where: openApp(id, tokenHash),
    select: { membership: { select: { role: true } } },
  });
  if (!app?.membership || expiresAt <= new Date()) return 'ended';
  return app.membership.role === role ? expiresAt : 'changed';
}

/** The condition on an app that is still connected, and on its token. */
function openApp(id: string, tokenHash: string) {
  return { id, expiresAt: { gt: new Date() }, records: { some: { idHash: tokenHash } } };
}

async function readEndOfKey(prisma: PrismaClient, caller: ApiKeyCaller): Promise<Date | CallerEnd | undefined> {
  const { id, tokenHash } = caller;
  const key = await prisma.apiKey.findFirst({
    where: { id, revokedAt: null, OR: [{ tokenHash }, { previousTokenHash: tokenHash }] },
  });
  if (!key) return 'ended';
  const ends = [key.expiresAt, key.tokenHash === tokenHash ? null : key.previousExpiresAt].filter(
    (end) => end !== null,
  );
  const [end] = ends.sort((one, other) => one.getTime() - other.getTime());
  if (end && end <= new Date()) return 'ended';
  const isUnchanged = isSame(key.allowedIpRanges, caller.ipRanges) && isSame(key.deploymentIds, caller.deploymentIds);
  return isUnchanged ? end : 'changed';
}

function isSame(stored: readonly string[], known: readonly string[]): boolean {
  return stored.length === known.length && stored.every((value, index) => value === known[index]);
}
