import { type Role, SCOPES_OF_ROLE } from '../../../contract/roles.ts';
import { END_USER_SCOPES, type Scope } from '../../../contract/scopes.ts';
import type { Prisma } from '../../../db/generated/client.ts';
import type { AppCaller, EndUserCaller } from '../../caller.ts';
import type { SomeServices } from '../../context.ts';
import { endUserDigest } from '../end-user-digest.ts';
import { type EnvironmentRow, environmentLimits, environmentRef } from '../environment-row.ts';
import { recordHash } from './records.ts';

interface AppRow extends EnvironmentRow {
  granted: string | null;
  scopes: string[];
  token_expires_at: Date;
}

interface MemberRow extends AppRow {
  end_user: null;
  role: Role;
  user_id: string;
  name: string;
}

interface EndUserRow extends AppRow {
  end_user: string;
  deployment_id: string;
}

/**
 * The caller of an access token of an app, and the value of `extraColumns`: the app of a member, or an end user. Undefined if
 * it is not valid.
 */
export async function callerOfApp(
  services: SomeServices<'sql' | 'secretBox'>,
  token: string,
  extraColumns: Prisma.Sql,
): Promise<{ readonly caller: AppCaller | EndUserCaller; readonly extraColumns: unknown } | undefined> {
  const tokenHash = recordHash('AccessToken', token);
  // The rules of the issuer are also checked here, so that no app outlasts them.
  const [row] = await services.stores.sql.read<MemberRow | EndUserRow>`
    SELECT a.id, a.scopes, r.payload ->> 'scope' AS granted, least(r.expires_at, a.expires_at) AS token_expires_at,
           m.role::text AS role, u.id AS user_id, u.name, a.end_user, a.deployment_id,
           e.id AS environment_id, e.kind::text AS kind, e.workspace_id,
           e.requests_per_minute AS environment_per_minute, e.concurrent_runs, ${extraColumns} AS extra_columns
    FROM authorization_record r
    JOIN connected_app a ON a.id = r.app_id
    JOIN environment e ON e.workspace_id = a.workspace_id AND e.kind = a.environment
    LEFT JOIN membership m ON m.workspace_id = a.workspace_id AND m.user_id = a.user_id
    LEFT JOIN user_account u ON u.id = m.user_id
    LEFT JOIN end_user_issuer i ON i.environment_id = e.id AND i.sign_in_client_id IS NOT NULL
                                AND a.deployment_id = ANY (i.deployment_ids)
    WHERE r.id_hash = ${tokenHash} AND r.kind = 'AccessToken' AND r.expires_at > now() AND a.expires_at > now()
      AND (m.user_id IS NOT NULL OR i.id IS NOT NULL)`;
  if (!row) return undefined;
  const caller = row.end_user === null ? ofMember(row, tokenHash) : ofEndUser(services, row, tokenHash);
  return { caller, extraColumns: row.extra_columns };
}

function ofMember(row: MemberRow, tokenHash: string): AppCaller {
  return {
    kind: 'app',
    id: row.id,
    tokenHash,
    environment: environmentRef(row),
    // The role of the member can have changed.
    scopes: grantedScopes(row, SCOPES_OF_ROLE[row.role]),
    limits: { requestsPerMinute: null, ...environmentLimits(row) },
    user: { id: row.user_id, name: row.name },
    role: row.role,
    expiresAt: row.token_expires_at,
  };
}

function ofEndUser(services: SomeServices<'secretBox'>, row: EndUserRow, tokenHash: string): EndUserCaller {
  const environment = environmentRef(row);
  return {
    kind: 'end_user',
    id: endUserDigest(services, environment, row.end_user),
    tokenHash,
    environment,
    scopes: grantedScopes(row, END_USER_SCOPES),
    limits: { requestsPerMinute: null, ...environmentLimits(row) },
    endUser: row.end_user,
    deploymentIds: [row.deployment_id],
    expiresAt: row.token_expires_at,
    app: { id: row.id },
  };
}

/** The app can ask for a token with fewer scopes than it was allowed. */
function grantedScopes({ granted, scopes }: AppRow, possible: readonly Scope[]): ReadonlySet<Scope> {
  const ofToken = new Set(granted?.split(' ') ?? []);
  return new Set(possible.filter((scope) => ofToken.has(scope) && scopes.includes(scope)));
}
