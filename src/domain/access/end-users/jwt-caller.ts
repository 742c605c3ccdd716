import { END_USER_SCOPES } from '../../../contract/scopes.ts';
import type { Prisma } from '../../../db/generated/client.ts';
import type { Sql } from '../../../db/sql.ts';
import type { EndUserCaller } from '../../caller.ts';
import type { Services } from '../../context.ts';
import { type EnvironmentRow, environmentLimits, environmentRef } from '../environment-row.ts';
import { hashToken } from '../tokens.ts';
import { endUserDigest } from './end-user-digest.ts';
import { endUserHash, isRevoked } from './end-user-revocations.ts';

interface IssuerRow {
  id: string;
  issuer: string;
  audience: string;
  jwks_url: string;
  scope_claim: string | null;
}

interface CallerRow extends EnvironmentRow {
  deployment_ids: string[];
  revoked_at: Date | null;
}

/** What authentication needs of the services. */
export type JwtServices = Pick<Services, 'jwts' | 'secretBox'> & { readonly sql: Sql };

/**
 * The caller of a JWT that the server of a customer signed, and the value of `extraColumns`. Undefined if it is not valid.
 * The issuer and the audience name the environment: they are unique among all environments.
 * @throws {ServiceError} unavailable
 */
export async function callerOfJwt(
  { sql, jwts, secretBox }: JwtServices,
  token: string,
  extraColumns: Prisma.Sql,
): Promise<{ readonly caller: EndUserCaller; readonly extraColumns: unknown } | undefined> {
  const named = jwts.read(token);
  if (!named) return undefined;
  const [rule, ...others] = await sql.rows<IssuerRow>`
    SELECT id, issuer, audience, jwks_url, scope_claim FROM end_user_issuer
    WHERE issuer = ${named.issuer} AND audience = ANY (${[...named.audiences]}::text[]) LIMIT 2`;
  // A JWT for two environments would not say which one it is about.
  if (!rule || others.length > 0) return undefined;
  const jwt = await jwts.verify(token, { ...rule, jwksUrl: rule.jwks_url });
  if (!jwt) return undefined;
  const { subject, issuedAt, expiresAt, claims } = jwt;
  // After the verification, because it can wait for keys while the token is revoked or the settings change.
  const [row] = await sql.rows<CallerRow>`
    SELECT i.id, i.deployment_ids, r.revoked_at, e.id AS environment_id, e.kind::text AS kind, e.workspace_id,
           e.requests_per_minute AS environment_per_minute, e.concurrent_runs, ${extraColumns} AS extra_columns
    FROM end_user_issuer i JOIN environment e ON e.id = i.environment_id
    LEFT JOIN revoked_end_user r ON r.environment_id = e.id AND r.end_user_hash = ${endUserHash(subject)}
    WHERE i.id = ${rule.id}`;
  if (!row || isRevoked(issuedAt, row.revoked_at)) return undefined;
  const environment = environmentRef(row);
  const caller: EndUserCaller = {
    kind: 'end_user',
    id: endUserDigest({ secretBox }, environment, subject),
    tokenHash: hashToken(token),
    environment,
    scopes: new Set(scopesOf(rule.scope_claim, claims)),
    limits: { requestsPerMinute: null, ...environmentLimits(row) },
    endUser: subject,
    deploymentIds: row.deployment_ids,
    expiresAt,
    jwt: { issuerId: row.id, issuedAt },
  };
  return { caller, extraColumns: row.extra_columns };
}

/** The scopes in the claim: text with spaces, as in OAuth, or a list. Other scopes than those of end users are ignored. */
function scopesOf(claim: string | null, claims: Readonly<Record<string, unknown>>) {
  if (claim === null) return END_USER_SCOPES;
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  const named: unknown[] = typeof value === 'string' ? value.split(' ') : Array.isArray(value) ? value : [];
  return END_USER_SCOPES.filter((scope) => named.includes(scope));
}
