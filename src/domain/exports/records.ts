import { usageByColumn } from '../../contract/token-usage.ts';
import type { Event, Integration, Resource, Trigger, WebhookEndpoint, WorkflowLog } from '../../db/generated/client.ts';
import { type Keyset, readAllRows } from '../../db/keyset.ts';
import { readEndUserIssuer } from '../access/end-users/end-user-issuer.ts';
import type { Context } from '../context.ts';
import { LARGE_ROWS, linesOf, type RowLine, SMALL_ROWS } from './lines.ts';

type Lines = AsyncGenerator<RowLine, undefined>;

function oldestFirst<Row extends { readonly id: string | bigint }>(
  list: string,
  by: keyof Row & string,
  idType: 'string' | 'bigint' = 'string',
): Keyset<Row> {
  const columns = [
    { field: by, type: 'date' },
    { field: 'id', type: idType },
  ] as const;
  return { list, columns, direction: 'asc' };
}

const RESOURCES = oldestFirst<Resource>('exported resources', 'createdAt');

export function resourceLines(ctx: Context): Lines {
  const rows = readAllRows(RESOURCES, LARGE_ROWS, (query) => ctx.db.resource.findMany(query));
  return linesOf('resource', rows, ({ id, type, fields, createdAt, updatedAt }) => ({
    id,
    type,
    fields,
    created_at: createdAt,
    updated_at: updatedAt,
  }));
}

const EVENTS = oldestFirst<Event>('exported events', 'occurredAt');

export function eventLines(ctx: Context): Lines {
  const rows = readAllRows(EVENTS, LARGE_ROWS, (query) => ctx.db.event.findMany(query));
  return linesOf('event', rows, ({ id, type, resourceId, payload, occurredAt }) => ({
    id,
    type,
    resource_id: resourceId,
    payload,
    occurred_at: occurredAt,
  }));
}

type OpenIntegration = Omit<Integration, 'sealedSecrets' | 'sealedSignIn'>;

const INTEGRATIONS = oldestFirst<OpenIntegration>('exported integrations', 'connectedAt');

/** Includes the names of headers, never their values. */
export function integrationLines(ctx: Context): Lines {
  const rows = readAllRows(INTEGRATIONS, SMALL_ROWS, (query) =>
    ctx.db.integration.findMany({ ...query, omit: { sealedSecrets: true, sealedSignIn: true } }),
  );
  return linesOf('integration', rows, ({ id, kind, name, config, connectedAt, disconnectedAt }) => ({
    id,
    kind,
    name,
    config,
    connected_at: connectedAt,
    disconnected_at: disconnectedAt,
  }));
}

/** The server that signs JWTs for end users. It has no secret. */
export async function* endUserIssuerLines(ctx: Context): Lines {
  const row = await readEndUserIssuer(ctx);
  if (!row) return;
  const { id, issuer, audience, jwksUrl, deploymentIds, scopeClaim, updatedAt } = row;
  yield {
    type: 'end_user_issuer',
    data: {
      id,
      issuer,
      audience,
      jwks_url: jwksUrl,
      deployment_ids: deploymentIds,
      scope_claim: scopeClaim,
      updated_at: updatedAt,
    },
  };
}

type OpenEndpoint = Omit<WebhookEndpoint, 'sealedSecret'>;

const ENDPOINTS = oldestFirst<OpenEndpoint>('exported webhook endpoints', 'createdAt');

/** Excludes secrets and deliveries. */
export function webhookLines(ctx: Context): Lines {
  const rows = readAllRows(ENDPOINTS, SMALL_ROWS, (query) =>
    ctx.db.webhookEndpoint.findMany({ ...query, omit: { sealedSecret: true } }),
  );
  return linesOf('webhook_endpoint', rows, ({ id, url, description, eventTypes, enabled, createdAt, updatedAt }) => ({
    id,
    url,
    description,
    event_types: eventTypes,
    enabled,
    created_at: createdAt,
    updated_at: updatedAt,
  }));
}

const TRIGGERS = oldestFirst<Trigger>('exported triggers', 'createdAt');

export function triggerLines(ctx: Context): Lines {
  const rows = readAllRows(TRIGGERS, LARGE_ROWS, (query) => ctx.db.trigger.findMany(query));
  return linesOf('trigger', rows, (row) => ({
    id: row.id,
    deployment_id: row.deploymentId,
    workflow_id: row.workflowId,
    ui_surface: row.uiSurface,
    content: row.content,
    variables: row.variables,
    conversation_id: row.conversationId,
    workflow_log_id: row.workflowLogId === null ? null : Number(row.workflowLogId),
    created_at: row.createdAt,
    expires_at: row.expiresAt,
  }));
}

const LOGS = oldestFirst<WorkflowLog>('exported workflow logs', 'createdAt', 'bigint');

export function workflowLogLines(ctx: Context): Lines {
  const rows = readAllRows(LOGS, SMALL_ROWS, (query) => ctx.db.workflowLog.findMany(query));
  return linesOf('workflow_log', rows, (row) => ({
    id: Number(row.id),
    workflow_id: row.workflowId,
    workflow_version: row.workflowVersion,
    deployment_id: row.deploymentId,
    conversation_id: row.conversationId,
    run_id: row.runId,
    trigger_id: row.triggerId,
    request_id: row.requestId,
    outcome: row.outcome,
    error_code: row.errorCode,
    is_summary: row.isSummary,
    model: row.model,
    ...usageByColumn(row),
    response_time_ms: row.responseTimeMs,
    created_at: row.createdAt,
  }));
}
