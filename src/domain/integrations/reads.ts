import { ServiceError } from '../../contract/errors.ts';
import { isTypeId } from '../../contract/ids.ts';
import type { IntegrationKind } from '../../contract/statuses.ts';
import { newestFirst } from '../../db/keyset.ts';
import { type KeysetPage, keysetPage, type PageArgs } from '../../db/keyset-page.ts';
import type { Context } from '../context.ts';
import type { SignInState } from './sign-in-state.ts';

/** A system of the workspace that agents can use. It does not contain header values. */
export interface Integration {
  readonly id: string;
  readonly kind: IntegrationKind;
  readonly name: string;
  readonly url: string;
  readonly headerNames: readonly string[];
  /** Whether the service believes the hint of the MCP server that a tool only reads. */
  readonly trustsHints: boolean;
  readonly connectedAt: Date;
  /** Null while it is connected. */
  readonly disconnectedAt: Date | null;
  /** The last failed request to an MCP server, without the server's text. Null: no request failed. */
  readonly lastError: string | null;
  readonly lastErrorAt: Date | null;
  /** Null: the server has not asked for a sign-in. */
  readonly signIn: SignInState | null;
}

/** The stored settings of an integration, without its secrets. */
export interface IntegrationConfig {
  readonly url: string;
  readonly headerNames: readonly string[];
  /** Absent in integrations of an earlier release. */
  readonly trustsHints?: boolean;
}

const COLUMNS = {
  id: true,
  kind: true,
  name: true,
  config: true,
  connectedAt: true,
  disconnectedAt: true,
  lastError: true,
  lastErrorAt: true,
  signIn: true,
} as const;

/** Integrations, newest first. */
const INTEGRATIONS = newestFirst<Integration>('integrations', 'connectedAt');

/** @throws {ServiceError} not_found */
export async function findIntegration(ctx: Context, id: string): Promise<Integration> {
  const [integration] = await findIntegrations(ctx, [id]);
  if (integration) return integration;
  throw integrationNotFound();
}

/** Finds integrations by their IDs, in any order. Unknown and invalid IDs are left out. */
export async function findIntegrations(ctx: Context, ids: readonly string[]): Promise<Integration[]> {
  const validIds = ids.filter((id) => isTypeId('int', id));
  if (validIds.length === 0) return [];
  const rows = await ctx.db.integration.findMany({ where: { id: { in: validIds } }, select: COLUMNS });
  return rows.map(integrationOf);
}

export function integrationNotFound(): ServiceError {
  return new ServiceError('not_found', 'There is no integration with this ID in this environment. Check {param}.', {
    param: ['id'],
  });
}

/** Lists connected and disconnected integrations, or only one of both. @throws {ServiceError} invalid_request, invalid_cursor */
export function listIntegrations(
  ctx: Context,
  args: PageArgs,
  { connected }: { readonly connected?: boolean | null | undefined },
): Promise<KeysetPage<Integration>> {
  const where = connected == null ? {} : { disconnectedAt: connected ? null : { not: null } };
  const binding = { secret: ctx.services.settings.secretKey, filters: [ctx.environment.id, connected ?? null] };
  return keysetPage(INTEGRATIONS, args, binding, {
    find: async ({ where: bounds, orderBy, take }) => {
      const all = { AND: [where, ...bounds.AND] };
      const rows = await ctx.db.integration.findMany({ where: all, select: COLUMNS, orderBy, take });
      return rows.map(integrationOf);
    },
    count: () => ctx.db.integration.count({ where }),
  });
}

/** The columns of an integration. */
export interface IntegrationRow extends Omit<Integration, keyof IntegrationConfig | 'signIn'> {
  readonly config: unknown;
  readonly signIn: unknown;
}

/** Converts a row. */
export function integrationOf({ config, signIn, ...rest }: IntegrationRow): Integration {
  // This service writes only these types to the JSON columns.
  return { ...rest, trustsHints: false, ...(config as IntegrationConfig), signIn: signIn as SignInState | null };
}
