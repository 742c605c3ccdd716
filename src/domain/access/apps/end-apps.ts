import type { EnvironmentKind } from '../../../contract/statuses.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { Transaction } from '../../../db/transaction.ts';
import { type AuditSource, insertAuditEntry } from '../../audit/append.ts';
import type { EnvironmentRef } from '../../caller.ts';
import type { Context } from '../../context.ts';

/** Who ends apps. */
interface EndSource {
  readonly request: AuditSource['request'];
  now(): Date;
  /** The actor of a workspace's audit entry. */
  actorAt(workspaceId: string): AuditSource['caller'];
}

/** The caller of a request as the actor in every workspace. */
export function byCaller({ request, now, caller }: Context): EndSource {
  return { request, now, actorAt: () => caller };
}

/** The apps of the members of a workspace. */
export const appsOfMembers = (workspaceId: string): Prisma.Sql =>
  Prisma.sql`workspace_id = ${workspaceId}::uuid AND user_id IS NOT NULL`;

/** The apps that end users have connected in an environment. */
export const appsOfEndUsers = ({ workspaceId, kind }: Pick<EnvironmentRef, 'workspaceId' | 'kind'>): Prisma.Sql =>
  Prisma.sql`workspace_id = ${workspaceId}::uuid AND environment = ${kind}::environment_kind AND end_user IS NOT NULL`;

interface EndedApp {
  readonly id: string;
  readonly workspace_id: string;
  readonly environment: EnvironmentKind;
  readonly client_id: string;
}

/**
 * Disconnects the matching apps in `tx`, with all of their tokens. End sessions first: then no session can connect another
 * app. Returns the IDs for `publishSessionChanges` after the commit.
 */
export async function endApps(source: EndSource, tx: Transaction, which: Prisma.Sql): Promise<string[]> {
  const ended = await tx.$queryRaw<EndedApp[]>`
    DELETE FROM connected_app WHERE ${which} RETURNING id, workspace_id, environment::text AS environment, client_id`;
  for (const { id, workspace_id: workspaceId, environment: kind, client_id: clientId } of ended) {
    const there = { caller: source.actorAt(workspaceId), environment: { workspaceId, kind }, request: source.request };
    const entry = { action: 'app.disconnected', subjectId: id, details: { client_id: clientId } } as const;
    await tx.$executeRaw(insertAuditEntry(there, { ...entry, at: source.now() }));
  }
  return ended.map(({ id }) => id);
}
