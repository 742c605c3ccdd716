import type { AuditAction } from '../../contract/audit.ts';
import type { EnvironmentKind } from '../../contract/statuses.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { AnonymousCaller, Caller, EndUserCaller, EnvironmentRef, ServiceCaller } from '../caller.ts';

/** The entry to write. Details must not contain secrets. */
export interface AuditInput {
  readonly action: AuditAction;
  /** The ID of the changed object. */
  readonly subjectId: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly at: Date;
}

/** The actor, environment and request of an entry. A context has all of them. */
export interface AuditSource {
  /** `service`: the service itself. `anonymous`: a caller without credentials. `end_user`: one who signed in at their issuer. */
  readonly caller: Caller | Pick<ServiceCaller | AnonymousCaller, 'kind'> | Pick<EndUserCaller, 'kind' | 'id'>;
  /** A null kind means the whole workspace. */
  readonly environment: Pick<EnvironmentRef, 'workspaceId'> & { readonly kind: EnvironmentKind | null };
  readonly request: { readonly id: string; readonly address: string | null };
}

function actorOf(caller: AuditSource['caller']): string | null {
  switch (caller.kind) {
    case 'session':
      return caller.user.id;
    case 'api_key':
    case 'app':
    case 'end_user':
    case 'operator':
      return caller.id;
    default:
      return null;
  }
}

/**
 * Returns the statement that writes an audit entry. Run it in the transaction of the change, or as a CTE of the statement
 * that makes the change, so both commit together.
 */
export function insertAuditEntry(source: AuditSource, entry: AuditInput): Prisma.Sql {
  const { details = {} } = entry;
  return Prisma.sql`${INTO} VALUES (${valuesOf(source, entry, Prisma.sql`${JSON.stringify(details)}::jsonb`)})`;
}

/** The same for several entries that differ only in their details. Writes nothing if the CTE `from` is empty. */
export function insertAuditEntries(
  source: AuditSource,
  entry: Omit<AuditInput, 'details'>,
  details: readonly object[],
  from: 'moved',
): Prisma.Sql {
  return Prisma.sql`
    ${INTO} SELECT ${valuesOf(source, entry, Prisma.sql`entry.details`)}
    FROM ${Prisma.raw(from)}, jsonb_array_elements(${JSON.stringify(details)}::jsonb) AS entry (details)`;
}

const INTO = Prisma.sql`
    INSERT INTO audit_entry (workspace_id, environment, action, actor_kind, actor_id, subject_id, details, address,
                             request_id, occurred_at)`;

function valuesOf(
  { caller, environment, request }: AuditSource,
  { action, subjectId, at }: Omit<AuditInput, 'details'>,
  details: Prisma.Sql,
): Prisma.Sql {
  return Prisma.sql`${environment.workspaceId}::uuid, ${environment.kind}::environment_kind, ${action}, ${caller.kind},
            ${actorOf(caller)}, ${subjectId}, ${details}, ${request.address}, ${request.id}, ${at}::timestamptz`;
}
