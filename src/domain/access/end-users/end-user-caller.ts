import type { Scope } from '../../../contract/scopes.ts';
import type { Prisma } from '../../../db/generated/client.ts';
import type { Sql } from '../../../db/sql.ts';
import type { EndUserCaller } from '../../caller.ts';
import { type EnvironmentRow, environmentLimits, environmentRef } from '../environment-row.ts';
import { hashToken } from '../tokens.ts';

interface TokenRow extends EnvironmentRow {
  deployment_id: string;
  end_user: string;
  scopes: string[];
  expires_at: Date;
}

/** The caller of a token that `createEndUserToken` made, and the value of `extraColumns`. Undefined if it is not valid. */
export async function callerOfEndUser(
  sql: Sql,
  token: string,
  extraColumns: Prisma.Sql,
): Promise<{ readonly caller: EndUserCaller; readonly extraColumns: unknown } | undefined> {
  const tokenHash = hashToken(token);
  const [row] = await sql.read<TokenRow>`
    SELECT t.id, t.deployment_id, t.end_user, t.scopes, t.expires_at,
           e.id AS environment_id, e.kind::text AS kind, e.workspace_id,
           e.requests_per_minute AS environment_per_minute, e.concurrent_runs, ${extraColumns} AS extra_columns
    FROM end_user_token t JOIN environment e ON e.id = t.environment_id
    WHERE t.token_hash = ${tokenHash} AND t.expires_at > now()`;
  if (!row) return undefined;
  const caller: EndUserCaller = {
    kind: 'end_user',
    id: row.id,
    tokenHash,
    environment: environmentRef(row),
    scopes: new Set(row.scopes as Scope[]),
    limits: { requestsPerMinute: null, ...environmentLimits(row) },
    endUser: row.end_user,
    deploymentIds: [row.deployment_id],
    expiresAt: row.expires_at,
  };
  return { caller, extraColumns: row.extra_columns };
}
