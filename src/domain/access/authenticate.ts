import { ServiceError } from '../../contract/errors.ts';
import { type Role, SCOPES_OF_ROLE } from '../../contract/roles.ts';
import { ENVIRONMENT_KINDS, type EnvironmentKind } from '../../contract/statuses.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Sql } from '../../db/sql.ts';
import type { Caller } from '../caller.ts';
import { callerOfApp } from './apps/app-caller.ts';
import { callerOfEndUser } from './end-users/end-user-caller.ts';
import { callerOfJwt, type JwtServices, type UnboundJwt } from './end-users/jwt-caller.ts';
import type { JwtAddress } from './end-users/jwt-rules.ts';
import { type EnvironmentRow, environmentLimits, environmentRef } from './environment-row.ts';
import { callerOfKey, type Sender } from './keys/key-caller.ts';
import { hashToken, isApiKey, isAppToken, isEndUserToken, isSessionToken } from './tokens.ts';
import { unauthorized } from './unauthorized.ts';

/** The headers with the credential and the environment. */
export interface CredentialHeaders {
  /** Every value of the header. */
  readonly authorization: readonly string[];
  /** Every value of the header. */
  readonly 'x-api-key': readonly string[];
  readonly 'x-environment'?: string | undefined;
}

/** What authentication needs to know about a request, apart from its headers. */
export interface Presented {
  readonly sender: Sender;
  /** Selects the workspace of a JWT. */
  readonly address: JwtAddress;
}

/** The caller of a valid credential. */
export interface Authenticated {
  readonly caller: Caller;
  /** The value of the `extraColumns` argument, as JSON. */
  readonly extraColumns: unknown;
}

/**
 * Finds the caller of these headers, or returns undefined if they contain no credential. The same statement reads
 * `extraColumns`, a value of the environment `e`. A JWT is `unbound` if the operation has to select its workspace.
 * @throws {ServiceError} invalid_request if two credentials differ or the environment is unknown; unauthorized if the
 * credential is not valid, or not valid for the sender; unavailable if the keys for a JWT could not be read
 */
export async function authenticate(
  services: JwtServices,
  headers: CredentialHeaders,
  presented: Presented,
  extraColumns: Prisma.Sql = NOTHING,
): Promise<Authenticated | Unbound | undefined> {
  const token = presentedToken(headers);
  if (token === undefined) return undefined;
  if (token === MALFORMED) throw unauthorized();
  const authenticated = await callerOf(services, token, headers, presented, extraColumns);
  if (!authenticated) throw unauthorized();
  return authenticated;
}

/** A JWT whose workspace the operation selects. */
export interface Unbound {
  readonly unbound: UnboundJwt;
}

const NOTHING = Prisma.sql`NULL`;

async function callerOf(
  services: JwtServices,
  token: string,
  headers: CredentialHeaders,
  { sender, address }: Presented,
  extraColumns: Prisma.Sql,
): Promise<Authenticated | Unbound | undefined> {
  const { sql } = services.stores;
  if (isApiKey(token)) return callerOfKey(sql, token, extraColumns, sender);
  // x-api-key accepts only API keys.
  if (keysOf(headers).length > 0) return undefined;
  if (isAppToken(token)) return callerOfApp(services, token, extraColumns);
  if (isEndUserToken(token)) return callerOfEndUser(sql, token, extraColumns);
  if (isSessionToken(token)) return callerOfSession(sql, token, environmentOf(headers), extraColumns);
  return callerOfJwt(services, { token, kind: environmentOf(headers) }, address, extraColumns);
}

function environmentOf({ 'x-environment': named = 'live' }: CredentialHeaders): EnvironmentKind {
  const kind = ENVIRONMENT_KINDS.find((kind) => kind === named);
  if (kind) return kind;
  throw new ServiceError('invalid_request', '{param} must be live or test.', { param: ['x-environment'] });
}

/** Stands for a credential that has no valid form. */
const MALFORMED = '';

/** The credential of the headers, if there is one. @throws {ServiceError} invalid_request if there are several */
function presentedToken(headers: CredentialHeaders): string | undefined {
  const [token, ...others] = new Set([...bearersOf(headers), ...keysOf(headers)]);
  if (others.length === 0) return token;
  throw new ServiceError(
    'invalid_request',
    'The Authorization and x-api-key headers carry different credentials. Send one of them.',
  );
}

/** Whether the headers contain a credential, valid or not. */
export function hasCredential(headers: CredentialHeaders): boolean {
  return bearersOf(headers).length > 0 || keysOf(headers).length > 0;
}

const BEARER = /^Bearer(?: +(.*))?$/i;

/** Clients and proxies join repeated headers with a comma. Parameters of other schemes have no space after their name. */
const NEXT_CREDENTIAL = /,\s*(?=[a-z][\w-]*\s+\S)/i;

/** The tokens of Authorization. Other schemes are for others, for example for a proxy. */
function bearersOf({ authorization }: CredentialHeaders): string[] {
  return authorization
    .flatMap((values) => values.split(NEXT_CREDENTIAL))
    .flatMap((value) => {
      const match = BEARER.exec(value.trim());
      if (!match) return [];
      const token = match[1] ?? '';
      return /\s/.test(token) ? MALFORMED : token;
    });
}

function keysOf({ 'x-api-key': values }: CredentialHeaders): string[] {
  return values
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

interface SessionRow extends EnvironmentRow {
  expires_at: Date;
  role: Role;
  user_id: string;
  email: string;
  name: string;
  workspace_name: string;
}

async function callerOfSession(
  sql: Sql,
  token: string,
  kind: EnvironmentKind,
  extraColumns: Prisma.Sql,
): Promise<Authenticated | undefined> {
  const tokenHash = hashToken(token);
  const [row] = await sql.read<SessionRow>`
    SELECT s.id, s.expires_at, m.role::text AS role, u.id AS user_id, u.email, u.name, w.name AS workspace_name,
           e.id AS environment_id, e.kind::text AS kind, e.workspace_id,
           e.requests_per_minute AS environment_per_minute, e.concurrent_runs, ${extraColumns} AS extra_columns
    FROM session s
    JOIN membership m ON m.workspace_id = s.workspace_id AND m.user_id = s.user_id
    JOIN user_account u ON u.id = s.user_id
    JOIN workspace w ON w.id = s.workspace_id
    JOIN environment e ON e.workspace_id = s.workspace_id AND e.kind = ${kind}::environment_kind
    WHERE s.token_hash = ${tokenHash} AND s.revoked_at IS NULL AND s.expires_at > now()`;
  if (!row) return undefined;
  const { id, role, email, name, user_id: userId, workspace_name: workspaceName, expires_at: expiresAt } = row;
  const scopes = new Set(SCOPES_OF_ROLE[role]);
  const user = { id: userId, email, name };
  const caller: Caller = {
    kind: 'session',
    id,
    tokenHash,
    environment: environmentRef(row),
    scopes,
    limits: { requestsPerMinute: null, ...environmentLimits(row) },
    user,
    workspaceName,
    role,
    expiresAt,
  };
  return { caller, extraColumns: row.extra_columns };
}
