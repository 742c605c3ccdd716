import { randomUUID } from 'node:crypto';
import type { EnvironmentKind } from '../../contract/statuses.ts';
import { Prisma, type PrismaClient } from '../../db/generated/client.ts';
import { inTransaction } from '../../db/transaction.ts';
import { insertAuditEntry } from '../audit/append.ts';
import type { ClaimedDelivery } from './claim.ts';
import { DISABLE_AFTER_DAYS } from './pace.ts';

interface DisabledRow {
  workspace_id: string;
  kind: EnvironmentKind;
  updated_at: Date;
}

type EndpointKey = Pick<ClaimedDelivery, 'endpointId' | 'environmentId'>;

/** Why the service disables an endpoint. */
interface Cause {
  readonly reason: 'failing' | 'gone';
  /** What must still hold for the endpoint `w`. */
  readonly holds: Prisma.Sql;
  /** The details of the audit entry. */
  readonly details: Readonly<Record<string, number>>;
}

/**
 * Disables an endpoint that has failed for days.
 * @returns whether this call disabled it
 */
export function disableFailing(prisma: PrismaClient, endpoint: EndpointKey): Promise<boolean> {
  return disable(prisma, endpoint, {
    reason: 'failing',
    holds: Prisma.sql`w.failing_since <= now() - make_interval(days => ${DISABLE_AFTER_DAYS}::int)`,
    details: { days: DISABLE_AFTER_DAYS },
  });
}

/**
 * Disables an endpoint whose address responded with 410. The response does not concern an address that replaced it.
 * @returns whether this call disabled it
 */
export function disableGone(
  prisma: PrismaClient,
  { url, ...endpoint }: EndpointKey & Pick<ClaimedDelivery, 'url'>,
): Promise<boolean> {
  return disable(prisma, endpoint, { reason: 'gone', holds: Prisma.sql`w.url = ${url}`, details: { status: 410 } });
}

/** Writes an audit entry as well. The owner of the endpoint can enable it again. */
function disable(
  prisma: PrismaClient,
  { endpointId, environmentId }: EndpointKey,
  { reason, holds, details }: Cause,
): Promise<boolean> {
  return inTransaction(prisma, async (tx) => {
    const [row] = await tx.$queryRaw<DisabledRow[]>`
      UPDATE webhook_endpoint w
      SET enabled = false, disabled_reason = ${reason}::webhook_disabled_reason, paused_until = NULL, updated_at = now()
      FROM environment e
      WHERE w.id = ${endpointId} AND w.environment_id = ${environmentId}::uuid AND e.id = w.environment_id
        AND w.enabled AND ${holds}
      RETURNING e.workspace_id::text, e.kind::text, w.updated_at`;
    if (!row) return false;
    const source = {
      caller: { kind: 'service' },
      environment: { workspaceId: row.workspace_id, kind: row.kind },
      request: { id: randomUUID(), address: null },
    } as const;
    const entry = { action: 'webhook_endpoint.disabled', subjectId: endpointId, details, at: row.updated_at } as const;
    await tx.$executeRaw(insertAuditEntry(source, entry));
    return true;
  });
}
