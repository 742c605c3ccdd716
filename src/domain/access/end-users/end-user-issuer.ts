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
import { credentialTopic, endUserAppsTopic } from '../caller-ends.ts';
import { oidcIssuer } from '../sso/oidc-issuer.ts';
import { lockIssuer } from './issuer-lock.ts';
import { endAppsWithout, storedSignIn } from './sign-in-settings.ts';

export const issuerInput = z.object(rulesOf(SET_END_USER_ISSUER.fields));

/** The settings with which the issuer of JWTs also signs users in. */
const signInIssuer = z.object({ issuer: oidcIssuer });

/** The server of the customer that signs JWTs for the environment. Null: no JWT is accepted. */
export function readEndUserIssuer({ db, environment }: Context): Promise<EndUserIssuer | null> {
  return db.endUserIssuer.findUnique({ where: { environmentId: environment.id } });
}

/**
 * Replaces the settings of JWTs. Streams of JWTs from before end, so that they are verified with the new settings. Apps of end
 * users end that the new settings do not allow.
 * @throws {ServiceError} invalid_request, not_found
 */
export async function setEndUserIssuer(ctx: Context, input: Readonly<Record<string, unknown>>): Promise<EndUserIssuer> {
  const { scopeClaim = null, signIn, ...settings } = parseInput(issuerInput, input);
  await requireAddress(ctx, settings.jwksUrl, ['jwksUrl']);
  if (signIn) await requireAddress(ctx, parseInput(signInIssuer, settings).issuer, ['issuer']);
  await requireOwnAudience(ctx, settings);
  const id = newTypeId('eui');
  const { row, before } = await inTransaction(ctx.db, async (tx) => {
    await requireDeployments(ctx, tx, settings.deploymentIds);
    const before = await removeIssuer(ctx, tx);
    const updatedAt = ctx.now();
    const row: EndUserIssuer = {
      ...{ id, environmentId: ctx.environment.id, ...settings, scopeClaim, updatedAt },
      ...storedSignIn(ctx, before, { issuer: settings.issuer, signIn }),
    };
    await tx.endUserIssuer.create({ data: row });
    const details = { ...auditedOf(row), secret_changed: signIn?.clientSecret != null };
    await tx.$executeRaw(
      insertAuditEntry(ctx, { action: 'end_user_issuer.set', subjectId: id, details, at: updatedAt }),
    );
    await endAppsWithout(ctx, tx, before, row);
    return { row, before };
  });
  if (before) publishChange(ctx, before);
  return row;
}

/** The settings in the audit log. */
function auditedOf({ issuer, audience, jwksUrl, deploymentIds, scopeClaim, signInClientId }: EndUserIssuer): object {
  const settings = { issuer, audience, jwks_url: jwksUrl, deployment_ids: deploymentIds, scope_claim: scopeClaim };
  return { ...settings, sign_in_client_id: signInClientId };
}

/** Ends the streams of JWTs with the former settings, and those of apps that ended. */
function publishChange({ environment, services }: Context, before: EndUserIssuer): void {
  for (const topic of [credentialTopic(before.id), endUserAppsTopic(environment.id)]) {
    services.stores.pubSub.publish(topic);
  }
}

/**
 * Removes the settings, so the environment accepts no JWT. Streams of JWTs and apps of end users end.
 * @throws {ServiceError} not_found
 */
export async function removeEndUserIssuer(ctx: Context): Promise<void> {
  const before = await inTransaction(ctx.db, async (tx) => {
    const removed = await removeIssuer(ctx, tx);
    if (!removed) throw new ServiceError('not_found', 'The environment accepts no JWTs of end users.');
    const entry = { action: 'end_user_issuer.removed', subjectId: removed.id, at: ctx.now() } as const;
    await tx.$executeRaw(insertAuditEntry(ctx, entry));
    await endAppsWithout(ctx, tx, removed, undefined);
    return removed;
  });
  publishChange(ctx, before);
}

/**
 * Reads the public keys, and the configuration for sign-in, with new requests. Returns why they cannot be used.
 * @throws {ServiceError} invalid_request
 */
export async function testEndUserIssuer(ctx: Context): Promise<string | undefined> {
  const row = await readEndUserIssuer(ctx);
  const { jwts, oidc } = ctx.services.ports;
  if (row) {
    const problem = await jwts.problemOf(row.jwksUrl);
    return problem ?? (row.signInClientId === null ? undefined : oidc.problemOf(row.issuer));
  }
  throw new ServiceError('invalid_request', 'The environment accepts no JWTs. Save an issuer first.');
}

async function requireDeployments(ctx: Context, tx: Transaction, ids: readonly string[]): Promise<void> {
  const unknown = await unknownDeployment(ctx, tx, ids);
  if (unknown < 0) return;
  const message = 'There is no deployment with this ID. Check {param}.';
  throw new ServiceError('not_found', message, { param: ['deploymentIds', unknown] });
}

/** Returns the removed row. The lock of the environment makes changes at the same time wait. */
async function removeIssuer({ environment }: Context, tx: Transaction): Promise<EndUserIssuer | undefined> {
  const environmentId = environment.id;
  await tx.$queryRaw`SELECT FROM environment WHERE id = ${environmentId}::uuid FOR NO KEY UPDATE`;
  await lockIssuer(tx, environmentId);
  const row = await tx.endUserIssuer.findUnique({ where: { environmentId } });
  if (row) await tx.endUserIssuer.delete({ where: { environmentId } });
  return row ?? undefined;
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
