import { ServiceError } from '../../contract/errors.ts';
import { isTypeId } from '../../contract/ids.ts';
import type { IntegrationKind } from '../../contract/statuses.ts';
import { type KeysetPage, keysetPage, newestFirst, type PageArgs } from '../../db/keyset.ts';
import type { Context } from '../context.ts';

/** A system of the workspace's own that agents may be let at. Values of its headers are not among what can be read. */
export interface Integration {
  readonly id: string;
  readonly kind: IntegrationKind;
  readonly name: string;
  readonly url: string;
  readonly headerNames: readonly string[];
  readonly connectedAt: Date;
  /** Null while it is connected. */
  readonly disconnectedAt: Date | null;
}

/** What is stored of an integration beside its secrets. */
export interface IntegrationConfig {
  readonly url: string;
  readonly headerNames: readonly string[];
}

const COLUMNS = { id: true, kind: true, name: true, config: true, connectedAt: true, disconnectedAt: true } as const;

/** Integrations, newest first. */
const INTEGRATIONS = newestFirst<Integration>('integrations', 'connectedAt');

/** @throws {ServiceError} not_found */
export async function findIntegration(ctx: Context, id: string): Promise<Integration> {
  const [found] = await findIntegrations(ctx, [id]);
  if (found) return found;
  throw integrationNotFound();
}

/** Those of these that there are, in any order. What is no id of an integration names none. */
export async function findIntegrations(ctx: Context, ids: readonly string[]): Promise<Integration[]> {
  const possible = ids.filter((id) => isTypeId('int', id));
  if (possible.length === 0) return [];
  const found = await ctx.db.integration.findMany({ where: { id: { in: possible } }, select: COLUMNS });
  return found.map(integrationOf);
}

export function integrationNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no integration with this id here. Check {param}.', { param: ['id'] });
}

/** Those that are disconnected too, unless told otherwise. @throws {ServiceError} invalid_request, invalid_cursor */
export function listIntegrations(
  ctx: Context,
  args: PageArgs,
  { connected }: { readonly connected?: boolean | null | undefined },
): Promise<KeysetPage<Integration>> {
  const where = connected == null ? {} : { disconnectedAt: connected ? null : { not: null } };
  const binding = { secret: ctx.services.secretKey, filters: [ctx.environment.id, connected ?? null] };
  return keysetPage(INTEGRATIONS, args, binding, {
    find: async ({ where: bounds, orderBy, take }) => {
      const all = { AND: [where, ...bounds.AND] };
      const rows = await ctx.db.integration.findMany({ where: all, select: COLUMNS, orderBy, take });
      return rows.map(integrationOf);
    },
    count: () => ctx.db.integration.count({ where }),
  });
}

/** A row as it is read. */
export function integrationOf(row: Omit<Integration, keyof IntegrationConfig> & { config: unknown }): Integration {
  const { config, ...rest } = row;
  // The column is JSON; this service has written nothing else to it.
  return { ...rest, ...(config as IntegrationConfig) };
}
