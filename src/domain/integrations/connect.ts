import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { INTEGRATION_KINDS, type IntegrationKind } from '../../contract/statuses.ts';
import { inTransaction } from '../../db/transaction.ts';
import { addressInput, requireAddress } from '../address.ts';
import type { Context } from '../context.ts';
import { appendEvent, eventTopic } from '../events/append.ts';
import { parseInput } from '../input.ts';
import { newTypeId } from '../type-id.ts';
import { headersInput, type StoredHeader } from './headers.ts';
import { type Integration, type IntegrationConfig, integrationNotFound, integrationOf } from './reads.ts';

const NAME_RULE = `must have at most ${LIMITS.integrationNameLength} characters`;

const newIntegration = z.object({
  kind: z.enum(INTEGRATION_KINDS),
  name: z.string().regex(/\S/, 'must not be blank').max(LIMITS.integrationNameLength, NAME_RULE),
  url: addressInput,
  headers: headersInput,
});

/** What an integration is made of. */
export interface NewIntegration {
  readonly kind: IntegrationKind;
  readonly name: string;
  /** Of an MCP server, or what the paths of an API begin with. */
  readonly url: string;
  /** Sent along with each request. */
  readonly headers?: readonly StoredHeader[] | null | undefined;
}

/**
 * Stores an integration and its event in one statement. Values of headers are sealed, and never read back.
 * @throws {ServiceError} invalid_request
 */
export async function connectIntegration(ctx: Context, input: NewIntegration): Promise<Integration> {
  const { kind, name, url, headers } = parseInput(newIntegration, input);
  await requireAddress(ctx, url);
  const id = newTypeId('int');
  const at = ctx.now();
  const config: IntegrationConfig = { url, headerNames: (headers ?? []).map((header) => header.name) };
  const sealed = headers?.length ? ctx.services.secretBox.seal(JSON.stringify(headers), id) : null;
  const payload = { integration_id: id, kind, name };
  const event = appendEvent(ctx, { type: 'integration.connected', resourceId: id, payload, at });
  await ctx.db.$executeRaw`
    WITH logged AS (${event})
    INSERT INTO integration (id, environment_id, kind, name, config, sealed_secrets, connected_at)
    VALUES (${id}, ${ctx.environment.id}::uuid, ${kind}::integration_kind, ${name}, ${JSON.stringify(config)}::jsonb,
            ${sealed}, ${at})`;
  ctx.services.live.publish(eventTopic(ctx.environment.id));
  return { id, kind, name, ...config, connectedAt: at, disconnectedAt: null };
}

interface Row {
  kind: IntegrationKind;
  name: string;
  config: unknown;
  connected_at: Date;
  disconnected_at: Date | null;
}

/**
 * Disconnects an integration for ever, and forgets its secrets. One that is disconnected already stays as it is, and
 * there is no second event.
 * @throws {ServiceError} not_found
 */
export async function disconnectIntegration(ctx: Context, id: string): Promise<Integration> {
  const { integration, changed } = await inTransaction(ctx.db, async (tx) => {
    const [row] = await tx.$queryRaw<Row[]>`
      SELECT kind::text, name, config, connected_at, disconnected_at FROM integration
      WHERE id = ${id} AND environment_id = ${ctx.environment.id}::uuid FOR UPDATE`;
    if (!row) throw integrationNotFound();
    const { kind, name, config, connected_at: connectedAt, disconnected_at: disconnectedAt } = row;
    const stored = integrationOf({ id, kind, name, config, connectedAt, disconnectedAt });
    if (disconnectedAt) return { integration: stored, changed: false };
    const at = ctx.now();
    const payload = { integration_id: id, kind, name };
    const event = appendEvent(ctx, { type: 'integration.disconnected', resourceId: id, payload, at });
    await tx.$executeRaw`
      WITH logged AS (${event})
      UPDATE integration SET disconnected_at = ${at}, sealed_secrets = NULL
      WHERE id = ${id} AND environment_id = ${ctx.environment.id}::uuid`;
    return { integration: { ...stored, disconnectedAt: at }, changed: true };
  });
  if (changed) ctx.services.live.publish(eventTopic(ctx.environment.id));
  return integration;
}
