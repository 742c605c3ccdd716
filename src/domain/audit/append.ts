import type { AuditAction } from '../../contract/audit.ts';
import type { EnvironmentKind } from '../../contract/statuses.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Caller, EnvironmentRef } from '../context.ts';

/** Something that was done, as it is told to the audit log. Details hold no secret. */
export interface Audited {
  readonly action: AuditAction;
  /** The id of what it was done to. */
  readonly subjectId: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly at: Date;
}

/** Who does it, where, and by which request. A context says all of it. */
export interface AuditSource {
  /** `service`: what it does by itself. */
  readonly caller: Caller | { readonly kind: 'service' };
  /** Without a kind it concerns the workspace as a whole. */
  readonly environment: Pick<EnvironmentRef, 'workspaceId'> & { readonly kind: EnvironmentKind | null };
  readonly request: { readonly id: string; readonly address: string | null };
}

function actorOf(caller: AuditSource['caller']): string | null {
  if (caller.kind === 'anonymous' || caller.kind === 'service') return null;
  return caller.kind === 'session' ? caller.user.id : caller.id;
}

/**
 * The statement that writes it down: run it in the transaction of the change, or put it into the statement of the
 * change as a CTE, so that neither is ever there without the other.
 */
export function audited({ caller, environment, request }: AuditSource, entry: Audited): Prisma.Sql {
  const { action, subjectId, details = {}, at } = entry;
  return Prisma.sql`
    INSERT INTO audit_entry (workspace_id, environment, action, actor_kind, actor_id, subject_id, details, address,
                             request_id, occurred_at)
    VALUES (${environment.workspaceId}::uuid, ${environment.kind}::environment_kind, ${action}, ${caller.kind},
            ${actorOf(caller)}, ${subjectId}, ${JSON.stringify(details)}::jsonb,
            ${request.address}, ${request.id}, ${at})`;
}
