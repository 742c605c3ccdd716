import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import type { IntegrationKind } from '../../contract/statuses.ts';
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
  return inTransaction(ctx.db, async (tx) => {
    const stored = await lockIntegration(ctx, tx, id);
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
    const details = { ...changed, header_names: headerNames, trusts_hints: trustsHints };
    await tx.$executeRaw(
      insertAuditEntry(ctx, { action: 'integration.updated', subjectId: id, details, at: ctx.now() }),
    );
    await tx.integration.update({
      where: rowKey(ctx.environment, id),
      data: { name: changed.name, config, ...secrets },
    });
    return { ...stored, ...changed, headerNames, trustsHints };
  });
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
  const { integration, changed } = await inTransaction(ctx.db, async (tx) => {
    const stored = await lockIntegration(ctx, tx, id);
    if (stored.disconnectedAt) return { integration: stored, changed: false };
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
      UPDATE integration SET disconnected_at = ${at}, sealed_secrets = NULL
      WHERE id = ${id} AND environment_id = ${ctx.environment.id}::uuid`;
    return { integration: { ...stored, disconnectedAt: at }, changed: true };
  });
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
}

async function lockIntegration({ environment }: Context, tx: Transaction, id: string): Promise<Integration> {
  const [row] = await tx.$queryRaw<Row[]>`
    SELECT kind::text, name, config, connected_at AS "connectedAt", disconnected_at AS "disconnectedAt",
           last_error AS "lastError", last_error_at AS "lastErrorAt" FROM integration
    WHERE id = ${id} AND environment_id = ${environment.id}::uuid FOR UPDATE`;
  if (!row) throw integrationNotFound();
  return integrationOf({ id, ...row });
}
