import { ServiceError } from '../../../contract/errors.ts';
import { LIMITS } from '../../../contract/limits.ts';
import type { EnvironmentKind } from '../../../contract/statuses.ts';
import { Prisma } from '../../../db/generated/client.ts';
import type { EndUserCaller } from '../../caller.ts';
import type { SomeServices } from '../../context.ts';
import { endUserDigest } from '../end-user-digest.ts';
import { endUserHash, isRevoked } from '../end-user-revocations.ts';
import { type EnvironmentRow, environmentLimits, environmentRef } from '../environment-row.ts';
import { hashToken } from '../tokens.ts';
import type { UnverifiedJwt, VerifiedJwt } from './jwt-port.ts';
import { type EnvironmentRule, type JwtAddress, rulesOfJwt } from './jwt-rules.ts';
import { scopesOfClaims } from './scopes-of-claims.ts';

interface CallerRow extends EnvironmentRow {
  deployment_ids: string[];
  revoked_at: Date | null;
}

/** What authentication needs of the services. */
export type JwtServices = SomeServices<'jwts' | 'secretBox' | 'sql'>;

/** The caller of a valid JWT, and the value of `extraColumns`. */
export interface AuthenticatedJwt {
  readonly caller: EndUserCaller;
  readonly extraColumns: unknown;
}

/** A JWT whose workspace is not decided: several have rules for it, and only the operation says what it is about. */
export interface UnboundJwt {
  readonly token: string;
  /** Decides between the rules of one workspace. */
  readonly kind: EnvironmentKind;
}

/**
 * The caller of a JWT that the server of a customer signed. Undefined if it is not valid, and `unbound` if the workspace
 * depends on the operation. An unbound JWT is not verified yet.
 * @throws {ServiceError} unavailable
 */
export async function callerOfJwt(
  services: JwtServices,
  unbound: UnboundJwt,
  address: JwtAddress,
  extraColumns: Prisma.Sql,
): Promise<AuthenticatedJwt | { readonly unbound: UnboundJwt } | undefined> {
  const named = services.ports.jwts.read(unbound.token);
  if (!named) return undefined;
  const rules = await rulesOfJwt(services.stores.sql, named, address);
  if (new Set(rules.map(({ workspaceId }) => workspaceId)).size > 1) return { unbound };
  return verifiedCaller(services, unbound, rules, extraColumns);
}

/**
 * The caller of an unbound JWT in an operation that names `address`. Undefined if the JWT is not valid.
 * @throws {ServiceError} invalid_request if several workspaces accept it and the operation does not name one of them; unavailable
 */
export async function bindJwt(
  services: JwtServices,
  unbound: UnboundJwt,
  address: JwtAddress,
): Promise<AuthenticatedJwt | undefined> {
  const named: UnverifiedJwt | undefined = services.ports.jwts.read(unbound.token);
  if (!named) return undefined;
  const rules = await rulesOfJwt(services.stores.sql, named, address);
  if (rules.length > LIMITS.endUserIssuerCandidates) throw ambiguousJwt();
  return verifiedCaller(services, unbound, rules, Prisma.sql`NULL`);
}

/** The error of a request whose JWT several workspaces may accept. It does not say which. */
export function ambiguousJwt(): ServiceError {
  const message =
    'The request does not say which deployment the token is for. Send the ID of the deployment in {param}.';
  return new ServiceError('invalid_request', message, { param: [DEPLOYMENT_HEADER] });
}

/** The header that names the deployment of a request, for operations that do not name one. */
export const DEPLOYMENT_HEADER = 'x-deployment';

/** The rules that accept the JWT must be of one workspace. If both of its environments accept it, the request chooses. */
async function verifiedCaller(
  services: JwtServices,
  { token, kind }: UnboundJwt,
  rules: readonly EnvironmentRule[],
  extraColumns: Prisma.Sql,
): Promise<AuthenticatedJwt | undefined> {
  const accepted = await acceptedBy(services, token, rules);
  if (new Set(accepted.map(({ rule }) => rule.workspaceId)).size > 1) throw ambiguousJwt();
  const chosen = accepted.find(({ rule }) => rule.kind === kind) ?? accepted[0];
  return chosen && callerIn(services, token, chosen, extraColumns);
}

interface Accepted {
  readonly rule: EnvironmentRule;
  readonly jwt: VerifiedJwt;
}

/** Milliseconds that the keys of one of several rules may take, so that one owner's slow server does not delay the others. */
const TRY_MS = 1_000;

/** The rules whose keys verify the JWT. @throws {ServiceError} unavailable if no rule does, and some keys could not be read */
async function acceptedBy(
  { ports: { jwts } }: JwtServices,
  token: string,
  rules: readonly EnvironmentRule[],
): Promise<Accepted[]> {
  const verify = async (rule: EnvironmentRule): Promise<Accepted[]> => {
    const jwt = await jwts.verify(token, rule, rules.length === 1 ? undefined : TRY_MS);
    return jwt ? [{ rule, jwt }] : [];
  };
  const results = await Promise.allSettled(rules.map(verify));
  const accepted = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed && accepted.length === 0) throw failed.reason;
  return accepted;
}

async function callerIn(
  { stores: { sql }, settings: { secretBox } }: JwtServices,
  token: string,
  { rule, jwt: { subject, issuedAt, expiresAt, claims } }: Accepted,
  extraColumns: Prisma.Sql,
): Promise<AuthenticatedJwt | undefined> {
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
    id: endUserDigest({ settings: { secretBox } }, environment, subject),
    tokenHash: hashToken(token),
    environment,
    scopes: new Set(scopesOfClaims(rule.scopeClaim, claims)),
    limits: { requestsPerMinute: null, ...environmentLimits(row) },
    endUser: subject,
    deploymentIds: row.deployment_ids,
    expiresAt,
    jwt: { issuerId: row.id, issuedAt },
  };
  return { caller, extraColumns: row.extra_columns };
}
