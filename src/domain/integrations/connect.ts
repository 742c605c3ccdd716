import { z } from 'zod';
import type { IntegrationKind } from '../../contract/statuses.ts';
import { rulesOf } from '../../shapes/field.ts';
import type { Header } from '../../shapes/headers.ts';
import { CONNECT_INTEGRATION } from '../../shapes/integrations.ts';
import { effectCte, heldClaim, underClaim } from '../access/claimed-effect.ts';
import { requireAddress } from '../address.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { Context } from '../context.ts';
import { appendEvent } from '../events/append.ts';
import { eventTopic } from '../events/topic.ts';
import { parseInput } from '../input.ts';
import { newTypeId } from '../type-id.ts';
import { namesOf, sealHeaders } from './headers.ts';
import { findIntegration, type Integration } from './reads.ts';

export const newIntegration = z.object(rulesOf(CONNECT_INTEGRATION.fields));

/** The input of a new integration. */
export interface NewIntegration {
  readonly kind: IntegrationKind;
  readonly name: string;
  /** The URL of an MCP server, or the base URL of an API. */
  readonly url: string;
  /** Headers that the service adds to each request. */
  readonly headers?: readonly Header[] | null | undefined;
  /** Whether the service believes the hint of the MCP server that a tool only reads. False by default. */
  readonly trustsHints?: boolean | null | undefined;
}

/**
 * Stores an integration and its event in one statement. Header values are encrypted, and no API returns them.
 * @throws {ServiceError} invalid_request
 */
export async function connectIntegration(ctx: Context, input: NewIntegration): Promise<Integration> {
  // Written below by an earlier attempt with the same idempotency key.
  const stored = ctx.request.claim?.effect as { readonly integrationId: string } | null | undefined;
  if (stored) return findIntegration(ctx, stored.integrationId);
  const { kind, name, url, headers, trustsHints } = parseInput(newIntegration, input);
  await requireAddress(ctx, url);
  const id = newTypeId('int');
  const at = ctx.now();
  const config = { url, headerNames: namesOf(headers ?? []), trustsHints: trustsHints ?? false };
  const sealed = sealHeaders(ctx, id, headers ?? []);
  const payload = { integration_id: id, kind, name };
  const event = appendEvent(ctx, { type: 'integration.connected', resourceId: id, payload, at });
  const entry = insertAuditEntry(ctx, {
    action: 'integration.connected',
    subjectId: id,
    details: { kind, name, url, trusts_hints: config.trustsHints },
    at,
  });
  const { claim } = ctx.request;
  const store = () => ctx.sql.execute`
    WITH ${heldClaim(claim)}, logged AS (${event}), noted AS (${entry})${effectCte(claim, { integrationId: id })}
    INSERT INTO integration (id, environment_id, kind, name, config, sealed_secrets, connected_at)
    SELECT ${id}, ${ctx.environment.id}::uuid, ${kind}::integration_kind, ${name}, ${JSON.stringify(config)}::jsonb,
           ${sealed}, ${at} FROM held`;
  await underClaim(claim, store);
  ctx.services.stores.pubSub.publish(eventTopic(ctx.environment.id));
  const fresh = { disconnectedAt: null, lastError: null, lastErrorAt: null, signIn: null };
  return { id, kind, name, ...config, connectedAt: at, ...fresh };
}
