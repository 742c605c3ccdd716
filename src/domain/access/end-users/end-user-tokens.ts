import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { END_USER_SCOPES } from '../../../contract/scopes.ts';
import { type EndUserToken, Prisma } from '../../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import { CREATE_END_USER_TOKEN, REVOKE_END_USER_TOKENS } from '../../../shapes/end-users.ts';
import { rulesOf } from '../../../shapes/field.ts';
import { insertAuditEntry } from '../../audit/append.ts';
import type { Context } from '../../context.ts';
import { unlessDeleted } from '../../dependants.ts';
import { parseInput } from '../../input.ts';
import { newTypeId } from '../../type-id.ts';
import { appsOfEndUsers, byCaller, endApps } from '../apps/end-apps.ts';
import { endUserTopic } from '../caller-ends.ts';
import { recordEffect } from '../claimed-effect.ts';
import { endUserDigest } from '../end-user-digest.ts';
import { endUserHash } from '../end-user-revocations.ts';
import { hashToken, newEndUserToken } from '../tokens.ts';
import { lockIssuer } from './issuer-lock.ts';

const tokenInput = z.object(rulesOf(CREATE_END_USER_TOKEN.fields));

/** A token with its secret, which is shown only once. */
export interface ShownToken {
  readonly row: EndUserToken;
  readonly token: string;
}

/** The effect that is stored with an idempotency key. */
type StoredToken = Readonly<Record<'tokenId', string>>;

/** Expired tokens that a new token deletes, and old revocations that a new one deletes. More than one, so that their number decreases. */
const SWEPT_ROWS = 10;

/**
 * Creates a token for a user of the customer at one deployment. The caller needs no other scope than that for tokens: a
 * server that makes tokens need not read every conversation. It is not audited, because a page can need one at each
 * visit. The use of the key is.
 * @throws {ServiceError} invalid_request, not_found
 */
export async function createEndUserToken(ctx: Context, input: Readonly<Record<string, unknown>>): Promise<ShownToken> {
  const { deploymentId, endUser, ttlSeconds, scopes } = parseInput(tokenInput, input);
  const deployment = await ctx.db.deployment.findUnique({ where: { id: deploymentId }, select: { id: true } });
  if (!deployment) throw deploymentUnknown();
  const token = newEndUserToken(ctx.environment.kind);
  const createdAt = ctx.now();
  const row: EndUserToken = {
    id: newTypeId('eut'),
    environmentId: ctx.environment.id,
    deploymentId,
    endUser,
    tokenHash: hashToken(token),
    scopes: [...(scopes ?? END_USER_SCOPES)],
    createdAt,
    expiresAt: new Date(createdAt.getTime() + ttlSeconds * 1_000),
  };
  // An earlier request created a token, but its response was lost. Nobody has its secret.
  const lost = ctx.request.claim?.effect as StoredToken | null | undefined;
  const store = () =>
    inTransaction(ctx.db, async (tx) => {
      if (lost) await tx.endUserToken.deleteMany({ where: { id: lost.tokenId } });
      await tx.endUserToken.create({ data: row });
      await recordEffect(tx, ctx.request.claim, { tokenId: row.id } satisfies StoredToken);
      await tx.$executeRaw`
      DELETE FROM end_user_token WHERE environment_id = ${ctx.environment.id}::uuid AND id IN (
        SELECT id FROM end_user_token WHERE environment_id = ${ctx.environment.id}::uuid AND expires_at <= now()
        LIMIT ${SWEPT_ROWS} FOR UPDATE SKIP LOCKED)`;
    });
  await unlessDeleted(deploymentUnknown, store);
  return { row, token };
}

function deploymentUnknown(): ServiceError {
  return new ServiceError('not_found', 'There is no deployment with this ID. Check {param}.', {
    param: ['deploymentId'],
  });
}

/**
 * Revokes all tokens and JWTs of an end user on every process, and disconnects their apps. Their open streams end. Repeating it changes nothing.
 * @returns the number of tokens that were valid, without JWTs
 * @throws {ServiceError} invalid_request
 */
export async function revokeEndUserTokens(ctx: Context, input: Readonly<Record<string, unknown>>): Promise<number> {
  const { endUser } = parseInput(z.object(rulesOf(REVOKE_END_USER_TOKENS.fields)), input);
  const count = await inTransaction(ctx.db, async (tx) => {
    const revoked = await endTokens(ctx, tx, endUser);
    const details = { tokens: revoked };
    await tx.$executeRaw(
      insertAuditEntry(ctx, {
        action: 'end_user.tokens_revoked',
        subjectId: endUserDigest(ctx.services, ctx.environment, endUser),
        details,
        at: ctx.now(),
      }),
    );
    return revoked;
  });
  ctx.services.stores.pubSub.publish(endUserTopic(ctx.environment.id, endUser));
  return count;
}

/**
 * Deletes the tokens of an end user, revokes their JWTs and disconnects their apps. The caller publishes `endUserTopic` after the commit.
 * @returns the number of tokens that were valid, without JWTs
 */
export async function endTokens(ctx: Context, tx: Transaction, endUser: string): Promise<number> {
  const { environment } = ctx;
  // An end user who is allowing an app now holds this row, so the app is disconnected here, or not connected at all.
  await lockIssuer(tx, environment.id);
  await revokeJwts(ctx, tx, endUser);
  await endApps(byCaller(ctx), tx, Prisma.sql`${appsOfEndUsers(environment)} AND end_user = ${endUser}`);
  const [row] = await tx.$queryRaw<{ count: number }[]>`
    WITH deleted AS (
      DELETE FROM end_user_token WHERE environment_id = ${environment.id}::uuid AND end_user = ${endUser}
      RETURNING expires_at
    )
    SELECT count(*)::int4 AS count FROM deleted WHERE expires_at > now()`;
  return row?.count ?? 0;
}

/**
 * Revokes the JWTs of an end user that exist now. Nobody knows them, so the time decides. The caller publishes
 * `endUserTopic` after the commit.
 */
async function revokeJwts({ environment, now }: Context, tx: Transaction, endUser: string): Promise<void> {
  const at = now();
  const obsolete = new Date(at.getTime() - (LIMITS.endUserJwtHours * 3_600 + LIMITS.endUserJwtClockSeconds) * 1_000);
  await tx.$executeRaw`
    INSERT INTO revoked_end_user (environment_id, end_user_hash, revoked_at)
    VALUES (${environment.id}::uuid, ${endUserHash(endUser)}, ${at}::timestamptz)
    ON CONFLICT (environment_id, end_user_hash) DO UPDATE
      SET revoked_at = greatest(revoked_end_user.revoked_at, excluded.revoked_at)`;
  await tx.$executeRaw`
    DELETE FROM revoked_end_user WHERE environment_id = ${environment.id}::uuid AND end_user_hash IN (
      SELECT end_user_hash FROM revoked_end_user
      WHERE environment_id = ${environment.id}::uuid AND revoked_at < ${obsolete}::timestamptz
      LIMIT ${SWEPT_ROWS} FOR UPDATE SKIP LOCKED)`;
}
