import type { AuditAction } from '../../contract/audit.ts';
import type { AuditEntry } from '../../db/generated/client.ts';
import type { Keyset } from '../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset-page.ts';
import type { Context } from '../context.ts';

/** The audit log, newest first. */
const AUDIT: Keyset<AuditEntry> = { list: 'audit', columns: [{ field: 'id', type: 'bigint' }], direction: 'desc' };

export interface AuditFilter {
  readonly actions?: readonly AuditAction[] | null | undefined;
  readonly actorId?: string | null | undefined;
  readonly subjectId?: string | null | undefined;
}

/** A page of the audit log of the workspace, for both environments. */
export function listAudit(
  ctx: Context,
  args: PageArgs,
  { actions, actorId, subjectId }: AuditFilter,
): Promise<KeysetPage<AuditEntry>> {
  const filter = {
    ...(actions && { action: { in: [...actions] } }),
    ...(actorId && { actorId }),
    ...(subjectId && { subjectId }),
  };
  const binding = { secret: ctx.services.settings.secretKey, filters: [ctx.environment.workspaceId, filter] };
  return keysetPage(AUDIT, args, binding, {
    find: ({ where, orderBy, take }) =>
      ctx.db.auditEntry.findMany({ where: { AND: [filter, ...where.AND] }, orderBy, take }),
    count: () => ctx.db.auditEntry.count({ where: filter }),
  });
}
