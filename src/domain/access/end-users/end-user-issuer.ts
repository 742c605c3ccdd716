import { z } from 'zod';
import { ServiceError } from '../../../contract/errors.ts';
import type { EndUserIssuer } from '../../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../../db/transaction.ts';
import { SET_END_USER_ISSUER } from '../../../shapes/end-users.ts';
import { rulesOf } from '../../../shapes/field.ts';
import { requireAddress } from '../../address.ts';
import { insertAuditEntry } from '../../audit/append.ts';
import type { Context } from '../../context.ts';
import { parseInput } from '../../input.ts';
import { newTypeId } from '../../type-id.ts';
import { unknownDeployment } from '../bound-deployments.ts';
import { credentialTopic } from '../caller-ends.ts';

export const issuerInput = z.object(rulesOf(SET_END_USER_ISSUER.fields));

/** The server of the customer that signs JWTs for the environment. Null: no JWT is accepted. */
export function readEndUserIssuer({ db, environment }: Context): Promise<EndUserIssuer | null> {
  return db.endUserIssuer.findUnique({ where: { environmentId: environment.id } });
}

/**
 * Replaces the settings of JWTs. Streams of JWTs from before end, so that they are verified with the new settings.
 * @throws {ServiceError} invalid_request, not_found
 */
export async function setEndUserIssuer(ctx: Context, input: Readonly<Record<string, unknown>>): Promise<EndUserIssuer> {
  const { scopeClaim = null, ...settings } = parseInput(issuerInput, input);
  await requireAddress(ctx, settings.jwksUrl, ['jwksUrl']);
  await requireOwnAudience(ctx, settings);
  const id = newTypeId('eui');
  const row: EndUserIssuer = { id, environmentId: ctx.environment.id, ...settings, scopeClaim, updatedAt: ctx.now() };
  const before = await inTransaction(ctx.db, async (tx) => {
    await requireDeployments(ctx, tx, settings.deploymentIds);
    const removed = await removeIssuer(ctx, tx);
    await tx.endUserIssuer.create({ data: row });
    const { issuer, audience, jwksUrl, deploymentIds } = settings;
    const details = { issuer, audience, jwks_url: jwksUrl, deployment_ids: deploymentIds, scope_claim: scopeClaim };
    await tx.$executeRaw(
      insertAuditEntry(ctx, { action: 'end_user_issuer.set', subjectId: id, details, at: row.updatedAt }),
    );
    return removed;
  });
  if (before) ctx.services.stores.pubSub.publish(credentialTopic(before));
  return row;
}

/**
 * Removes the settings, so the environment accepts no JWT. Streams of JWTs end.
 * @throws {ServiceError} not_found
 */
export async function removeEndUserIssuer(ctx: Context): Promise<void> {
  const before = await inTransaction(ctx.db, async (tx) => {
    const removed = await removeIssuer(ctx, tx);
    if (removed === undefined) throw new ServiceError('not_found', 'The environment accepts no JWTs of end users.');
    const entry = { action: 'end_user_issuer.removed', subjectId: removed, at: ctx.now() } as const;
    await tx.$executeRaw(insertAuditEntry(ctx, entry));
    return removed;
  });
  ctx.services.stores.pubSub.publish(credentialTopic(before));
}

/** Reads the public keys with a new request. Returns why they cannot be used. @throws {ServiceError} invalid_request */
export async function testEndUserIssuer(ctx: Context): Promise<string | undefined> {
  const row = await readEndUserIssuer(ctx);
  if (row) return ctx.services.ports.jwts.problemOf(row.jwksUrl);
  throw new ServiceError('invalid_request', 'The environment accepts no JWTs. Save an issuer first.');
}

async function requireDeployments(ctx: Context, tx: Transaction, ids: readonly string[]): Promise<void> {
  const unknown = await unknownDeployment(ctx, tx, ids);
  if (unknown < 0) return;
  const message = 'There is no deployment with this ID. Check {param}.';
  throw new ServiceError('not_found', message, { param: ['deploymentIds', unknown] });
}

/** Returns the ID of the removed row. The lock of the environment makes changes at the same time wait. */
async function removeIssuer({ environment }: Context, tx: Transaction): Promise<string | undefined> {
  await tx.$queryRaw`SELECT FROM environment WHERE id = ${environment.id}::uuid FOR NO KEY UPDATE`;
  const [row] = await tx.$queryRaw<{ id: string }[]>`
    DELETE FROM end_user_issuer WHERE environment_id = ${environment.id}::uuid RETURNING id`;
  return row?.id;
}

/**
 * A JWT names the environment of a workspace by its audience. Other workspaces do not matter: they can have the same
 * issuer, and the request says which deployment it is about. Of two changes at the same time both can pass. Then
 * `x-environment` decides about their JWTs.
 */
async function requireOwnAudience(
  { environment, services }: Context,
  { issuer, audience }: Pick<EndUserIssuer, 'issuer' | 'audience'>,
): Promise<void> {
  const [other] = await services.stores.sql.rows<{ id: string }>`
    SELECT id FROM environment WHERE workspace_id = ${environment.workspaceId}::uuid AND id <> ${environment.id}::uuid`;
  if (!other) return;
  const [taken] = await services.stores.sql.rows<{ id: string }>`
    SELECT id FROM end_user_issuer
    WHERE environment_id = ${other.id}::uuid AND issuer = ${issuer} AND audience = ${audience}`;
  if (!taken) return;
  const message =
    'The other environment of the workspace accepts this issuer with this {param}. Each environment needs an audience of its own.';
  throw new ServiceError('invalid_request', message, { param: ['audience'] });
}
