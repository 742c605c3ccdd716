import type { EnvironmentKind } from '../../../contract/statuses.ts';
import type { Context } from '../../context.ts';
import { loadInBatch } from '../../related/batches.ts';

/** A tenant. */
export interface Workspace {
  readonly id: string;
  readonly name: string;
}

/** One of the two environments of a workspace. */
export interface Environment {
  readonly id: string;
  readonly kind: EnvironmentKind;
  readonly workspaceId: string;
}

const ENVIRONMENT = { id: true, kind: true, workspaceId: true } as const;

/** Finds workspaces that the caller's environment belongs to. Other IDs are ignored. */
export function findWorkspaces(ctx: Context, ids: readonly string[]): Promise<Workspace[]> {
  return ctx.db.workspace.findMany({ where: { id: { in: [...ids] } }, select: { id: true, name: true } });
}

/** Finds environments of the caller's workspace. Other IDs are ignored. */
export function findEnvironments(ctx: Context, ids: readonly string[]): Promise<Environment[]> {
  return ctx.db.environment.findMany({ where: { id: { in: [...ids] } }, select: ENVIRONMENT });
}

/** The environments of a workspace: live, then test. */
export function environmentsOf(ctx: Context, workspaceId: string): Promise<Environment[]> {
  return loadInBatch(ctx, 'environments of a workspace', workspaceId, async (ids) => {
    const where = { workspaceId: { in: [...ids] } };
    const rows = await ctx.db.environment.findMany({ where, select: ENVIRONMENT, orderBy: { kind: 'asc' } });
    return ids.map((id) => rows.filter((row) => row.workspaceId === id));
  });
}
