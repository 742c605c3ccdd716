import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { INTEGRATION_KINDS, type IntegrationKind } from '../../contract/statuses.ts';
import { markedEffect } from '../access/idempotency.ts';
import { addressInput, requireAddress } from '../address.ts';
import { audited } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { appendEvent, eventTopic } from '../events/append.ts';
import { type Header, headersInput } from '../headers-input.ts';
import { parseInput } from '../input.ts';
import { newTypeId } from '../type-id.ts';
import { namesOf, sealHeaders } from './headers.ts';
import { findIntegration, type Integration, type IntegrationConfig } from './reads.ts';

const NAME_RULE = `must have at most ${LIMITS.integrationNameLength} characters`;

/** The fields of an integration, as they are checked. */
export const newIntegration = z.object({
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
  readonly headers?: readonly Header[] | null | undefined;
}

/**
 * Stores an integration and its event in one statement. Values of headers are sealed, and never read back.
 * @throws {ServiceError} invalid_request
 */
export async function connectIntegration(ctx: Context, input: NewIntegration): Promise<Integration> {
  // Written by this, under the idempotency key of this request.
  const made = ctx.request.claim?.effect as { readonly integrationId: string } | null | undefined;
  if (made) return findIntegration(ctx, made.integrationId);
  const { kind, name, url, headers } = parseInput(newIntegration, input);
  await requireAddress(ctx, url);
  const id = newTypeId('int');
  const at = ctx.now();
  const config: IntegrationConfig = { url, headerNames: namesOf(headers ?? []) };
  const sealed = sealHeaders(ctx, id, headers ?? []);
  const payload = { integration_id: id, kind, name };
  const event = appendEvent(ctx, { type: 'integration.connected', resourceId: id, payload, at });
  const note = audited(ctx, { action: 'integration.connected', subjectId: id, details: { kind, name, url }, at });
  await ctx.services.sql.changed`
    WITH logged AS (${event}), noted AS (${note})${markedEffect(ctx.request.claim, { integrationId: id })}
    INSERT INTO integration (id, environment_id, kind, name, config, sealed_secrets, connected_at)
    VALUES (${id}, ${ctx.environment.id}::uuid, ${kind}::integration_kind, ${name}, ${JSON.stringify(config)}::jsonb,
            ${sealed}, ${at})`;
  ctx.services.live.publish(eventTopic(ctx.environment.id));
  return { id, kind, name, ...config, connectedAt: at, disconnectedAt: null };
}
