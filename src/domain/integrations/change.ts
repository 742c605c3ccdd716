import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import type { IntegrationKind } from '../../contract/statuses.ts';
import { Prisma } from '../../db/generated/client.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { rulesOf } from '../../shapes/field.ts';
import { UPDATE_INTEGRATION } from '../../shapes/integrations.ts';
import { requireAddress } from '../address.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { appendEvent } from '../events/append.ts';
import { eventTopic } from '../events/topic.ts';
import { parseInput } from '../input.ts';
import { rowKey } from '../row-key.ts';
import type { NewIntegration } from './connect.ts';
import { namesOf, sealHeaders } from './headers.ts';
import { findIntegration, type Integration, integrationNotFound, integrationOf } from './reads.ts';
import { revokeLater } from './revoke-tokens.ts';
import { hasOwnCredentials } from './sign-in-state.ts';

const { id: _, ...fields } = UPDATE_INTEGRATION.fields;

const integrationChange = z.object(rulesOf(fields));

/** The fields to change. `headers` replace all headers. */
export type IntegrationChange = {
  readonly [Field in 'name' | 'url' | 'headers' | 'trustsHints']?: NewIntegration[Field] | null | undefined;
};

/**
 * Changes a connected integration. Workflows that name the integration keep working, for example with a new token. There
 * is no event.
 * @throws {ServiceError} not_found; invalid_request, for example if the integration is disconnected
 */
export async function updateIntegration(ctx: Context, id: string, input: IntegrationChange): Promise<Integration> {
  await findIntegration(ctx, id);
  const change = parseInput(integrationChange, input);
  if (change.url != null) await requireAddress(ctx, change.url);
  const { integration, dropped } = await inTransaction(ctx.db, async (tx) => {
    const { stored, sealedSignIn } = await lockIntegration(ctx, tx, id);
    if (stored.disconnectedAt) {
      throw new ServiceError('invalid_request', '{param} is a disconnected integration. Connect a new one.', {
        param: ['id'],
      });
    }
    if (!change.headers) requireSameOrigin(stored, change.url ?? stored.url);
    const headerNames = change.headers ? namesOf(change.headers) : [...stored.headerNames];
    const changed = { name: change.name ?? stored.name, url: change.url ?? stored.url };
    const trustsHints = change.trustsHints ?? stored.trustsHints;
    const config = { url: changed.url, headerNames, trustsHints };
    const secrets = change.headers ? { sealedSecrets: sealHeaders(ctx, id, change.headers) } : {};
    const { data, ...end } = endOfSignIn(stored, changed.url, change.headers && headerNames);
    const details = { ...changed, header_names: headerNames, trusts_hints: trustsHints, signed_out: end.signedOut };
    await tx.$executeRaw(
      insertAuditEntry(ctx, { action: 'integration.updated', subjectId: id, details, at: ctx.now() }),
    );
    await tx.integration.update({
      where: rowKey(ctx.environment, id),
      data: { name: changed.name, config, ...secrets, ...data },
    });
    const integration = { ...stored, ...changed, headerNames, trustsHints, signIn: end.signIn };
    return { integration, dropped: 'sealedSignIn' in data ? sealedSignIn : null };
  });
  revokeLater(ctx, id, dropped);
  return integration;
}

/**
 * A sign-in ends if the URL changes, because its tokens are for the former URL, or if requests get other credentials. Other
 * headers only end the need for one, because the server may accept them.
 */
function endOfSignIn({ url, signIn }: Integration, next: string, newHeaders: readonly string[] | null | undefined) {
  if (next === url && !hasOwnCredentials(newHeaders ?? [])) {
    if (!newHeaders || signIn?.status !== 'needed') return { data: {}, signIn, signedOut: undefined };
    const data = { signIn: Prisma.DbNull, signInVersion: { increment: 1 } };
    return { data, signIn: null, signedOut: undefined };
  }
  const data = { signIn: Prisma.DbNull, sealedSignIn: null, signInVersion: { increment: 1 } };
  return { data, signIn: null, signedOut: signIn?.at == null ? undefined : true };
}

/** Stored header values go only to the origin that they were set for. A new URL could otherwise read the secrets. */
function requireSameOrigin({ url, headerNames }: Integration, next: string): void {
  if (headerNames.length === 0 || new URL(next).origin === new URL(url).origin) return;
  const message = '{param} must be sent again if the URL changes to another origin.';
  throw new ServiceError('invalid_request', message, { param: ['headers'] });
}

/**
 * Disconnects an integration permanently and deletes its secrets. If the integration is already disconnected, nothing
 * changes and there is no second event.
 * @throws {ServiceError} not_found
 */
export async function disconnectIntegration(ctx: Context, id: string): Promise<Integration> {
  const { integration, changed, dropped } = await inTransaction(ctx.db, async (tx) => {
    const { stored, sealedSignIn } = await lockIntegration(ctx, tx, id);
    if (stored.disconnectedAt) return { integration: stored, changed: false, dropped: null };
    const { kind, name } = stored;
    const at = ctx.now();
    const payload = { integration_id: id, kind, name };
    const event = appendEvent(ctx, { type: 'integration.disconnected', resourceId: id, payload, at });
    const entry = insertAuditEntry(ctx, {
      action: 'integration.disconnected',
      subjectId: id,
      details: { kind, name },
      at,
    });
    await tx.$executeRaw`
      WITH logged AS (${event}), noted AS (${entry})
      UPDATE integration SET disconnected_at = ${at}, sealed_secrets = NULL,
             sign_in = NULL, sealed_sign_in = NULL, sign_in_version = sign_in_version + 1
      WHERE id = ${id} AND environment_id = ${ctx.environment.id}::uuid`;
    return { integration: { ...stored, disconnectedAt: at, signIn: null }, changed: true, dropped: sealedSignIn };
  });
  revokeLater(ctx, id, dropped);
  if (changed) ctx.services.stores.pubSub.publish(eventTopic(ctx.environment.id));
  return integration;
}

interface Row {
  kind: IntegrationKind;
  name: string;
  config: unknown;
  connectedAt: Date;
  disconnectedAt: Date | null;
  lastError: string | null;
  lastErrorAt: Date | null;
  signIn: unknown;
  sealedSignIn: Uint8Array | null;
}

async function lockIntegration({ environment }: Context, tx: Transaction, id: string) {
  const [row] = await tx.$queryRaw<Row[]>`
    SELECT kind::text, name, config, connected_at AS "connectedAt", disconnected_at AS "disconnectedAt",
           last_error AS "lastError", last_error_at AS "lastErrorAt", sign_in AS "signIn",
           sealed_sign_in AS "sealedSignIn" FROM integration
    WHERE id = ${id} AND environment_id = ${environment.id}::uuid FOR UPDATE`;
  if (!row) throw integrationNotFound();
  const { sealedSignIn, ...rest } = row;
  return { stored: integrationOf({ id, ...rest }), sealedSignIn };
}
