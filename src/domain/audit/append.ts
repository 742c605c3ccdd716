import type { AuditAction } from '../../contract/audit.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Caller, Context } from '../context.ts';

/** Something that was done, as it is told to the audit log. Details hold no secret. */
export interface Audited {
  readonly action: AuditAction;
  /** The id of what it was done to. */
  readonly subjectId: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly at: Date;
}

function actorOf(caller: Caller): string | null {
  if (caller.kind === 'anonymous') return null;
  return caller.kind === 'session' ? caller.user.id : caller.id;
}

/**
 * The statement that writes it down: run it in the transaction of the change, or put it into the statement of the
 * change as a CTE, so that neither is ever there without the other.
 */
export function audited({ caller, environment, request }: Context, entry: Audited): Prisma.Sql {
  const { action, subjectId, details = {}, at } = entry;
  return Prisma.sql`
    INSERT INTO audit_entry (workspace_id, environment, action, actor_kind, actor_id, subject_id, details, address,
                             request_id, occurred_at)
    VALUES (${environment.workspaceId}::uuid, ${environment.kind}::environment_kind, ${action}, ${caller.kind},
            ${actorOf(caller)}, ${subjectId}, ${JSON.stringify(details)}::jsonb,
            ${request.address}, ${request.id}, ${at})`;
}
