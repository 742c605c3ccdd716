import { type Role, SCOPES_OF_ROLE } from '../../../contract/roles.ts';
import type { Prisma } from '../../../db/generated/client.ts';
import type { Sql } from '../../../db/sql.ts';
import type { AppCaller } from '../../caller.ts';
import { type EnvironmentRow, environmentLimits, environmentRef } from '../environment-row.ts';
import { recordHash } from './records.ts';

interface AppRow extends EnvironmentRow {
  granted: string | null;
  scopes: string[];
  token_expires_at: Date;
  role: Role;
  user_id: string;
  name: string;
}

/** The caller of an access token of an app, and the value of `extraColumns`. Undefined if it is not valid. */
export async function callerOfApp(
  sql: Sql,
  token: string,
  extraColumns: Prisma.Sql,
): Promise<{ readonly caller: AppCaller; readonly extraColumns: unknown } | undefined> {
  const tokenHash = recordHash('AccessToken', token);
  const [row] = await sql.read<AppRow>`
    SELECT a.id, a.scopes, r.payload ->> 'scope' AS granted, least(r.expires_at, a.expires_at) AS token_expires_at,
           m.role::text AS role, u.id AS user_id, u.name,
           e.id AS environment_id, e.kind::text AS kind, e.workspace_id,
           e.requests_per_minute AS environment_per_minute, e.concurrent_runs, ${extraColumns} AS extra_columns
    FROM authorization_record r
    JOIN connected_app a ON a.id = r.app_id
    JOIN membership m ON m.workspace_id = a.workspace_id AND m.user_id = a.user_id
    JOIN user_account u ON u.id = a.user_id
    JOIN environment e ON e.workspace_id = a.workspace_id AND e.kind = a.environment
    WHERE r.id_hash = ${tokenHash} AND r.kind = 'AccessToken' AND r.expires_at > now() AND a.expires_at > now()`;
  if (!row) return undefined;
  // The app can ask for a token with fewer scopes, and the role of the member can have changed.
  const granted = new Set(row.granted?.split(' ') ?? []);
  const scopes = SCOPES_OF_ROLE[row.role].filter((scope) => granted.has(scope) && row.scopes.includes(scope));
  const caller: AppCaller = {
    kind: 'app',
    id: row.id,
    tokenHash,
    environment: environmentRef(row),
    scopes: new Set(scopes),
    limits: { requestsPerMinute: null, ...environmentLimits(row) },
    user: { id: row.user_id, name: row.name },
    role: row.role,
    expiresAt: row.token_expires_at,
  };
  return { caller, extraColumns: row.extra_columns };
}
