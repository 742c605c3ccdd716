import { z } from 'zod';
import { ServiceError } from '../../contract/errors.ts';
import type { IntegrationKind } from '../../contract/statuses.ts';
import { inTransaction, type Transaction } from '../../db/transaction.ts';
import { requireAddress } from '../address.ts';
import { audited } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { appendEvent, eventTopic } from '../events/append.ts';
import { parseInput } from '../input.ts';
import { type NewIntegration, newIntegration } from './connect.ts';
import { namesOf, sealHeaders } from './headers.ts';
import { findIntegration, type Integration, integrationNotFound, integrationOf } from './reads.ts';

const { name, url, headers } = newIntegration.shape;

const integrationChange = z.object({ name: name.nullish(), url: url.nullish(), headers });

/** A change of an integration: what is left out stays. Headers are given all together. */
export type IntegrationChange = {
  readonly [Field in 'name' | 'url' | 'headers']?: NewIntegration[Field] | null | undefined;
};

/**
 * Changes a connected integration, so that what names it need not be changed for a new token. The log does not tell of it.
 * @throws {ServiceError} not_found, or invalid_request, also where it is disconnected
 */
export async function updateIntegration(ctx: Context, id: string, input: IntegrationChange): Promise<Integration> {
  await findIntegration(ctx, id);
  const change = parseInput(integrationChange, input);
  if (change.url != null) await requireAddress(ctx, change.url);
  return inTransaction(ctx.db, async (tx) => {
    const stored = await lockIntegration(ctx, tx, id);
    if (stored.disconnectedAt) {
      throw new ServiceError('invalid_request', '{param} is a disconnected integration. Connect another.', {
        param: ['id'],
      });
    }
    if (!change.headers) requireSameOrigin(stored, change.url ?? stored.url);
    const headerNames = change.headers ? namesOf(change.headers) : [...stored.headerNames];
    const changed = { name: change.name ?? stored.name, url: change.url ?? stored.url };
    const config = { url: changed.url, headerNames };
    const secrets = change.headers ? { sealedSecrets: sealHeaders(ctx, id, change.headers) } : {};
    const details = { ...changed, header_names: headerNames };
    await tx.$executeRaw(audited(ctx, { action: 'integration.updated', subjectId: id, details, at: ctx.now() }));
    await tx.integration.update({ where: { id }, data: { name: changed.name, config, ...secrets } });
    return { ...stored, ...changed, headerNames };
  });
}

/** Stored values go to nobody that they were not given for: else a change of address would read them back. */
function requireSameOrigin({ url, headerNames }: Integration, next: string): void {
  if (headerNames.length === 0 || new URL(next).origin === new URL(url).origin) return;
  throw new ServiceError('invalid_request', '{param} must be given again where the address is at another host.', {
    param: ['headers'],
  });
}

/**
 * Disconnects an integration for ever, and forgets its secrets. One that is disconnected already stays as it is, and
 * there is no second event.
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
    const note = audited(ctx, { action: 'integration.disconnected', subjectId: id, details: { kind, name }, at });
    await tx.$executeRaw`
      WITH logged AS (${event}), noted AS (${note})
      UPDATE integration SET disconnected_at = ${at}, sealed_secrets = NULL
      WHERE id = ${id} AND environment_id = ${ctx.environment.id}::uuid`;
    return { integration: { ...stored, disconnectedAt: at }, changed: true };
  });
  if (changed) ctx.services.live.publish(eventTopic(ctx.environment.id));
  return integration;
}

interface Row {
  kind: IntegrationKind;
  name: string;
  config: unknown;
  connected_at: Date;
  disconnected_at: Date | null;
}

async function lockIntegration({ environment }: Context, tx: Transaction, id: string): Promise<Integration> {
  const [row] = await tx.$queryRaw<Row[]>`
    SELECT kind::text, name, config, connected_at, disconnected_at FROM integration
    WHERE id = ${id} AND environment_id = ${environment.id}::uuid FOR UPDATE`;
  if (!row) throw integrationNotFound();
  const { connected_at: connectedAt, disconnected_at: disconnectedAt, ...rest } = row;
  return integrationOf({ id, ...rest, connectedAt, disconnectedAt });
}
