import { randomUUID } from 'node:crypto';
import type { EnvironmentKind } from '../../contract/statuses.ts';
import type { PrismaClient } from '../../db/generated/client.ts';
import { insertAuditEntry } from '../audit/append.ts';
import { DISABLE_AFTER_DAYS } from './pace.ts';

interface DisabledRow {
  workspace_id: string;
  kind: EnvironmentKind;
  updated_at: Date;
}

/**
 * Disables an endpoint that has failed for days and writes an audit entry. Its owner can enable it again.
 * @returns whether this call disabled it
 */
export function disableFailing(prisma: PrismaClient, endpointId: string): Promise<boolean> {
  return prisma.$transaction(async (tx) => {
    const [row] = await tx.$queryRaw<DisabledRow[]>`
      UPDATE webhook_endpoint w
      SET enabled = false, disabled_reason = 'failing', paused_until = NULL, updated_at = now()
      FROM environment e
      WHERE w.id = ${endpointId} AND e.id = w.environment_id AND w.enabled
        AND w.failing_since <= now() - make_interval(days => ${DISABLE_AFTER_DAYS}::int)
      RETURNING e.workspace_id::text, e.kind::text, w.updated_at`;
    if (!row) return false;
    const source = {
      caller: { kind: 'service' },
      environment: { workspaceId: row.workspace_id, kind: row.kind },
      request: { id: randomUUID(), address: null },
    } as const;
    const details = { days: DISABLE_AFTER_DAYS };
    const entry = { action: 'webhook_endpoint.disabled', subjectId: endpointId, details, at: row.updated_at } as const;
    await tx.$executeRaw(insertAuditEntry(source, entry));
    return true;
  });
}
